// Bugs in the guards of rows, and in writes that belong together.
import { sql } from "drizzle-orm";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const guard = into<typeof import("../../../src/store/deliveries/guard.ts")>("src/store/deliveries/guard.ts");
const intents = into<typeof import("../../../src/store/deliveries/send-intent.ts")>(
  "src/store/deliveries/send-intent.ts",
);
const writing = into<typeof import("../../../src/store/deliveries/write.ts")>("src/store/deliveries/write.ts");
const due = into<typeof import("../../../src/store/deliveries/due.ts")>("src/store/deliveries/due.ts");
const overdue = into<typeof import("../../../src/store/deliveries/overdue.ts")>("src/store/deliveries/overdue.ts");
const posts = into<typeof import("../../../src/store/posts/new-post.ts")>("src/store/posts/new-post.ts");
const cancelling = into<typeof import("../../../src/store/posts/cancel.ts")>("src/store/posts/cancel.ts");
const edits = into<typeof import("../../../src/store/posts/edits.ts")>("src/store/posts/edits.ts");
const status = into<typeof import("../../../src/store/posts/status.ts")>("src/store/posts/status.ts");
const uses = into<typeof import("../../../src/store/posts/media-uses.ts")>("src/store/posts/media-uses.ts");
const events = into<typeof import("../../../src/store/events.ts")>("src/store/events.ts");
const webhooks = into<typeof import("../../../src/store/webhooks/messages.ts")>("src/store/webhooks/messages.ts");
const work = into<typeof import("../../../src/store/deliveries/follow-up-rows.ts")>(
  "src/store/deliveries/follow-up-rows.ts",
);

const VERSION = sql.raw('"deliveries"."version"');

const EDITED = { edited: true, notify: [] };

export const postsGoOutAtOnce = posts("insertPost", (insert) => (db, post) => {
  const { createdAt, dueAt } = post.post;
  const times = { base: createdAt, isFollowed: true, own: null };
  return insert(db, { ...post, times, post: { ...post.post, dueAt: dueAt == null ? dueAt : createdAt } });
});

/** Interprets a lost answer to records as written, or as not written. */
const lostAnswerMeans = (written: boolean) =>
  writing("writeDeliveries", (write) => async (db, all, intents) => {
    try {
      return await write(db, all, intents);
    } catch (error) {
      if (all.length === 0) throw error;
      const alone = intents.length > 0 ? await write(db, [], intents) : { intents: [] };
      return { ...alone, recorded: all.map(() => ({ written, endpointsToNotify: [] })) };
    }
  });

const moving = into<typeof import("../../../scripts/move/tables.ts")>("scripts/move/tables.ts");

