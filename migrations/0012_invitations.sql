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
-- members.role is viewer | author | publisher | owner; `member`, from before there were roles, is read as publisher.
