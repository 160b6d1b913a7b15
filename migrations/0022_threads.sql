-- Threads: further parts of a post, each published as a reply to the one before.

ALTER TABLE posts ADD COLUMN thread TEXT;      -- JSON array of texts with their files, in publish order; NULL: none
ALTER TABLE deliveries ADD COLUMN parts TEXT;  -- JSON array of the parts that are out, the post itself first; NULL: none, or no thread
