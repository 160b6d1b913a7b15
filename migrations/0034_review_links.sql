-- Links by which one person without an account approves or declines a post that waits, at the revision that stood then.

CREATE TABLE review_links (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the link's token, hex; the token itself is stored nowhere
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  post_id TEXT NOT NULL,
  rev INTEGER NOT NULL,
  created_by TEXT NOT NULL,              -- a user or a key: while they may not decide, the link is none
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
-- One for a post: the next one takes its place.
CREATE UNIQUE INDEX review_links_by_post ON review_links (workspace_id, post_id);
CREATE INDEX review_links_by_expiry ON review_links (expires_at);
