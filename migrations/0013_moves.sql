-- A workspace that is being moved to another database, or has been: in both of them, while one must not be written.
CREATE TABLE moving (
  workspace_id TEXT PRIMARY KEY,
  stage TEXT NOT NULL                    -- arriving | leaving | retiring | kept
) WITHOUT ROWID;

-- What a workspace that was moved has left in the database that it came from, until somebody confirms the move.
CREATE TABLE kept_rows (
  workspace_id TEXT NOT NULL,
  table_name TEXT NOT NULL,
  key TEXT NOT NULL,                     -- JSON array
  content TEXT NOT NULL,                 -- JSON array of the columns in their order
  PRIMARY KEY (workspace_id, table_name, key)
) WITHOUT ROWID;
