-- Several databases. This one's number is 0 where it has the accounts; the rows of a workspace are in one of those that the
-- Worker is bound to. All have the same tables; what a database does not hold is empty there.

-- In the database of the accounts: the number of the database that has the workspace's own rows. There it is 0.
ALTER TABLE workspaces ADD COLUMN home INTEGER NOT NULL DEFAULT 0;
-- What was made in the workspace until then is to end, because nobody had proven who made it.
ALTER TABLE workspaces ADD COLUMN emptied_at INTEGER;
ALTER TABLE clearances ADD COLUMN home INTEGER NOT NULL DEFAULT 0;

-- Workspaces in another database, which is to be told what has changed of them here.
CREATE TABLE carries (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  version INTEGER NOT NULL               -- bumped by every change: only what was told is done
) WITHOUT ROWID;

-- Written with the change, whoever makes it.
CREATE TRIGGER workspaces_changed AFTER UPDATE OF plan, plan_status, timezone, emptied_at ON workspaces
WHEN NEW.home <> 0 BEGIN
  INSERT INTO carries (workspace_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET version = version + 1;
END;
