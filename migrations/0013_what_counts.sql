-- A file that is given up counts until nothing can arrive under its address any more and its object is deleted.
ALTER TABLE discarded_objects ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
-- When an erased workspace is cleared next: at once (0), and once more when no upload to it can arrive any more.
ALTER TABLE clearances ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX clearances_due ON clearances (next_at);
