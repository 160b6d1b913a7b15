-- Who made a post, or changed it last: what its deliveries come to is told as theirs.

ALTER TABLE posts ADD COLUMN author TEXT;      -- JSON: kind, id and name as it was then; NULL: from before this was kept
