-- Each row of a table or an index that a delivery writes is billed, and takes its time: these were more than it needs.

-- All posts but drafts, by what does not change with the status.
DROP INDEX posts_queue;
CREATE INDEX posts_queue ON posts (workspace_id, id) WHERE due_at IS NOT NULL;

-- A change of the sealing key walks through the table itself.
DROP INDEX deliveries_sealed;

-- The feed of a workspace is its table: the order is that of its commits, counted for each workspace by itself.
CREATE TABLE events_by_workspace (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,                  -- a reader that remembers it skips and repeats nothing
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  post_id TEXT,
  channel_id TEXT NOT NULL,
  fence INTEGER NOT NULL,                -- of the delivery; an instant for channel events
  body TEXT NOT NULL,                    -- JSON, serialised once, sent byte for byte
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, seq)
) WITHOUT ROWID;
INSERT INTO events_by_workspace (workspace_id, seq, id, event, post_id, channel_id, fence, body, created_at)
  SELECT workspace_id, seq, id, event, post_id, channel_id, fence, body, created_at FROM events;
DROP TABLE events;
ALTER TABLE events_by_workspace RENAME TO events;
CREATE UNIQUE INDEX events_once ON events (workspace_id, post_id, channel_id, fence, event);
CREATE INDEX events_by_channel ON events (workspace_id, channel_id, seq);
-- Successes are most of what happens: the feed itself serves them.
CREATE INDEX events_by_name ON events (workspace_id, event, seq) WHERE event <> 'delivery.succeeded';
