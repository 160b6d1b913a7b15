-- Files as a network accepts them (src/domain/posts/adapt-image.ts). `sent_files` of a post: what goes out on each channel, as it was
-- judged; NULL where every file goes out as it is.
ALTER TABLE posts ADD COLUMN media_fit TEXT NOT NULL DEFAULT 'exact';
ALTER TABLE posts ADD COLUMN sent_files TEXT;
ALTER TABLE workspaces ADD COLUMN media_fit TEXT NOT NULL DEFAULT 'exact';

-- Converted copies of images. Channels whose networks need the same conversion share one. They go with their file.
CREATE TABLE media_copies (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  media_id TEXT NOT NULL,
  conversion TEXT NOT NULL,              -- the content that it was made of, and what was asked for
  object_key TEXT NOT NULL,
  etag TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  adapted TEXT NOT NULL,                 -- what is other than in the original, as JSON
  PRIMARY KEY (workspace_id, media_id, conversion)
) WITHOUT ROWID;

CREATE TRIGGER posts_sent_files_json_inserted BEFORE INSERT ON posts
WHEN json_type(NEW.sent_files) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER posts_sent_files_json_updated BEFORE UPDATE OF sent_files ON posts
WHEN json_type(NEW.sent_files) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER media_copies_adapted_json_inserted BEFORE INSERT ON media_copies
WHEN json_type(NEW.adapted) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;

CREATE TRIGGER media_copies_adapted_json_updated BEFORE UPDATE OF adapted ON media_copies
WHEN json_type(NEW.adapted) <> 'array'
BEGIN
  SELECT RAISE(ABORT, 'JSON of another kind');
END;
