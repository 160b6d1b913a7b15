-- Who did what to whom, and from where (src/domain/audit.ts). `audit` has the acts whose rows belong to the accounts: people, roles,
-- keys, applications, settings, sign-ins. Its `user_id` and `key_id` say who was shown the key that stands, and are NULL otherwise.
-- `workspace_audit` has the acts whose rows move with their workspace: channels, webhooks, slots, approvals, take-downs.
ALTER TABLE audit ADD COLUMN actor_kind TEXT NOT NULL DEFAULT 'person';
ALTER TABLE audit ADD COLUMN actor_id TEXT;
ALTER TABLE audit ADD COLUMN actor_name TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN target_id TEXT;
ALTER TABLE audit ADD COLUMN target_name TEXT;
ALTER TABLE audit ADD COLUMN address TEXT;
ALTER TABLE audit ADD COLUMN client TEXT;
ALTER TABLE audit ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
CREATE INDEX audit_forgotten ON audit (at) WHERE key_id IS NULL;

CREATE TABLE workspace_audit (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  act TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  target_id TEXT,
  target_name TEXT,
  address TEXT,
  client TEXT,
  details TEXT NOT NULL,
  PRIMARY KEY (workspace_id, at, id)
) WITHOUT ROWID;
CREATE INDEX workspace_audit_forgotten ON workspace_audit (at);
