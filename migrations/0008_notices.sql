-- Which mails a member wants; without a row, what their role has as default.
CREATE TABLE notification_settings (
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  delivery_failed INTEGER NOT NULL,
  delivery_at_risk INTEGER NOT NULL,
  token_expiring INTEGER NOT NULL,
  approval_requested INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id),
  FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
) WITHOUT ROWID;

-- What members are to be told by mail, once each: of a post, whatever its deliveries; of a channel, each warning.
CREATE TABLE notices (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,                    -- delivery_failed | delivery_at_risk | token_expiring
  subject TEXT NOT NULL,                 -- id of the post; of a warning, of its event
  event_seq INTEGER NOT NULL,            -- the first event of it
  created_at INTEGER NOT NULL,
  next_at INTEGER,                       -- when it is mailed next, or whoever mails it must be done; NULL: it is over
  attempts INTEGER NOT NULL DEFAULT 0,
  told TEXT NOT NULL DEFAULT '[]',       -- JSON: ids of the members who have their mail
  PRIMARY KEY (workspace_id, kind, subject)
) WITHOUT ROWID;
CREATE INDEX notices_waiting ON notices (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notices_old ON notices (created_at);

-- Written with the event, whoever writes that.
CREATE TRIGGER events_noticed AFTER INSERT ON events
WHEN NEW.event IN ('delivery.failed', 'delivery.at_risk', 'channel.token_expiring') BEGIN
  INSERT INTO notices (workspace_id, kind, subject, event_seq, created_at, next_at)
  SELECT NEW.workspace_id, kind, subject, NEW.seq, now, now FROM (SELECT
    (CASE NEW.event WHEN 'delivery.failed' THEN 'delivery_failed' WHEN 'delivery.at_risk' THEN 'delivery_at_risk'
      ELSE 'token_expiring' END) AS kind,
    COALESCE(NEW.post_id, NEW.id) AS subject,
    CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) AS news
  WHERE NOT EXISTS (SELECT 1 FROM notices AS told WHERE told.workspace_id = NEW.workspace_id
    AND told.kind = news.kind AND told.subject = news.subject);
END;
