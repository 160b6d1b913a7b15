// What is written before and around the irrevocable call: once, by the session whose delivery it still is.
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { channels, posts } from "../../../../src/store/db/schema.ts";
import type { LeftRow } from "../../../../src/store/deliveries/guard.ts";
import {
  readWrittenIntents,
  recoverSend,
  type SendIntent,
  savePublishKey,
  withdrawIntent,
} from "../../../../src/store/deliveries/send-intent.ts";
import { writeDeliveries } from "../../../../src/store/deliveries/write.ts";
import {
  type Case,
  db,
  everyStateBut,
  NOW,
  notBefore,
  pass,
  SINCE,
  type Stored,
  storedDelivery,
} from "./stored-delivery.ts";

describe("a publish key", () => {
  it("is stored by the session whose delivery it is, which leaves its name, fencing token and start", async () => {
    const { guard, read } = await storedDelivery();
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(true);
    expect(await read()).toMatchObject({
      state: "staged",
      publishKey: "sealed handle",
      version: 4,
      fencingToken: 5,
      session: "mine",
      startedAt: SINCE,
      sentAt: null,
      attempts: 0,
    });
  });

  it("is said to be stored when it is asked for again, and nothing is written a second time", async () => {
    const { guard, read } = await storedDelivery();
    await savePublishKey(db, guard, "sealed handle");
    const before = await read();
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(true);
    expect(await read()).toEqual(before);
  });

  it("keeps when the delivery was begun, and a fencing token that is higher", async () => {
    const { guard, read } = await storedDelivery({ startedAt: 17, fencingToken: 9 });
    await savePublishKey(db, guard, "sealed handle");
    expect(await read()).toMatchObject({ startedAt: 17, fencingToken: 9 });
  });

  it.each<Case>([
    ["has written the row since", { version: 4, session: "another" }],
    ["left the next version, though it is mine by number", { version: 4, session: null }],
    ["is mine, but of a later write", { version: 5, session: "mine" }],
  ])("is not stored when another session %s", async (_why, changes) => {
    const { guard, read } = await storedDelivery({ ...changes, publishKey: "theirs" });
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(false);
    expect(await read()).toMatchObject({ ...changes, publishKey: "theirs", state: "pending", fencingToken: 4 });
  });

  it.each(notBefore("prepared"))("is not stored of a delivery that is %s", async (state) => {
    const { guard, read } = await storedDelivery({ state });
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(false);
    expect(await read()).toMatchObject({ state, publishKey: null, version: 3 });
  });
});

const intentOf = ({ guard }: Stored): SendIntent => ({ guard, publishKey: "sealed handle", payloadHash: "abc" });
const write = async (...intents: SendIntent[]) => (await writeDeliveries(db, [], intents)).intents;

describe("a send intent", () => {
  it("is written with its handle, its instant, its place among the tries and what is sent", async () => {
    const stored = await storedDelivery({ attempts: 2, sends: '[{"fencing_token":3}]' });
    expect(await write(intentOf(stored))).toEqual([{ sentAt: NOW, ageMs: 0 }]);
    const row = await stored.read();
    expect(row).toMatchObject({
      state: "sending",
      sentAt: NOW,
      attempts: 3,
      publishKey: "sealed handle",
      version: 4,
      fencingToken: 5,
      session: "mine",
      startedAt: SINCE,
    });
    expect(JSON.parse(row.sends)).toEqual([
      { fencing_token: 3 },
      { fencing_token: 5, payload_hash: "abc", sent_at: NOW },
    ]);
  });

  it("is written once: asked for again, it says how old it is", async () => {
    const stored = await storedDelivery();
    await write(intentOf(stored));
    const before = await stored.read();
    pass(7_000);
    expect(await write(intentOf(stored))).toEqual([{ sentAt: NOW, ageMs: 7_000 }]);
    expect(await stored.read()).toEqual(before);
  });

  it("is written for each of several deliveries by itself", async () => {
    const [first, late, third] = [await storedDelivery(), await storedDelivery({ version: 8 }), await storedDelivery()];
    expect(await write(intentOf(first), intentOf(late), intentOf(third))).toEqual([
      { sentAt: NOW, ageMs: 0 },
      null,
      { sentAt: NOW, ageMs: 0 },
    ]);
  });

  const refused: [string, (stored: Stored) => Promise<unknown>][] = [
    ["another session has written the row", ({ change }) => change({ version: 4, session: "another" })],
    [
      "the post is cancelled",
      async ({ key }) =>
        await db
          .update(posts)
          .set({ cancelledAt: NOW })
          .where(and(eq(posts.workspaceId, key.workspaceId), eq(posts.id, key.postId))),
    ],
    [
      "the channel is removed",
      async ({ key }) =>
        await db
          .update(channels)
          .set({ removedAt: NOW })
          .where(and(eq(channels.workspaceId, key.workspaceId), eq(channels.id, key.channelId))),
    ],
    [
      "the channel has no credential",
      async ({ key }) =>
        await db
          .update(channels)
          .set({ credential: null })
          .where(and(eq(channels.workspaceId, key.workspaceId), eq(channels.id, key.channelId))),
    ],
  ];
  it.each(refused)("is not written when %s", async (_why, happen) => {
    const stored = await storedDelivery();
    await happen(stored);
    const before = await stored.read();
    expect(await write(intentOf(stored))).toEqual([null]);
    expect(await stored.read()).toEqual(before);
  });

  it("is written whatever happened to other posts and channels", async () => {
    const stored = await storedDelivery();
    const { workspaceId, postId, channelId } = stored.key;
    await db.update(posts).set({ cancelledAt: NOW }).where(eq(posts.id, "post_2"));
    await db.update(channels).set({ removedAt: NOW, credential: null }).where(eq(channels.id, "ch_2"));
    const elsewhere = workspaceId.replace("ws", "other");
    await db
      .update(posts)
      .set({ cancelledAt: NOW })
      .where(and(eq(posts.workspaceId, elsewhere), eq(posts.id, postId)));
    await db
      .update(channels)
      .set({ removedAt: NOW })
      .where(and(eq(channels.workspaceId, elsewhere), eq(channels.id, channelId)));
    expect(await write(intentOf(stored))).toEqual([{ sentAt: NOW, ageMs: 0 }]);
  });

  it.each(notBefore("announced"))("is not written of a delivery that is %s", async (state) => {
    const stored = await storedDelivery({ state });
    expect(await write(intentOf(stored))).toEqual([null]);
    expect(await stored.read()).toMatchObject({ state, sends: "[]", version: 3 });
  });

  const guard = {
    key: { workspaceId: "ws", postId: "p", channelId: "c" },
    session: "mine",
    fencingToken: 5,
    version: 3,
    since: 0,
  };
  const left: LeftRow = { ...guard.key, session: "mine", state: "sending", version: 4, sentAt: 60, now: 100 };
  const read = (row: LeftRow) => readWrittenIntents([{ guard, publishKey: "", payloadHash: "" }], [row]);
  it("is read back from the row that its own write has left, and from no other", () => {
    expect(read(left)).toEqual([{ sentAt: 60, ageMs: 40 }]);
    expect(read({ ...left, sentAt: null })).toEqual([null]);
    expect(read({ ...left, state: "live" })).toEqual([null]);
    expect(read({ ...left, version: 5 })).toEqual([null]);
    expect(read({ ...left, version: 2 })).toEqual([null]);
    expect(read({ ...left, session: "another" })).toEqual([null]);
    expect(readWrittenIntents([{ guard, publishKey: "", payloadHash: "" }], [])).toEqual([null]);
  });
});

