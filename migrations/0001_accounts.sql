-- Users, sessions, reset links, workspaces, members, keys. Instants are epoch milliseconds in every table.

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,            -- as normalised at sign-up; what look-ups compare
  name TEXT,
  password_hash TEXT,                    -- PHC string; NULL for accounts that only sign in through a provider
  email_verified_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the token, hex
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  id TEXT,                               -- what lists show; opens nothing
  user_agent TEXT                        -- in short: "Firefox on Linux"
) WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

CREATE TABLE reset_links (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  used_by TEXT                           -- hash of the session that the use began
) WITHOUT ROWID;
CREATE INDEX reset_links_by_user ON reset_links (user_id);

-- A mailed link: whoever has it, and a session of the user, proves the address; another than the account's takes its place.
CREATE TABLE address_links (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the token, hex
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX address_links_by_user ON address_links (user_id);

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  plan_status TEXT NOT NULL DEFAULT 'active',
  timezone TEXT NOT NULL DEFAULT 'UTC',
  staged_bytes INTEGER NOT NULL DEFAULT 0,  -- sum over media in state awaiting_upload or ready
  created_at INTEGER NOT NULL,
  drafts INTEGER NOT NULL DEFAULT 0,     -- how many
  draft_bytes INTEGER NOT NULL DEFAULT 0 -- what was written in them, as JSON in UTF-8
) WITHOUT ROWID;

CREATE TABLE members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL,                    -- viewer | author | publisher | owner
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id);

-- Who is asked to join a workspace. Nobody is a member before they have accepted.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  email TEXT NOT NULL,                   -- as normalised at sign-up
  role TEXT NOT NULL,                    -- viewer | author | publisher | owner
  invited_by TEXT NOT NULL,              -- it goes with their membership
  token_hash TEXT UNIQUE,                -- SHA-256 of the mailed link's token, hex; NULL before the mail
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (workspace_id, email),
  FOREIGN KEY (workspace_id, invited_by) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_inviter ON invitations (workspace_id, invited_by);
CREATE INDEX invitations_expiring ON invitations (expires_at);

-- A revoked key keeps its row, so that a caller learns why it stopped working.
CREATE TABLE workspace_keys (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,             -- SHA-256 of the key, hex: how a call finds its workspace
  sealed TEXT,                           -- for reveal; NULL once revoked
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX workspace_keys_current ON workspace_keys (workspace_id) WHERE revoked_at IS NULL;

CREATE TABLE audit (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT,
  act TEXT NOT NULL,
  key_id TEXT,                           -- the key that somebody was shown
  PRIMARY KEY (workspace_id, at, id)
) WITHOUT ROWID;

-- States of the sign-in provider that have come back: each is taken once.
CREATE TABLE used_states (
  id TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX used_states_expiring ON used_states (expires_at);

-- Erased workspaces whose files and clock are still to be cleared; written with the erasure, so that no crash loses it.
CREATE TABLE clearances (
  workspace_id TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  lanes INTEGER NOT NULL DEFAULT 1,      -- publishers that it had
  next_at INTEGER NOT NULL DEFAULT 0     -- at once (0), and once more when no upload to it can arrive any more
) WITHOUT ROWID;
CREATE INDEX clearances_due ON clearances (next_at);
