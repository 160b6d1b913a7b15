-- Labels of posts, and of how many posts each is. The count is written with the post, whoever writes that.

ALTER TABLE posts ADD COLUMN labels TEXT NOT NULL DEFAULT '[]';  -- JSON array of texts, as they were given

CREATE TABLE labels (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  posts INTEGER NOT NULL,                -- drafts too
  PRIMARY KEY (workspace_id, name)
) WITHOUT ROWID;

CREATE TRIGGER posts_labelled AFTER INSERT ON posts WHEN NEW.labels <> '[]' BEGIN
  INSERT INTO labels (workspace_id, name, posts) SELECT NEW.workspace_id, value, 1 FROM json_each(NEW.labels) WHERE TRUE
    ON CONFLICT (workspace_id, name) DO UPDATE SET posts = labels.posts + 1;
END;

CREATE TRIGGER posts_relabelled AFTER UPDATE OF labels ON posts WHEN NEW.labels <> OLD.labels BEGIN
  INSERT INTO labels (workspace_id, name, posts) SELECT NEW.workspace_id, value, 1 FROM json_each(NEW.labels)
    WHERE value NOT IN (SELECT value FROM json_each(OLD.labels))
    ON CONFLICT (workspace_id, name) DO UPDATE SET posts = labels.posts + 1;
  UPDATE labels SET posts = posts - 1 WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels))
    AND name NOT IN (SELECT value FROM json_each(NEW.labels));
  DELETE FROM labels WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels)) AND posts <= 0;
END;

CREATE TRIGGER posts_unlabelled AFTER DELETE ON posts WHEN OLD.labels <> '[]' BEGIN
  UPDATE labels SET posts = posts - 1 WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels));
  DELETE FROM labels WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels)) AND posts <= 0;
END;
