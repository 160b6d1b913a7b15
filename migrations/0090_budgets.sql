-- What a month may cost at networks that charge, in millionths of a US dollar; NULL: no limit.
ALTER TABLE workspaces ADD COLUMN budget INTEGER;
ALTER TABLE named_keys ADD COLUMN budget INTEGER;

-- What a post counts in its month (`counted_month`), and the key that scheduled it or changed it last; NULL: no key did.
ALTER TABLE posts ADD COLUMN counted_cost INTEGER NOT NULL DEFAULT 0;
ALTER TABLE posts ADD COLUMN counted_key TEXT;

-- What the posts of a month cost. Triggers count, whoever schedules, changes or cancels a post.
CREATE TABLE spending (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  month TEXT NOT NULL,
  key_id TEXT NOT NULL,                  -- '': all posts of the workspace
  cost INTEGER NOT NULL,                 -- millionths of a US dollar
  PRIMARY KEY (workspace_id, month, key_id)
) WITHOUT ROWID;

CREATE TRIGGER posts_spent AFTER INSERT ON posts WHEN NEW.counted_month IS NOT NULL AND NEW.counted_cost > 0 BEGIN
  INSERT INTO spending (workspace_id, month, key_id, cost)
  SELECT NEW.workspace_id, NEW.counted_month, key_id, NEW.counted_cost
  FROM (SELECT '' AS key_id UNION ALL SELECT NEW.counted_key) WHERE key_id IS NOT NULL
  ON CONFLICT (workspace_id, month, key_id) DO UPDATE SET cost = cost + excluded.cost;
END;

-- A month is seven characters: while a post is given back, its month is marked and counts nothing.
CREATE TRIGGER posts_spent_otherwise AFTER UPDATE OF counted_month, counted_cost, counted_key ON posts
WHEN (OLD.counted_cost > 0 OR NEW.counted_cost > 0)
  AND (OLD.counted_month IS NOT NEW.counted_month OR OLD.counted_cost <> NEW.counted_cost OR OLD.counted_key IS NOT NEW.counted_key)
BEGIN
  UPDATE spending SET cost = cost - OLD.counted_cost
  WHERE workspace_id = OLD.workspace_id AND month = OLD.counted_month AND key_id IN ('', OLD.counted_key);
  INSERT INTO spending (workspace_id, month, key_id, cost)
  SELECT NEW.workspace_id, NEW.counted_month, key_id, NEW.counted_cost
  FROM (SELECT '' AS key_id UNION ALL SELECT NEW.counted_key)
  WHERE key_id IS NOT NULL AND NEW.counted_cost > 0 AND length(NEW.counted_month) = 7
  ON CONFLICT (workspace_id, month, key_id) DO UPDATE SET cost = cost + excluded.cost;
END;

-- The database that has a workspace's rows judges posts there.
CREATE TRIGGER workspaces_budget_changed AFTER UPDATE OF budget ON workspaces WHEN NEW.home <> 0 BEGIN
  INSERT INTO carries (workspace_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET version = version + 1;
END;
