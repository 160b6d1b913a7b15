-- Programs that people let in at the MCP address: who they say they are, what each was given, and its tokens.

-- Those that registered here. One that describes itself at an address of its own has no row.
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT,
  redirect_uris TEXT NOT NULL,           -- JSON
  auth_method TEXT NOT NULL,             -- none | client_secret_post | client_secret_basic
  secret_hash TEXT,                      -- SHA-256, hex; NULL: a public client
  created_at INTEGER NOT NULL,
  used_at INTEGER                        -- when somebody last let it in or it was given tokens
) WITHOUT ROWID;
CREATE INDEX oauth_clients_used ON oauth_clients (used_at);
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL;

-- A member's consent: one program, in one workspace. It goes with the membership.
CREATE TABLE oauth_grants (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  client_id TEXT NOT NULL,               -- of oauth_clients, or the address of the client's description
  client_name TEXT NOT NULL,             -- as the person saw it
  client_url TEXT,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL,                  -- JSON
  resource TEXT NOT NULL,                -- the only address at which its tokens work
  code_challenge TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER NOT NULL,           -- of the code at first; moved by every exchange
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_expiring ON oauth_grants (expires_at);
CREATE TRIGGER oauth_grants_ended AFTER DELETE ON oauth_grants BEGIN
  INSERT OR IGNORE INTO oauth_endings (grant_id, since) VALUES (OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

CREATE TABLE oauth_tokens (
  hash TEXT PRIMARY KEY,                 -- SHA-256 of the token, hex
  kind TEXT NOT NULL,                    -- code | access | refresh
  workspace_id TEXT NOT NULL,
  grant_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,                       -- of a code or a refresh token: when it was first exchanged
  used_by TEXT,                          -- hash of the access token that it was last exchanged for
  FOREIGN KEY (workspace_id, grant_id) REFERENCES oauth_grants (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (workspace_id, grant_id);
CREATE INDEX oauth_tokens_expiring ON oauth_tokens (expires_at);

-- Grants that have ended, whatever ended them, and whose MCP connection is still to be closed.
CREATE TABLE oauth_endings (
  grant_id TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) WITHOUT ROWID;
