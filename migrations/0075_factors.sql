-- Second factors of accounts (src/operations/factors). A factor without `confirmed_at` is being set up and counts for nothing.

CREATE TABLE factors (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,                    -- totp | passkey
  name TEXT NOT NULL,
  secret TEXT,                           -- totp: sealed; passkey: its challenge, until it is confirmed
  credential_id TEXT UNIQUE,             -- passkey: as browsers name it, base64url
  public_key TEXT,                       -- passkey: COSE, base64url
  transports TEXT,                       -- passkey: JSON
  counter INTEGER NOT NULL DEFAULT 0,    -- totp: the last time step whose code was accepted; passkey: its signature counter
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX factors_by_user ON factors (user_id);

-- A recovery code works once: using it deletes its row.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,                    -- SHA-256, hex
  PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;

-- A person has proven something else and is to show a factor.
CREATE TABLE factor_challenges (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the challenge, hex
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  session_hash TEXT,                     -- of the session that shows it; NULL: a sign-in
  expires_at INTEGER NOT NULL,
  used_by TEXT                           -- a mark of the one use
) WITHOUT ROWID;
CREATE INDEX factor_challenges_by_user ON factor_challenges (user_id);
CREATE INDEX factor_challenges_expiring ON factor_challenges (expires_at);

-- When the person showed a factor for the session's next protected call; NULL: not since the last one.
ALTER TABLE sessions ADD COLUMN factor_shown_at INTEGER;
