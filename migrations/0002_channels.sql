-- Channels with their sealed credentials; demand for request-only connectors.

CREATE TABLE channels (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  platform TEXT NOT NULL,
  handle TEXT NOT NULL,
  account_id TEXT,                       -- the network's lasting id of the account
  name TEXT,
  avatar_url TEXT,
  profile_url TEXT,
  credential TEXT,                       -- sealed; NULL = not connected
  token_expires_at INTEGER,              -- when a person is needed; NULL = renews itself or never expires
  renew_at INTEGER,                      -- when the credential is renewed though nothing is published; NULL = never
  warn_at INTEGER,                       -- when its owner is next warned that the access ends; NULL = never
  lost_reason TEXT,                      -- why the credential was given up (token_expired, token_revoked, ...)
  not_before INTEGER,                    -- the network asked not to be called before this
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  removed_at INTEGER,                    -- disconnected by its owner; the row stays for its posts' history
  lane INTEGER NOT NULL DEFAULT 0,       -- the publisher that works it, with fifteen others
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX channels_to_renew ON channels (renew_at) WHERE renew_at IS NOT NULL;
CREATE INDEX channels_to_warn ON channels (warn_at) WHERE warn_at IS NOT NULL;
CREATE UNIQUE INDEX channels_by_handle ON channels (workspace_id, platform, handle);
-- A publisher reads its own channels; the sweeper walks all of them in this order, and asks of each whether something is
-- overdue.
CREATE INDEX channels_by_lane ON channels (workspace_id, lane);

CREATE TABLE connector_requests (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, platform)
) WITHOUT ROWID;

-- Links by which a person connects an account. None of the secrets stands here: hashes, and sealed values.
CREATE TABLE connect_links (
  id TEXT PRIMARY KEY,                   -- SHA-256 of the link's token
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  return_to TEXT,
  verifier TEXT NOT NULL,                -- sealed: the PKCE verifier
  state_hash TEXT,                       -- SHA-256 of the state at the network; NULL = not opened yet
  browser_hash TEXT,                     -- SHA-256 of the cookie of the browser that opened it
  answered_at INTEGER,                   -- the network's redirect came back; it counts once
  granted TEXT,                          -- sealed: the accounts to choose from
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX connect_links_by_state ON connect_links (state_hash) WHERE state_hash IS NOT NULL;
CREATE INDEX connect_links_by_expiry ON connect_links (expires_at);
CREATE INDEX connect_links_by_workspace ON connect_links (workspace_id);
