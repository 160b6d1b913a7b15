-- Which key somebody was shown, so that it is known who still has the one that stands.
ALTER TABLE audit ADD COLUMN key_id TEXT;
