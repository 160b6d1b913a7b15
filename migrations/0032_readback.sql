-- What a network shows of a live delivery, compared with what was accepted.

ALTER TABLE deliveries ADD COLUMN readback TEXT;  -- JSON { state, altered }; NULL: not compared
