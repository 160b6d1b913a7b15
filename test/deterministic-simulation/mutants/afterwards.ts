// Bugs in approval and in follow-ups of a live post: first comments, takedowns and rechecks.
import { and, eq, sql } from "drizzle-orm";
import { mapStatements } from "../../../src/store/db/batch.ts";
import { NOW } from "../../../src/store/db/db.ts";
import { deliveries, followUps as followUpRows } from "../../../src/store/db/schema.ts";
import type { DeliveryKey } from "../../../src/store/deliveries/delivery-key.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const thread = into<typeof import("../../../src/domain/delivery/thread.ts")>("src/domain/delivery/thread.ts");
const takedown = into<typeof import("../../../src/domain/delivery/takedown.ts")>("src/domain/delivery/takedown.ts");
const takedowns = into<typeof import("../../../src/store/deliveries/takedowns.ts")>(
  "src/store/deliveries/takedowns.ts",
);
const followUps = into<typeof import("../../../src/store/deliveries/follow-ups.ts")>(
  "src/store/deliveries/follow-ups.ts",
);
const rechecks = into<typeof import("../../../src/store/deliveries/rechecks.ts")>("src/store/deliveries/rechecks.ts");
const work = into<typeof import("../../../src/store/deliveries/follow-up-rows.ts")>(
  "src/store/deliveries/follow-up-rows.ts",
);
const recheck = into<typeof import("../../../src/domain/delivery/recheck.ts")>("src/domain/delivery/recheck.ts");
const publication = into<typeof import("../../../src/delivery/publication.ts")>("src/delivery/publication.ts");
const comment = into<typeof import("../../../src/networks/shared/meta/comment.ts")>(
  "src/networks/shared/meta/comment.ts",
);
const changed = into<typeof import("../../../src/operations/posts/changed.ts")>("src/operations/posts/changed.ts");
const edits = into<typeof import("../../../src/store/posts/edits.ts")>("src/store/posts/edits.ts");
const keys = into<typeof import("../../../src/store/accounts/keys.ts")>("src/store/accounts/keys.ts");
const sessions = into<typeof import("../../../src/store/accounts/sessions.ts")>("src/store/accounts/sessions.ts");
const rights = into<typeof import("../../../src/operations/rights.ts")>("src/operations/rights.ts");
/** The write checks the rights again, so a bug in the first check is visible only without the second one. */
const unguarded = rights(
  "databaseToWrite",
  () =>
    (ctx, caller, db = ctx.databaseOf(caller.workspaceId)) =>
      db,
);

const isIt = ({ workspaceId, postId, channelId }: DeliveryKey) =>
  and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, postId), eq(deliveries.channelId, channelId));

/** The post of the previous comment, in any workspace. */
let commentedOn: string | null = null;
function another<Post extends { id: string }>(post: Post): Post {
  const id = commentedOn ?? post.id;
  commentedOn = post.id;
  return { ...post, id };
}

