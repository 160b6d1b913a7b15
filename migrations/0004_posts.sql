-- Posts, deliveries, idempotency keys, monthly use.

CREATE TABLE posts (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  status TEXT NOT NULL,                  -- draft, or what its deliveries say; `queued` and `publishing` are `scheduled` here
  revision INTEGER NOT NULL DEFAULT 1,   -- bumped by every edit
  edited_by TEXT,                        -- the last edit's own mark: two edits of one revision cannot take each other's place
  text TEXT NOT NULL,
  media TEXT NOT NULL,                   -- JSON array of ids, in publish order
  channels TEXT NOT NULL,                -- JSON array of ids
  overrides TEXT NOT NULL,               -- JSON object by channel id
  post_type TEXT,
  metadata TEXT NOT NULL,                -- JSON object, the caller's own
  publish_at INTEGER,                    -- as asked for; NULL = at once, or on release
  due_at INTEGER,                        -- the promise: publish_at, or the instant of release; NULL for a draft
  timezone TEXT NOT NULL,                -- the workspace's zone when publish_at was read
  idempotency_key TEXT,                  -- the key it was made with
  counted_month TEXT,                    -- the month (YYYY-MM) whose allowance holds this post
  cancelled_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER,
  draft_bytes INTEGER NOT NULL DEFAULT 0, -- what was written in it; 0: it is no draft
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX posts_by_status ON posts (workspace_id, status, id);
CREATE INDEX posts_due ON posts (workspace_id, due_at) WHERE status = 'scheduled';
CREATE INDEX posts_by_time ON posts (due_at) WHERE status = 'scheduled';

CREATE TABLE deliveries (
  workspace_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  id TEXT NOT NULL,
  platform TEXT NOT NULL,
  position INTEGER NOT NULL,             -- in the post's list of channels
  state TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,    -- bumped by every write
  fencing_token INTEGER NOT NULL DEFAULT 0, -- bumped by every claim
  scheduled_for INTEGER,
  next_at INTEGER,                       -- when it is worked next; NULL = never (a draft, or ended)
  attempts INTEGER NOT NULL DEFAULT 0,   -- times an irrevocable call was begun
  sends TEXT NOT NULL DEFAULT '[]',      -- JSON array of them, each written before its call: fencing_token, payload_hash, sent_at;
                                         -- and unless it went live, when it was answered and what followed: one without an
                                         -- answer is a call that may have been carried out
  retries INTEGER NOT NULL DEFAULT 0,    -- places used in the retry table
  has_open_send INTEGER NOT NULL DEFAULT 0, -- an attempt may have been carried out
  publish_key TEXT,                   -- sealed JSON: the handle under which the network knows this delivery
  sent_at INTEGER,
  net_post_id TEXT,
  url TEXT,
  url_state TEXT NOT NULL DEFAULT 'none',
  error TEXT,
  detail TEXT,                           -- what the network said
  started_at INTEGER,
  published_at INTEGER,
  checked_at INTEGER,
  comment_state TEXT,                    -- of the first comment, where one was asked for: due | sending | posted | failed | unknown
  comment_tries INTEGER NOT NULL DEFAULT 0,
  comment_key TEXT,                   -- sealed JSON: the first comment, ready to be published
  check_at INTEGER,                      -- when it is verified again
  missing_since INTEGER,                 -- the first of the verifications in a row that did not find it
  session TEXT,                          -- the delivery session that wrote the row last
  success_seq INTEGER,                   -- the place of its success in the events of its workspace
  PRIMARY KEY (workspace_id, post_id, channel_id),
  FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
-- One channel's work, in order.
CREATE INDEX deliveries_work ON deliveries (workspace_id, channel_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_to_check ON deliveries (check_at) WHERE check_at IS NOT NULL;

CREATE TABLE idempotency_keys (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  post_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,             -- SHA-256 of the canonical body
  created_at INTEGER NOT NULL,
  expires_at INTEGER,                    -- NULL while the post exists; a discarded post leaves a tombstone
  PRIMARY KEY (workspace_id, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_expiring ON idempotency_keys (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE usage_months (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  month TEXT NOT NULL,                   -- YYYY-MM, UTC
  posts INTEGER NOT NULL,
  given_back INTEGER NOT NULL DEFAULT 0, -- posts that were cancelled before they started
  PRIMARY KEY (workspace_id, month)
) WITHOUT ROWID;
