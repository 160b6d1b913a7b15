-- A workspace's channels are published by one object for each lane of sixteen. A delivery is no longer held by a lease of
-- its channel: its version guards it, and the session that wrote it last is named, so that a write whose answer was lost
-- can be asked for again.
ALTER TABLE channels ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
ALTER TABLE channels DROP COLUMN lease_holder;
ALTER TABLE channels DROP COLUMN lease_until;
ALTER TABLE deliveries ADD COLUMN session TEXT;
ALTER TABLE deliveries DROP COLUMN check_until;
ALTER TABLE clearances ADD COLUMN lanes INTEGER NOT NULL DEFAULT 1;
-- A publisher reads its own channels; the sweeper walks all of them in this order, and asks of each whether something is
-- overdue.
CREATE INDEX channels_by_lane ON channels (workspace_id, lane);
-- Endpoints with overdue messages are found endpoint by endpoint: a row less to write for each message.
DROP INDEX webhook_messages_due;
-- The events of one channel are looked through in the feed itself: a row less to write for each event.
DROP INDEX events_by_channel;
