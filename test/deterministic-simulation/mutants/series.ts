// Bugs in repeating posts, and in the times that single channels have of their own.
import { withoutOwnTimes } from "../../../src/domain/posts/own-time.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const repeats = into<typeof import("../../../src/store/posts/repeats.ts")>("src/store/posts/repeats.ts");
const posts = into<typeof import("../../../src/store/posts/new-post.ts")>("src/store/posts/new-post.ts");
const edits = into<typeof import("../../../src/store/posts/edits.ts")>("src/store/posts/edits.ts");

export const OF_SERIES: Mutants = {
  "the next one is made twice": {
    scenarios: "a post repeats on three days",
    injections: [
      posts("insertPost", (insert) => async (db, next) => {
        const made = await insert(db, next);
        if (next.follows === null || made === undefined) return made;
        const again = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
        const deliveries = next.deliveries.map((delivery) => ({ ...delivery, id: again(delivery.id) }));
        // A fault may strike this statement, which the correct code does not have.
        const twice = { ...next, follows: null, deliveries, post: { ...next.post, id: again(next.post.id) } };
        await insert(db, twice).catch(() => {});
        return made;
      }),
    ],
  },
  "a stopped repeat goes on": {
    scenarios: "a series is stopped",
    injections: [repeats("stopSeries", () => async () => true)],
  },
  "a channel's own time is forgotten by an edit": {
    scenarios: "posts with a time of its own",
    injections: [
      edits(
        "editPost",
        (edit) => (db, input) =>
          edit(db, {
            ...input,
            fields: { ...input.fields, overrides: withoutOwnTimes(input.fields.overrides) },
            deliveries: input.deliveries.map((delivery) => ({ ...delivery, at: null })),
          }),
      ),
    ],
  },
};
