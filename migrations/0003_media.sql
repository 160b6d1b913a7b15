-- The media library. Ids are ULIDs, so the primary key is also the order of the library.

CREATE TABLE media (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,                    -- image | video
  state TEXT NOT NULL,                   -- awaiting_upload | ready | registered | expired
  object_key TEXT,                       -- in the bucket; NULL for a file registered by address
  url TEXT,                              -- the caller's address; NULL for an uploaded file
  content_type TEXT,
  bytes INTEGER,
  etag TEXT,                             -- of the object that was inspected; later reads ask for exactly it
  width INTEGER,
  height INTEGER,
  duration_ms INTEGER,
  alt TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,                    -- when the staging copy goes: seven days after its last post ended
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX media_expiring ON media (expires_at) WHERE expires_at IS NOT NULL;

-- Which posts name which file.
CREATE TABLE media_uses (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  media_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, media_id, post_id)
) WITHOUT ROWID;
CREATE INDEX media_uses_by_post ON media_uses (workspace_id, post_id);
