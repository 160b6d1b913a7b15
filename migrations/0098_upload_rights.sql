-- By whose rights a file is uploaded: an address that was handed out stays good for its time, whatever becomes of them.
-- uploader: key:WORKSPACE:KEY or member:WORKSPACE:USER. uploader_credential: session:HASH or grant:ID, of a member. NULL: from before.
ALTER TABLE media ADD COLUMN uploader TEXT;
ALTER TABLE media ADD COLUMN uploader_credential TEXT;

-- When such rights have ended, among the accounts. What was uploaded before stays usable; rows go when no upload can arrive any more.
CREATE TABLE ended_rights (
  holder TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (holder, ended_at)
) WITHOUT ROWID;
CREATE INDEX ended_rights_by_end ON ended_rights (ended_at);

CREATE TRIGGER uploads_end_by_rotation AFTER UPDATE OF revoked_at ON workspace_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('key:' || NEW.workspace_id || ':' || NEW.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER uploads_end_by_revocation AFTER UPDATE OF revoked_at ON named_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('key:' || NEW.workspace_id || ':' || NEW.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER uploads_end_by_removal AFTER DELETE ON members BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('member:' || OLD.workspace_id || ':' || OLD.user_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER uploads_end_by_role AFTER UPDATE OF role ON members WHEN NEW.role = 'viewer' AND OLD.role <> 'viewer' BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('member:' || OLD.workspace_id || ':' || OLD.user_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER uploads_end_by_sign_out AFTER DELETE ON sessions
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('session:' || OLD.token_hash, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER uploads_end_by_disconnection AFTER DELETE ON oauth_grants
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('grant:' || OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
