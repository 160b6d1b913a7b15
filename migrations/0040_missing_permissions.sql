-- Optional permissions that the owner of an account did not grant, so that what does not work there can be said.

ALTER TABLE channels ADD COLUMN missing_permissions TEXT;  -- JSON: a list of the network's names; NULL: nobody said
