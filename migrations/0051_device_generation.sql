-- Proofs of a device carry the generation of their account: another generation ends them all (src/operations/accounts/device.ts).

ALTER TABLE users ADD COLUMN device_generation INTEGER NOT NULL DEFAULT 0;
