// Bugs in additions, which are made once a post is live.
import { and, eq, ne } from "drizzle-orm";
import type { FollowUpKind } from "../../../src/domain/delivery/follow-up-moves.ts";
import { followUps } from "../../../src/store/db/schema.ts";
import type { DeliveryKey } from "../../../src/store/deliveries/delivery-key.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const MINUTE = 60_000;
const domain = into<typeof import("../../../src/domain/delivery/follow-up.ts")>("src/domain/delivery/follow-up.ts");
const store = into<typeof import("../../../src/store/deliveries/follow-up-rows.ts")>(
  "src/store/deliveries/follow-up-rows.ts",
);
const isAddition = (kind: FollowUpKind) => kind !== "first_comment";
const youtube = into<typeof import("../../../src/networks/youtube/additions.ts")>("src/networks/youtube/additions.ts");
const facebook = into<typeof import("../../../src/networks/facebook/additions.ts")>(
  "src/networks/facebook/additions.ts",
);
const isOfDelivery = ({ workspaceId, postId, channelId }: DeliveryKey) =>
  and(eq(followUps.workspaceId, workspaceId), eq(followUps.postId, postId), eq(followUps.channelId, channelId));
const only = ["youtube", "facebook"];

export const OF_ADDITIONS: Mutants = {
  "the intent to make an addition is not written": {
    isFull: true,
    only,
    injections: [
      store("writeFollowUpIntent", (write) => async (db, key, kind) => isAddition(kind) || write(db, key, kind)),
    ],
  },
  "an addition is begun while its post is taken down": {
    scenarios: "taken down before its playlist gets it",
    injections: [
      store("writeFollowUpIntent", () => async (db, key, kind) => {
        const rows = await db
          .update(followUps)
          .set({ state: "sending" })
          .where(and(isOfDelivery(key), eq(followUps.kind, kind), eq(followUps.state, "due")))
          .returning({ kind: followUps.kind });
        return rows.length === 1;
      }),
    ],
  },
  "an addition without an answer is made again": {
    isFull: true,
    only,
    injections: [
      domain("decideOptionWork", (decide) => (answer, work, now) => {
        const outcome = decide(answer, work, now);
        return isAddition(work.kind) && outcome.move === "lost" && work.tries < 3
          ? { ...outcome, move: "put_off", nextAt: now + MINUTE }
          : outcome;
      }),
    ],
  },
  "an addition that is put off loses the others": {
    isFull: true,
    scenarios: "put off once each",
    only: ["youtube"],
    injections: [
      store("recordFollowUp", (record) => async (db, key, stored, outcome, dueAt) => {
        await record(db, key, stored, outcome, dueAt);
        if (outcome.move === "put_off")
          await db.delete(followUps).where(and(isOfDelivery(key), ne(followUps.kind, stored.kind)));
      }),
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
    injections: [
      domain("requestedFollowUps", (request) => (offered, override) => {
        return request(offered, override).filter((kind) => !isAddition(kind));
      }),
    ],
  },
  "the outcome of an addition is not recorded": {
    isFull: true,
    only,
    injections: [
      store("recordFollowUp", (record) => async (db, key, stored, ...rest) => {
        if (!isAddition(stored.kind)) await record(db, key, stored, ...rest);
      }),
    ],
  },
  "an addition that was refused is said to be done": {
    isFull: true,
    only,
    injections: [
      domain("decideOptionWork", (decide) => (answer, work, now) => {
        return decide(isAddition(work.kind) && answer.is === "retryable" ? { is: "added" } : answer, work, now);
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