const sending = { state: "sending", session: "mine", fencingToken: 5, sends: '[{"sent_at":1},{"sent_at":2}]' } as const;

describe("a send intent whose call published nothing", () => {
  it("is taken back: the session may send once more, under the next fencing token", async () => {
    const { guard, read } = await storedDelivery(sending);
    expect(await withdrawIntent(db, guard, "unauthorized", "401")).toBe(true);
    const row = await read();
    expect(row).toMatchObject({ state: "staged", version: 4, fencingToken: 6, session: "mine", startedAt: SINCE });
    expect(JSON.parse(row.sends)).toEqual([
      { sent_at: 1 },
      { sent_at: 2, answered_at: NOW, outcome: "unauthorized", detail: "401" },
    ]);
  });

  it("is searched for again when an earlier call is open", async () => {
    const { guard, read } = await storedDelivery({ ...sending, hasOpenSend: true });
    expect(await withdrawIntent(db, guard, "unsent", "it never left")).toBe(true);
    expect(await read()).toMatchObject({ state: "reconciling", hasOpenSend: true });
  });

  it("is taken back once", async () => {
    const { guard, read } = await storedDelivery(sending);
    await withdrawIntent(db, guard, "unsent", "it never left");
    const before = await read();
    pass(1_000);
    expect(await withdrawIntent(db, guard, "unsent", "it never left")).toBe(true);
    expect(await read()).toEqual(before);
  });

  it.each<Case>([
    ["another session has written the row", { version: 4, session: "another" }],
    ["the row is another session's", { session: "another" }],
    ["its row has moved on", { version: 5 }],
    ...everyStateBut("sending"),
  ])("is not taken back when %s", async (_why, changes) => {
    const { guard, read } = await storedDelivery({ ...sending, ...changes });
    const before = await read();
    expect(await withdrawIntent(db, guard, "unsent", "it never left")).toBe(false);
    expect(await read()).toEqual(before);
  });
});

describe("a send that another session began", () => {
  it("is one without an answer when its session has ended, under its own fencing token", async () => {
    const { guard, read } = await storedDelivery({ ...sending, session: "another" });
    expect(await recoverSend(db, guard)).toBe(true);
    expect(await read()).toMatchObject({
      ...sending,
      state: "reconciling",
      hasOpenSend: true,
      version: 4,
      session: "mine",
      startedAt: null,
    });
  });

  it("becomes one once", async () => {
    const { guard, read } = await storedDelivery({ ...sending, session: "another" });
    await recoverSend(db, guard);
    const before = await read();
    expect(await recoverSend(db, guard)).toBe(true);
    expect(await read()).toEqual(before);
  });

  it.each<Case>([["somebody was quicker", { version: 4, session: "a third" }], ...everyStateBut("sending")])(
    "stays as it is when %s",
    async (_why, changes) => {
      const { guard, read } = await storedDelivery({ ...sending, session: "another", ...changes });
      const before = await read();
      expect(await recoverSend(db, guard)).toBe(false);
      expect(await read()).toEqual(before);
    },
  );
});
