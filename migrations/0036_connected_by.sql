-- Who connected a channel, or connected it again: a user or a key. Its name is looked up when it is read, so it ends with them.

ALTER TABLE channels ADD COLUMN connected_by TEXT;     -- NULL: from before this was kept
ALTER TABLE connect_links ADD COLUMN made_by TEXT;     -- who connects with it; NULL: from before this was kept
