-- How often somebody's rights in a workspace have ended. A database beside that of the accounts has a copy of the number, so that the
-- transaction that writes there can tell whether rights may have ended since its caller was judged.
ALTER TABLE workspaces ADD COLUMN rights_epoch INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER workspaces_rights_ended AFTER UPDATE OF rights_epoch ON workspaces WHEN NEW.home <> 0 BEGIN
  INSERT INTO carries (workspace_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET version = version + 1;
END;

-- Whoever ends them. A workspace among the accounts needs no number: its writes ask for the rights themselves.
CREATE TRIGGER rights_ended_by_rotation AFTER UPDATE OF revoked_at ON workspace_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = NEW.workspace_id AND home <> 0;
END;
CREATE TRIGGER rights_ended_by_revocation AFTER UPDATE OF revoked_at ON named_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = NEW.workspace_id AND home <> 0;
END;
CREATE TRIGGER rights_ended_by_removal AFTER DELETE ON members BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = OLD.workspace_id AND home <> 0;
END;
CREATE TRIGGER rights_ended_by_role AFTER UPDATE OF role ON members WHEN OLD.role <> NEW.role BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = OLD.workspace_id AND home <> 0;
END;
CREATE TRIGGER rights_ended_by_sign_out AFTER DELETE ON sessions
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1
  WHERE id IN (SELECT workspace_id FROM members WHERE user_id = OLD.user_id) AND home <> 0;
END;
CREATE TRIGGER rights_ended_by_disconnection AFTER DELETE ON oauth_grants
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = OLD.workspace_id AND home <> 0;
END;
