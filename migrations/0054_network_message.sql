-- What a network said, in its own words and cleaned, apart from `detail`, which is Crier's words.

ALTER TABLE deliveries ADD COLUMN network_message TEXT;
