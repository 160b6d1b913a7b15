-- Whether nobody approves a post that they changed last (src/operations/posts/four-eyes.ts).
ALTER TABLE workspaces ADD COLUMN four_eyes INTEGER NOT NULL DEFAULT 0;
-- The user who is the post's author, or for whom the application that is its author acts; NULL: the author is a key.
ALTER TABLE posts ADD COLUMN author_user_id TEXT;

-- The database that has a workspace's rows judges approvals there.
CREATE TRIGGER workspaces_four_eyes_changed AFTER UPDATE OF four_eyes ON workspaces WHEN NEW.home <> 0 BEGIN
  INSERT INTO carries (workspace_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET version = version + 1;
END;
