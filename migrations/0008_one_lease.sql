-- A delivery is held by the lease of its channel alone; what is due is found by the time of its post.
ALTER TABLE deliveries DROP COLUMN lease_holder;
ALTER TABLE deliveries DROP COLUMN lease_until;
DROP INDEX deliveries_due;
CREATE INDEX posts_by_time ON posts (due_at) WHERE status = 'scheduled';
