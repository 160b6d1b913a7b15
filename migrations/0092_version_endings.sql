-- Versions of networks' APIs that end (src/maintenance/warn-version-ends.ts). Who wants mails of access that ends gets these, too.
ALTER TABLE notification_settings ADD COLUMN version_ending INTEGER NOT NULL DEFAULT 0;
UPDATE notification_settings SET version_ending = token_expiring;

-- One mail for each warning.
CREATE TRIGGER version_endings_noticed AFTER INSERT ON events WHEN NEW.event = 'network.version_ending' BEGIN
  INSERT INTO notices (workspace_id, kind, subject, event_seq, created_at, next_at)
  SELECT NEW.workspace_id, 'version_ending', NEW.id, NEW.seq, now, now
  FROM (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) AS news;
END;
