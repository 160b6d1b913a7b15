// Bugs in the steps from one part of a thread to the next.
import { and, eq } from "drizzle-orm";
import { threadParts } from "../../../src/store/db/schema.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const thread = into<typeof import("../../../src/domain/delivery/thread.ts")>("src/domain/delivery/thread.ts");
const publication = into<typeof import("../../../src/delivery/publication.ts")>("src/delivery/publication.ts");
const reconciling = into<typeof import("../../../src/delivery/reconcile.ts")>("src/delivery/reconcile.ts");
const stopping = into<typeof import("../../../src/store/deliveries/stop-unsent.ts")>(
  "src/store/deliveries/stop-unsent.ts",
);
const writing = into<typeof import("../../../src/store/deliveries/write.ts")>("src/store/deliveries/write.ts");

const THREADED = ["x", "bluesky", "threads"];

export const OF_THREADS: Mutants = {
  "a thread that is retried begins at its first part": {
    scenarios: "its owner retries it",
    isFull: true,
    only: THREADED,
    injections: [
      stopping("retryFailed", (retry) => async (db, key, confirmed) => {
        const isRetried = await retry(db, key, confirmed);
        const { workspaceId, postId, channelId } = key;
        const its = and(
          eq(threadParts.workspaceId, workspaceId),
          eq(threadParts.postId, postId),
          eq(threadParts.channelId, channelId),
        );
        // A fault may strike this statement, which the correct code does not have: then nothing is planted.
        if (isRetried) await db.batch([db.delete(threadParts).where(its)]).catch(() => {});
        return isRetried;
      }),
    ],
  },
  "each part of a thread replies to the first": {
    isFull: true,
    only: THREADED,
    injections: [
      publication("buildPublication", (of) => async (...input) => {
        const made = await of(...input);
        if ("is" in made || made.replyTo === undefined) return made;
        return { ...made, replyTo: { ...made.replyTo, parent: made.replyTo.root } };
      }),
    ],
  },
  "a part goes out while nobody knows of the one before it": {
    isFull: true,
    only: THREADED,
    injections: [
      thread("decideThreadStep", (step) => (decision, threadPosition, state, now) => {
        if (decision.state !== "reconciling" || threadPosition.position >= threadPosition.last)
          return step(decision, threadPosition, state, now);
        const live = { id: "1", url: null, urlState: "pending" } as const;
        return step({ ...decision, live }, threadPosition, state, now);
      }),
    ],
  },
  "a thread is live after its first part": {
    isFull: true,
    only: THREADED,
    injections: [
      thread("decideThreadStep", (step) => (decision, threadPosition, state, now) => {
        return step(decision, { ...threadPosition, last: threadPosition.position }, state, now);
      }),
    ],
  },
  "a part whose answer was lost is not looked for": {
    isFull: true,
    only: ["bluesky", "threads"],
    injections: [
      reconciling("reconcile", (reconcile) => async (connection) => {
        const { session } = connection;
        if (session.threadPosition.position === 0) return reconcile(connection);
        return session.decideReconciled({ is: "unknown", detail: "?", final: true });
      }),
    ],
  },
  "the proof that a part is out is not kept": {
    isFull: true,
    only: THREADED,
    injections: [
      writing("writeDeliveries", (write) => (db, records, intents) => {
        const forgotten = records.map(({ threadPart: _, ...rest }) => rest);
        return write(db, forgotten, intents);
      }),
    ],
  },
  "a part goes out under the publish key of the one before it": {
    isFull: true,
    only: THREADED,
    injections: [
      thread("decideThreadStep", (step) => (...input) => {
        const next = step(...input);
        if (next?.move !== "part_live") return next;
        const { publishKey: _, ...decision } = next.decision;
        return { ...next, decision };
      }),
    ],
  },
};