export const AFTERWARDS: Mutants = {
  "a part of a thread that is gone is not marked as removed": {
    scenarios: "second part of a thread",
    injections: [
      thread(
        "recheckedThreadPart",
        (recheck) => (threadPart, after) => (after.is === "removed" ? threadPart : recheck(threadPart, after)),
      ),
    ],
  },
  "a first comment goes under another post": {
    isFull: true,
    only: ["facebook", "instagram"],
    injections: [
      comment("commentUnder", (under) => (network) => {
        const made = under(network);
        return { ...made, publish: (post, ...rest) => made.publish(another(post), ...rest) };
      }),
    ],
  },
  "a refused first comment fails its post": {
    scenarios: "first comments are refused",
    isFull: true,
    only: ["facebook", "instagram", "threads"],
    injections: [
      work("recordFollowUp", (record) => async (db, key, stored, outcome, dueAt) => {
        await record(db, key, stored, outcome, dueAt);
        if (stored.kind === "first_comment" && outcome.move === "refused")
          await db.update(deliveries).set({ state: "failed" }).where(isIt(key));
      }),
    ],
  },
  "a takedown that is asked for twice begins anew": {
    isFull: true,
    injections: [
      takedowns("askForTakedown", () => async (db, key) => {
        const isLive = and(isIt(key), eq(deliveries.state, "live"));
        const dueNow = db.update(deliveries).set({ checkAt: NOW }).where(isLive).returning({ id: deliveries.id });
        const [rows] = await db.batch([dueNow]);
        if (rows.length === 0) return false;
        const { workspaceId, postId, channelId, kind } = followUpRows;
        const target = [workspaceId, postId, channelId, kind];
        const asked = db.insert(followUpRows).values({ ...key, kind: "takedown", state: "due" });
        await db.batch([asked.onConflictDoUpdate({ target, set: { state: "due", tries: 0 } })]);
        return true;
      }),
    ],
  },
  "a takedown that is done is due again": {
    isFull: true,
    scenarios: "taken down",
    injections: [
      takedowns("recordTakenDown", (record) => async (db, key, position) => {
        await record(db, key, position);
        const { workspaceId, postId, channelId } = key;
        const isOfPost = and(eq(followUpRows.workspaceId, workspaceId), eq(followUpRows.postId, postId));
        const isDone = and(isOfPost, eq(followUpRows.channelId, channelId), eq(followUpRows.kind, "takedown"));
        await db.update(followUpRows).set({ state: "due" }).where(isDone);
      }),
    ],
  },
  "a takedown that was put off or refused is called done": {
    scenarios: "ask to wait when a post is taken down",
    isFull: true,
    injections: [
      takedown("decideTakedown", (decide) => (answer, seen, tries, now) => {
        const isNo = answer.is === "rejected" || answer.is === "retryable";
        return decide(isNo ? { is: "taken_down" } : answer, seen, tries, now);
      }),
    ],
  },
  "of a thread only the first part is taken down": {
    isFull: true,
    only: ["x", "bluesky", "threads"],
    injections: [thread("listPresentThreadParts", (there) => (parts) => there(parts).slice(0, 1))],
  },
  "what is looked at again is taken down": {
    isFull: true,
    injections: [
      followUps("readFollowUp", (read) => async (db, key) => {
        const found = await read(db, key);
        if (found === null || !("delivery" in found)) return found;
        const works = found.followUps.filter(({ kind }) => kind !== "takedown");
        const takedown = {
          ...key,
          kind: "takedown",
          state: "due",
          tries: 0,
          publishKey: null,
          edit: null,
          detail: null,
          networkMessage: null,
        } as const;
        return { ...found, followUps: [takedown, ...works] };
      }),
    ],
  },
  "what is shown otherwise is called verified": {
    isFull: true,
    injections: [
      recheck(
        "decideRecheck",
        (after) => (delivery, found, now) =>
          after(
            delivery,
            found.is === "there" && Array.isArray(found.altered) ? { ...found, altered: [] } : found,
            now,
          ),
      ),
    ],
  },
  "what could not be read is called altered": {
    isFull: true,
    injections: [
      recheck(
        "decideRecheck",
        (after) => (delivery, found, now) =>
          after(delivery, found.is === "unknown" ? { is: "there", url: delivery.url, altered: ["text"] } : found, now),
      ),
    ],
  },
  "every channel is compared with the post's own text": {
    isFull: true,
    injections: [publication("getAcceptedContent", (of) => (due) => ({ ...of(due), text: due.post.text }))],
  },
  "that a post is altered is told to nobody": {
    isFull: true,
    injections: [
      rechecks("recordRecheck", (record) => (db, key, recheck) => record(db, key, { ...recheck, altered: null })),
    ],
  },
  "an approval takes whatever revision stands": {
    isFull: true,
    scenarios: "posts that wait",
    injections: [changed("refuseChanged", () => () => {})],
  },
  "an edit makes no revision": {
    isFull: true,
    scenarios: "posts that wait",
    injections: [edits("editPost", (edit) => (db, input) => edit(db, { ...input, next: input.revision }))],
  },
  "a key that was revoked still approves": {
    isFull: true,
    injections: [
      keys("readKey", (read) => (db, hash) => {
        return mapStatements(read(db, hash), (row) => (row === undefined ? undefined : { ...row, revokedAt: null }));
      }),
      keys("workspaceOfKey", () => (hash) => sql`(SELECT workspace_id FROM named_keys WHERE hash = ${hash})`),
      unguarded,
    ],
  },
  "who is no publisher any more still approves": {
    isFull: true,
    injections: [
      sessions("readSession", (read) => (db, hash, workspaceId) => {
        return mapStatements(read(db, hash, workspaceId), (session) => {
          if (session === undefined || session.membership === null) return session;
          return { ...session, membership: { ...session.membership, role: "publisher" } };
        });
      }),
      unguarded,
    ],
  },
};
