// Bugs in the event feed that readers with a cursor notice.
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";
import { without } from "./restores.ts";

const events = into<typeof import("../../../src/store/events.ts")>("src/store/events.ts");

export const OF_READERS: Mutants = {
  "after a restore, events get the numbers of those that were taken back": {
    ...without("workspaces number their next events"),
    scenarios: "readers of the feed",
  },
  "a page of the feed begins with the last event of the page before": {
    scenarios: "readers of the feed",
    injections: [
      events("listEvents", (list) => (db, workspaceId, filter) => {
        const isLater = filter.order === "oldest" && filter.after !== null && filter.after > 0;
        return list(db, workspaceId, isLater ? { ...filter, after: (filter.after ?? 1) - 1 } : filter);
      }),
    ],
  },
  "a full page of the feed leaves out one of several events": {
    scenarios: "readers of the feed",
    injections: [
      events("listEvents", (list) => async (db, workspaceId, filter) => {
        const page = await list(db, workspaceId, filter);
        return { ...page, events: page.events.length < 3 ? page.events : page.events.toSpliced(1, 1) };
      }),
    ],
  },
};
