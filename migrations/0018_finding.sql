-- What posts are found by, beside their status and their age. Nothing of it changes when a post is published: each of these
-- rows is written once with the post, and again by an edit that moves it.

ALTER TABLE posts ADD COLUMN words TEXT; -- of text, overrides and labels, each once, folded, between spaces; NULL: an earlier release wrote it

-- In the order of their times, and by UTC day, where the newest of several days come together.
CREATE INDEX posts_by_due ON posts (workspace_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX posts_by_day ON posts (workspace_id, due_at / 86400000, id, due_at) WHERE due_at IS NOT NULL;
-- Drafts without a time come last.
CREATE INDEX drafts_by_due ON posts (workspace_id, COALESCE(publish_at, 9007199254740991), id) WHERE status = 'draft';

-- The channels and labels of all posts but drafts.
CREATE TABLE post_terms (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  term TEXT NOT NULL,                    -- id of a channel, or # and a label
  due_at INTEGER NOT NULL,
  post_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, term, due_at, post_id)
) WITHOUT ROWID;
CREATE INDEX post_terms_newest ON post_terms (workspace_id, term, post_id);

INSERT INTO post_terms (workspace_id, term, due_at, post_id)
  SELECT DISTINCT posts.workspace_id, value, posts.due_at, posts.id FROM posts JOIN json_each(posts.channels)
  WHERE posts.due_at IS NOT NULL;

CREATE TRIGGER posts_termed AFTER INSERT ON posts WHEN NEW.due_at IS NOT NULL BEGIN
  INSERT INTO post_terms (workspace_id, term, due_at, post_id)
    SELECT NEW.workspace_id, value, NEW.due_at, NEW.id FROM json_each(NEW.channels)
    UNION SELECT NEW.workspace_id, '#' || value, NEW.due_at, NEW.id FROM json_each(NEW.labels);
END;

CREATE TRIGGER posts_retermed AFTER UPDATE OF due_at, channels, labels ON posts
WHEN NEW.due_at IS NOT OLD.due_at OR NEW.channels <> OLD.channels OR NEW.labels <> OLD.labels BEGIN
  DELETE FROM post_terms WHERE workspace_id = OLD.workspace_id AND due_at = OLD.due_at AND post_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.channels) UNION ALL SELECT '#' || value FROM json_each(OLD.labels));
  INSERT INTO post_terms (workspace_id, term, due_at, post_id)
    SELECT NEW.workspace_id, value, NEW.due_at, NEW.id FROM json_each(NEW.channels) WHERE NEW.due_at IS NOT NULL
    UNION SELECT NEW.workspace_id, '#' || value, NEW.due_at, NEW.id FROM json_each(NEW.labels) WHERE NEW.due_at IS NOT NULL;
END;

CREATE TRIGGER posts_untermed AFTER DELETE ON posts WHEN OLD.due_at IS NOT NULL BEGIN
  DELETE FROM post_terms WHERE workspace_id = OLD.workspace_id AND due_at = OLD.due_at AND post_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.channels) UNION ALL SELECT '#' || value FROM json_each(OLD.labels));
END;
