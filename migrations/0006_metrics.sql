-- The newest figures of a delivery as its network reported them; NULL = not reported.
CREATE TABLE measurements (
  workspace_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  day INTEGER NOT NULL,                  -- of its publishing, in UTC days since 1970
  measured_at INTEGER NOT NULL,
  views INTEGER,
  reach INTEGER,
  likes INTEGER,
  comments INTEGER,
  shares INTEGER,
  reposts INTEGER,
  quotes INTEGER,
  saves INTEGER,
  clicks INTEGER,
  PRIMARY KEY (workspace_id, post_id, channel_id),
  FOREIGN KEY (workspace_id, post_id, channel_id)
    REFERENCES deliveries (workspace_id, post_id, channel_id) ON DELETE CASCADE
) WITHOUT ROWID;
-- The oldest and the newest measurement behind a day's sum.
CREATE INDEX measurements_by_day ON measurements (workspace_id, platform, day, measured_at);

-- How much was published for a workspace on a day. One row for all networks: a post goes out on several at once.
CREATE TABLE published_days (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,                  -- in UTC days since 1970
  counts TEXT NOT NULL,                  -- JSON object by platform
  PRIMARY KEY (workspace_id, day)
) WITHOUT ROWID;

-- What a network counted of what was published for a workspace on a day: the sum of each figure, and how many reported it.
CREATE TABLE measured_days (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  platform TEXT NOT NULL,
  views_sum INTEGER NOT NULL DEFAULT 0,
  views_count INTEGER NOT NULL DEFAULT 0,
  reach_sum INTEGER NOT NULL DEFAULT 0,
  reach_count INTEGER NOT NULL DEFAULT 0,
  likes_sum INTEGER NOT NULL DEFAULT 0,
  likes_count INTEGER NOT NULL DEFAULT 0,
  comments_sum INTEGER NOT NULL DEFAULT 0,
  comments_count INTEGER NOT NULL DEFAULT 0,
  shares_sum INTEGER NOT NULL DEFAULT 0,
  shares_count INTEGER NOT NULL DEFAULT 0,
  reposts_sum INTEGER NOT NULL DEFAULT 0,
  reposts_count INTEGER NOT NULL DEFAULT 0,
  quotes_sum INTEGER NOT NULL DEFAULT 0,
  quotes_count INTEGER NOT NULL DEFAULT 0,
  saves_sum INTEGER NOT NULL DEFAULT 0,
  saves_count INTEGER NOT NULL DEFAULT 0,
  clicks_sum INTEGER NOT NULL DEFAULT 0,
  clicks_count INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, day, platform)
) WITHOUT ROWID;
