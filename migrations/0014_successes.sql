-- A success is written once by its own transition and found by its place, so the index that keeps other events single need
-- not hold it: a row less for each delivery.
ALTER TABLE deliveries ADD COLUMN success_seq INTEGER; -- the place of its success in the events of its workspace
UPDATE deliveries SET success_seq = (SELECT e.seq FROM events e WHERE e.workspace_id = deliveries.workspace_id
  AND e.post_id = deliveries.post_id AND e.channel_id = deliveries.channel_id AND e.event = 'delivery.succeeded')
  WHERE state IN ('live', 'removed');
DROP INDEX events_once;
CREATE UNIQUE INDEX events_once ON events (workspace_id, post_id, channel_id, dedupe_key, event) WHERE event <> 'delivery.succeeded';
