-- Where the event feed of a workspace goes on after its database was set back to an earlier minute: readers may remember places
-- that it does not know any more, and must find what happens next behind them.

ALTER TABLE workspaces ADD COLUMN feed_from INTEGER NOT NULL DEFAULT 0;  -- the next event gets a place above this
