-- Which credential a channel has, whatever key has sealed it: a renewal replaces the credential that it renewed, and no other.

ALTER TABLE channels ADD COLUMN credential_id TEXT NOT NULL DEFAULT '';
