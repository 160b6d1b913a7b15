-- How often a workspace's live posts are looked at again; NULL: as each network's own rule has it.
ALTER TABLE workspaces ADD COLUMN rechecks TEXT;

-- What a delivery was accepted with: how often it is looked at again (NULL: as its network's own rule has it), and what the
-- network charges for it in millionths of a US dollar (NULL: nothing).
ALTER TABLE deliveries ADD COLUMN rechecks TEXT;
ALTER TABLE deliveries ADD COLUMN publish_cost INTEGER;
ALTER TABLE deliveries ADD COLUMN rechecks_cost INTEGER;
ALTER TABLE deliveries ADD COLUMN metrics_cost INTEGER;

-- The database that has a workspace's rows judges posts there.
CREATE TRIGGER workspaces_rechecks_changed AFTER UPDATE OF rechecks ON workspaces WHEN NEW.home <> 0 BEGIN
  INSERT INTO carries (workspace_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET version = version + 1;
END;
