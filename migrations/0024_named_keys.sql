-- Keys that owners name and limit, beside the one that every workspace has. A key that has ended keeps its row, so that a caller
-- learns why it stopped working.
CREATE TABLE named_keys (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,             -- SHA-256 of the key, hex; the key itself is stored nowhere
  start TEXT NOT NULL,                   -- its first characters, to know it by
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,                  -- JSON array
  channels TEXT,                         -- JSON array of ids; NULL: all
  created_by TEXT NOT NULL,              -- the key ends when they are no owner any more
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,                  -- within the hour
  expires_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

CREATE TRIGGER named_keys_of_who_left AFTER DELETE ON members BEGIN
  UPDATE named_keys SET revoked_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id AND revoked_at IS NULL;
END;

CREATE TRIGGER named_keys_of_former_owners AFTER UPDATE OF role ON members WHEN NEW.role <> 'owner' BEGIN
  UPDATE named_keys SET revoked_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id AND revoked_at IS NULL;
END;
