-- Posts of a status that few have, in the order of their times. A post that is scheduled, goes out and is published is never in it.
CREATE INDEX posts_by_status_due ON posts (workspace_id, status, COALESCE(due_at, publish_at, 9007199254740991), id)
  WHERE status NOT IN ('draft', 'scheduled', 'published');
