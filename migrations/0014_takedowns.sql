-- Taking a live delivery down at its network.

ALTER TABLE deliveries ADD COLUMN takedown_state TEXT;  -- what its owner asked for: due | failed | unknown; NULL: nothing, or it is done
ALTER TABLE deliveries ADD COLUMN takedown_tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN removed_by TEXT;      -- of a removed one: you | network
