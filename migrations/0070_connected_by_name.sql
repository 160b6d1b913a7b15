-- The name of who connected a channel, as it was then: people rename themselves, also after they have left the workspace.

ALTER TABLE channels ADD COLUMN connected_by_name TEXT;     -- NULL: from before this was kept
