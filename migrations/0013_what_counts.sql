-- A file that is given up counts until nothing can arrive under its address any more and its object is deleted.
ALTER TABLE discarded_objects ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
-- When an erased workspace is cleared next: at once (0), and once more when no upload to it can arrive any more.
ALTER TABLE clearances ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX clearances_due ON clearances (next_at);
-- Drafts count against the plan, by their number and by what was written in them. 0 in a post: it is no draft.
ALTER TABLE posts ADD COLUMN draft_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN drafts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN draft_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE posts SET draft_bytes = length(text) + length(media) + length(channels) + length(overrides) + length(metadata)
  WHERE status = 'draft';
UPDATE workspaces SET (drafts, draft_bytes) =
  (SELECT COUNT(*), COALESCE(SUM(p.draft_bytes), 0) FROM posts p WHERE p.workspace_id = workspaces.id AND p.status = 'draft');
-- How many posts of a month were cancelled and given back to it.
ALTER TABLE usage_months ADD COLUMN given_back INTEGER NOT NULL DEFAULT 0;