export const OF_STORE: Mutants = {
  "a move does not wait for what is being sent": {
    scenarios: "is moved",
    injections: [moving("guards", (guards) => () => guards().filter((sql) => !sql.includes(" ON deliveries\n")))],
  },
  "a version is not compared": {
    injections: [guard("ifUnchanged", (is) => (input) => is({ ...input, version: VERSION }))],
  },
  "a version is not raised": {
    injections: [guard("writtenBy", (by) => (input) => ({ ...by(input), version: sql<number>`${VERSION}` }))],
  },
  "a session takes the writing of another for its own": {
    scenarios: "an object stands still",
    injections: [due("makeGuard", (of) => (delivery) => of(delivery, "anybody"))],
  },
  "a fencing token is not raised": {
    injections: [
      due("makeGuard", (of) => (...input) => {
        const mine = of(...input);
        return { ...mine, fencingToken: mine.fencingToken - 1 };
      }),
    ],
  },
  "nothing is written before the call": {
    injections: [
      writing("writeDeliveries", (write) => async (db, records, all) => {
        const { recorded } = records.length > 0 ? await write(db, records, []) : { recorded: [] };
        return { recorded, intents: all.map(() => ({ sentAt: Date.now(), ageMs: 0 })) };
      }),
    ],
  },
  "a lost answer of the database is taken as: do not send": {
    injections: [
      writing("writeDeliveries", (write) => async (db, records, all) => {
        try {
          return await write(db, records, all);
        } catch (error) {
          if (all.length === 0) throw error;
          const { recorded } = records.length > 0 ? await write(db, records, []) : { recorded: [] };
          return { recorded, intents: all.map(() => null) };
        }
      }),
    ],
  },
  "a lost answer of the database is taken as: it is recorded": {
    scenarios: "the database is away as soon as the network has answered",
    injections: [lostAnswerMeans(true)],
  },
  "a lost answer of the database is taken as: somebody else has it": {
    scenarios: "the database is away as soon as the network has answered",
    injections: [lostAnswerMeans(false)],
  },
  "an interrupted send is not recovered": { injections: [intents("recoverSend", () => async () => true)] },
  "a send that was called off stays announced": {
    injections: [intents("withdrawIntent", () => async () => true), intents("revokeIntent", () => async () => {})],
  },
  "a publish key is not made durable": { injections: [intents("savePublishKey", () => async () => true)] },
  "a cancel is acknowledged and not written": {
    scenarios: "cancelled long before",
    injections: [cancelling("cancelPost", () => async () => {})],
  },
  "an edit is acknowledged and not written": {
    injections: [
      edits("editPost", (edit) => (db, input) => ({ ...edit(db, { ...input, revision: -1 }), resultOf: () => EDITED })),
    ],
  },
  "an edit that loses the race is acknowledged": {
    scenarios: "different things",
    injections: [edits("editPost", (edit) => (db, input) => ({ ...edit(db, input), resultOf: () => EDITED }))],
  },
  "an edit queues what waits": {
    scenarios: "posts that wait",
    injections: [
      edits(
        "editPost",
        (edit) => (db, input) =>
          input.from === "awaiting_approval" && input.fields.status === "awaiting_approval"
            ? edit(db, { ...input, fields: { ...input.fields, status: "scheduled" } })
            : edit(db, input),
      ),
    ],
  },
  "a key is not kept": {
    injections: [posts("insertPost", (insert) => (db, post) => insert(db, { ...post, key: null }))],
  },
  "posts go out at once and not at their time": { injections: [postsGoOutAtOnce] },
  "a post's status stays": {
    injections: [
      status("refreshPosts", (refresh) => (db, keys) => refresh(db, sql`SELECT * FROM (${keys}) WHERE FALSE`)),
    ],
  },
  "files do not follow their posts": {
    injections: [uses("followPosts", (follow) => (db, keys) => follow(db, sql`SELECT * FROM (${keys}) WHERE FALSE`))],
  },
  "events are not written": {
    injections: [events("insertEvents", (insert) => (db, event, from) => insert(db, event, sql`${from} AND FALSE`))],
  },
  "an event is written and its endpoints are not told": {
    injections: [webhooks("fanOut", (fan) => (db, from, where) => fan(db, from, sql`${where} AND FALSE`))],
  },
  "the sweeper sleeps": {
    scenarios: "every alarm of a workspace",
    injections: [
      overdue("latestLateLanes", () => async () => []),
      overdue("lateLanesAfter", () => async () => ({ lanes: [], next: null })),
    ],
  },
  "the intent to comment is not written": {
    scenarios: "a process ends as its first comments are out",
    only: ["facebook", "instagram", "threads"],
    injections: [
      work("writeFollowUpIntent", (write) => async (db, key, kind) => kind === "first_comment" || write(db, key, kind)),
    ],
  },
  "the outcome of a first comment is not recorded": {
    only: ["facebook", "instagram", "threads"],
    injections: [
      work("recordFollowUp", (record) => async (db, key, stored, ...rest) => {
        if (stored.kind !== "first_comment") await record(db, key, stored, ...rest);
      }),
    ],
  },
  "a stalled session records a first comment that another makes": {
    scenarios: "a process stands still before its first comment, and another makes it",
    only: ["threads"],
    injections: [
      work("recordFollowUp", (record) => async (db, key, { kind }, ...rest) => {
        for (const state of ["due", "sending"] as const) await record(db, key, { kind, state, tries: null }, ...rest);
      }),
    ],
  },
};
