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
  expires_at INTEGER,                    -- when the staging copy goes, or went; NULL while no use of it has ended, or one has not
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
-- What the sweeper looks through: copies whose day comes, and uploads that nobody has seen arrive.
CREATE INDEX media_expiring ON media (expires_at) WHERE expires_at IS NOT NULL AND state <> 'expired';
CREATE INDEX media_awaiting ON media (created_at) WHERE state = 'awaiting_upload';

-- Which posts name which file.
CREATE TABLE media_uses (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  media_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  finished_at INTEGER,                   -- of the post
  PRIMARY KEY (workspace_id, post_id, media_id)
) WITHOUT ROWID;
-- Whether an unfinished post uses a file, and when its last one finished, however many there were.
CREATE INDEX media_uses_by_end ON media_uses (workspace_id, media_id, finished_at);

-- Stored objects that no row stands for any more; written with the change that gave them up, so that no crash leaves one.
CREATE TABLE discarded_objects (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  object_key TEXT NOT NULL,
  next_at INTEGER NOT NULL,              -- when it is deleted from the bucket: no upload to it can arrive after that
  bytes INTEGER NOT NULL DEFAULT 0,      -- they count until it is deleted
  PRIMARY KEY (workspace_id, object_key)
) WITHOUT ROWID;
CREATE INDEX discarded_objects_due ON discarded_objects (next_at);
