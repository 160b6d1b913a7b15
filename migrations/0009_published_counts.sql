-- How much was published for a workspace on a day, counted whenever 32 places of its feed are full: a delivery that goes live
-- writes no count of its own. What stands in the feed since the last full 32 is counted by who reads (src/store/metrics.ts).
CREATE TABLE published_counts (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,                  -- of the events, in UTC days since 1970
  counts TEXT NOT NULL,                  -- JSON object by platform
  PRIMARY KEY (workspace_id, day)
) WITHOUT ROWID;

-- Whoever writes the event. The first event of the next 32 counts those before it: a place may stay empty, also the last one.
CREATE TRIGGER events_counted AFTER INSERT ON events
WHEN NEW.seq / 32 > (SELECT MAX(seq) FROM events WHERE workspace_id = NEW.workspace_id AND seq < NEW.seq) / 32 BEGIN
  INSERT INTO published_counts (workspace_id, day, counts)
  SELECT NEW.workspace_id, day, json_group_object(platform, published) FROM (
    SELECT e.created_at / 86400000 AS day, e.body ->> '$.platform' AS platform, COUNT(*) AS published FROM events e
    WHERE e.workspace_id = NEW.workspace_id AND e.event = 'delivery.succeeded' AND e.seq < NEW.seq / 32 * 32
      AND e.seq >= (SELECT MAX(seq) FROM events WHERE workspace_id = NEW.workspace_id AND seq < NEW.seq) / 32 * 32
    GROUP BY 1, 2)
  WHERE TRUE GROUP BY day
  ON CONFLICT (workspace_id, day) DO UPDATE SET counts = (SELECT json_group_object(key, published) FROM (
    SELECT key, SUM(value) AS published FROM (SELECT key, value FROM json_each(published_counts.counts)
      UNION ALL SELECT key, value FROM json_each(excluded.counts)) GROUP BY key));
END;

-- What `published_days` has counted by now, without what is not counted yet here.
INSERT INTO published_counts (workspace_id, day, counts)
SELECT workspace_id, day, json_group_object(platform, published) FROM (
  SELECT workspace_id, day, platform, SUM(counted) AS published FROM (
    SELECT p.workspace_id, p.day, c.key AS platform, c.value AS counted FROM published_days p CROSS JOIN json_each(p.counts) c
    UNION ALL
    SELECT e.workspace_id, e.created_at / 86400000, e.body ->> '$.platform', -1
    FROM (SELECT id, (SELECT MAX(seq) FROM events WHERE workspace_id = workspaces.id) / 32 * 32 AS since FROM workspaces) w
      CROSS JOIN events e
    WHERE e.workspace_id = w.id AND e.seq >= w.since AND e.event = 'delivery.succeeded')
  GROUP BY 1, 2, 3 HAVING SUM(counted) > 0)
GROUP BY 1, 2;
