// Bugs in additions: what is done once a post is live, beside its first comment.
import { and, eq } from "drizzle-orm";
import { deliveries } from "../../../src/store/db/schema.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const MINUTE = 60_000;
const domain = into<typeof import("../../../src/domain/delivery/additions.ts")>("src/domain/delivery/additions.ts");
const store = into<typeof import("../../../src/store/deliveries/additions.ts")>("src/store/deliveries/additions.ts");
const youtube = into<typeof import("../../../src/networks/youtube/additions.ts")>("src/networks/youtube/additions.ts");
const facebook = into<typeof import("../../../src/networks/facebook/additions.ts")>(
  "src/networks/facebook/additions.ts",
);
const only = ["youtube", "facebook"];

export const OF_ADDITIONS: Mutants = {
  "the intent to make an addition is not written": {
    isFull: true,
    only,
    injections: [store("writeAdditionIntent", () => async () => true)],
  },
  "an addition is begun while its post is taken down": {
    scenarios: "taken down before its playlist gets it",
    injections: [
      store("writeAdditionIntent", () => async (db, { workspaceId, postId, channelId }, from, sending) => {
        const isIt = [eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, postId)];
        const rows = await db
          .update(deliveries)
          .set({ additions: sending })
          .where(and(...isIt, eq(deliveries.channelId, channelId), eq(deliveries.additions, from)))
          .returning({ id: deliveries.id });
        return rows.length === 1;
      }),
    ],
  },
  "an addition without an answer is made again": {
    isFull: true,
    only,
    injections: [
      domain("settleAddition", (settle) => (answer, name, tries, now) => {
        const settled = settle(answer, name, tries, now);
        return settled.addition.state === "unknown" && tries < 3
          ? { addition: { state: "due", tries: tries + 1 }, nextAt: now + MINUTE }
          : settled;
      }),
    ],
  },
  "an addition that is put off loses the others": {
    isFull: true,
    scenarios: "put off once each",
    only: ["youtube"],
    injections: [
      domain(
        "withAddition",
        (change) => (additions, name, changed) =>
          changed.state === "due" ? { [name]: changed } : change(additions, name, changed),
      ),
    ],
  },
  "an addition whose answer was lost is not looked for": {
    isFull: true,
    only: ["youtube"],
    injections: [
      youtube("additions", ({ playlist, ...others }) => {
        const { isThere: _, ...made } = Object(playlist);
        return { ...others, playlist: made };
      }),
    ],
  },
  "an addition is forgotten": {
    isFull: true,
    only,
    injections: [domain("dueAdditions", () => () => null)],
  },
  "an addition is not settled": {
    isFull: true,
    only,
    injections: [store("settleAdditions", () => async () => {})],
  },
  "an addition that was refused is said to be done": {
    isFull: true,
    only,
    injections: [
      domain("settleAddition", (settle) => (answer, name, tries, now) => {
        return settle(answer.is === "retryable" ? { is: "added" } : answer, name, tries, now);
      }),
    ],
  },
  "a lost thumbnail is said to have failed": {
    isFull: true,
    only: ["facebook"],
    injections: [
      facebook("additions", ({ thumbnail_media: thumbnail, ...others }) => ({
        ...others,
        thumbnail_media: {
          add: async (...call) => {
            const answer = await Object(thumbnail).add(...call);
            return answer.is === "unknown" ? { ...answer, is: "rejected", error: "content_refused" } : answer;
          },
        },
      })),
    ],
  },
};
