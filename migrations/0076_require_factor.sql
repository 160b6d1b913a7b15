-- Whether a workspace asks its members for a second factor (src/operations/caller.ts).

ALTER TABLE workspaces ADD COLUMN require_factor INTEGER NOT NULL DEFAULT 0;
