-- The weekly times of a workspace at which posts may be published that ask for the next free one. Which of them are taken is
-- what its posts say: nothing is kept of that here.

CREATE TABLE slots (
  workspace_id TEXT NOT NULL PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  slots TEXT NOT NULL                    -- JSON array of { weekday, time, channels }, in the order of the week
) WITHOUT ROWID;
