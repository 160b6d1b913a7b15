-- Posts that wait for somebody's word before they are queued.

-- Who is to be asked: none | authors (what an author or a key with `draft` queues) | all
ALTER TABLE workspaces ADD COLUMN approval TEXT NOT NULL DEFAULT 'none';
-- JSON: state (waiting | approved | declined), by, reason, at, rev; NULL: nobody was asked
ALTER TABLE posts ADD COLUMN approval TEXT;

CREATE TRIGGER workspaces_approval_changed AFTER UPDATE OF approval ON workspaces WHEN NEW.home <> 0 BEGIN
  INSERT INTO carries (workspace_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET version = version + 1;
END;

-- One mail for a post that waits, however often it is edited; another one when it waits again after an answer.
CREATE TRIGGER approvals_noticed AFTER INSERT ON events WHEN NEW.event = 'post.approval_requested' BEGIN
  INSERT INTO notices (workspace_id, kind, subject, event_seq, created_at, next_at)
  SELECT NEW.workspace_id, 'approval_requested', NEW.post_id, NEW.seq, now, now
  FROM (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) AS news
  WHERE NOT EXISTS (SELECT 1 FROM notices AS told WHERE told.workspace_id = NEW.workspace_id
    AND told.kind = 'approval_requested' AND told.subject = NEW.post_id);
END;
CREATE TRIGGER approvals_answered AFTER INSERT ON events WHEN NEW.event IN ('post.approved', 'post.declined') BEGIN
  DELETE FROM notices WHERE workspace_id = NEW.workspace_id AND kind = 'approval_requested' AND subject = NEW.post_id;
END;
