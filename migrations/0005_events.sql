-- The outbox: events, webhooks, and what each webhook still has to hear.

CREATE TABLE events (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,                  -- commit order in its workspace: a reader that remembers it skips and repeats nothing
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  post_id TEXT,
  channel_id TEXT NOT NULL,
  dedupe_key INTEGER NOT NULL,           -- the fencing token of the delivery; an instant for channel events
  body TEXT NOT NULL,                    -- JSON, serialised once, sent byte for byte
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, seq)
) WITHOUT ROWID;
-- Successes are most of what happens: the feed itself serves them.
CREATE INDEX events_by_name ON events (workspace_id, event, seq) WHERE event <> 'delivery.succeeded';
CREATE UNIQUE INDEX events_once ON events (workspace_id, post_id, channel_id, dedupe_key, event) WHERE event <> 'delivery.succeeded';

CREATE TABLE webhooks (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,                  -- JSON array of event names
  secret TEXT NOT NULL,                  -- sealed
  previous_secrets TEXT NOT NULL DEFAULT '[]', -- JSON: sealed secrets with the instant until which they still sign
  failing_since INTEGER,
  disabled_at INTEGER,
  disabled_reason TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

-- One event for one endpoint, until it is heard or given up.
CREATE TABLE webhook_messages (
  workspace_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_seq INTEGER NOT NULL,
  state TEXT NOT NULL,                   -- pending | delivered | exhausted | skipped
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,              -- the next attempt, moved ahead by whoever takes it; of one that is done, its end
  PRIMARY KEY (workspace_id, webhook_id, event_id),
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
-- What one endpoint has to hear, in the order in which it is due.
CREATE INDEX webhook_messages_of ON webhook_messages (workspace_id, webhook_id, next_at) WHERE state = 'pending';
CREATE INDEX webhook_messages_done ON webhook_messages (next_at) WHERE state <> 'pending';

CREATE TABLE webhook_attempts (
  workspace_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  response_code INTEGER,
  outcome TEXT NOT NULL,                 -- delivered | refused | timeout | blocked | network_error
  duration_ms INTEGER NOT NULL,
  response TEXT,                         -- first 1 KiB
  attempted_at INTEGER NOT NULL,
  next_attempt_at INTEGER,
  PRIMARY KEY (workspace_id, webhook_id, id),
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX webhook_attempts_old ON webhook_attempts (attempted_at);
