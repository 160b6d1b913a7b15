// The writes before and after the irrevocable call are made once, by the session that owns the delivery.
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
  listForbiddenStates,
  listOtherStates,
  makeSends,
  NOW,
  pass,
  SINCE,
  type Stored,
  storedDelivery,
} from "./stored-delivery.ts";

describe("a publish key", () => {
  it("a publish key is stored with the session, its fencing token and its start", async () => {
    const { guard, read } = await storedDelivery();
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(true);
    expect(await read()).toMatchObject({
      state: "staged",
      publishKey: "sealed handle",
      version: 4,
      fencingToken: 5,
      session: "mine",
      startedAt: SINCE,
      sends: [],
    });
  });

  it("a repeated write of a publish key succeeds and changes nothing", async () => {
    const { guard, read } = await storedDelivery();
    await savePublishKey(db, guard, "sealed handle");
    const before = await read();
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(true);
    expect(await read()).toEqual(before);
  });

  it("storing a publish key keeps the delivery's start and a higher fencing token", async () => {
    const { guard, read } = await storedDelivery({ startedAt: 17, fencingToken: 9 });
    await savePublishKey(db, guard, "sealed handle");
    expect(await read()).toMatchObject({ startedAt: 17, fencingToken: 9 });
  });

  it.each<Case>([
    ["has written the row since", { version: 4, session: "another" }],
    ["left the expected next version", { version: 4, session: null }],
    ["was followed by a later write of this session", { version: 5, session: "mine" }],
  ])("a publish key is not stored if another session %s", async (_reason, changes) => {
    const { guard, read } = await storedDelivery({ ...changes, publishKey: "theirs" });
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(false);
    expect(await read()).toMatchObject({ ...changes, publishKey: "theirs", state: "pending", fencingToken: 4 });
  });

  it.each(listForbiddenStates("prepared"))("a publish key is not stored for a delivery that is %s", async (state) => {
    const { guard, read } = await storedDelivery({ state });
    expect(await savePublishKey(db, guard, "sealed handle")).toBe(false);
    expect(await read()).toMatchObject({ state, publishKey: null, version: 3 });
  });
});

const makeIntent = ({ guard }: Stored): SendIntent => ({ guard, publishKey: "sealed handle", payloadHash: "abc" });
const writeIntents = async (...intents: SendIntent[]) => (await writeDeliveries(db, [], intents)).intents;

describe("a send intent", () => {
  it("a send intent is written with its publish key, its instant, its attempt and the hash of its payload", async () => {
    const stored = await storedDelivery({ sends: makeSends(1) });
    expect(await writeIntents(makeIntent(stored))).toEqual([{ sentAt: NOW, ageMs: 0 }]);
    const row = await stored.read();
    expect(row).toMatchObject({
      state: "sending",
      publishKey: "sealed handle",
      version: 4,
      fencingToken: 5,
      session: "mine",
      startedAt: SINCE,
    });
    expect(row.sends).toEqual([...makeSends(1), { fencing_token: 5, payload_hash: "abc", sent_at: NOW }]);
  });

  it("a send intent is written once, and a repeat returns its age", async () => {
    const stored = await storedDelivery();
    await writeIntents(makeIntent(stored));
    const before = await stored.read();
    pass(7_000);
    expect(await writeIntents(makeIntent(stored))).toEqual([{ sentAt: NOW, ageMs: 7_000 }]);
    expect(await stored.read()).toEqual(before);
  });

  it("the send intents of several deliveries are written independently", async () => {
    const [first, late, third] = [await storedDelivery(), await storedDelivery({ version: 8 }), await storedDelivery()];
    expect(await writeIntents(makeIntent(first), makeIntent(late), makeIntent(third))).toEqual([
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
  it.each(refused)("a send intent is not written if %s", async (_reason, happen) => {
    const stored = await storedDelivery();
    await happen(stored);
    const before = await stored.read();
    expect(await writeIntents(makeIntent(stored))).toEqual([null]);
    expect(await stored.read()).toEqual(before);
  });

  it("changes of other posts and channels do not prevent a send intent", async () => {
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
    expect(await writeIntents(makeIntent(stored))).toEqual([{ sentAt: NOW, ageMs: 0 }]);
  });

  it.each(listForbiddenStates("announced"))("a send intent is not written for a delivery that is %s", async (state) => {
    const stored = await storedDelivery({ state });
    expect(await writeIntents(makeIntent(stored))).toEqual([null]);
    expect(await stored.read()).toMatchObject({ state, sends: [], version: 3 });
  });

  const guard = {
    key: { workspaceId: "ws", postId: "p", channelId: "c" },
    session: "mine",
    fencingToken: 5,
    version: 3,
    since: 0,
  };
  const leftRow: LeftRow = { ...guard.key, session: "mine", state: "sending", version: 4, sentAt: 60, now: 100 };
  const read = (row: LeftRow) => readWrittenIntents([{ guard, publishKey: "", payloadHash: "" }], [row]);
  it("a send intent is read back only from the row that its own write left", () => {
    expect(read(leftRow)).toEqual([{ sentAt: 60, ageMs: 40 }]);
    expect(read({ ...leftRow, sentAt: null })).toEqual([null]);
    expect(read({ ...leftRow, state: "live" })).toEqual([null]);
    expect(read({ ...leftRow, version: 5 })).toEqual([null]);
    expect(read({ ...leftRow, version: 2 })).toEqual([null]);
    expect(read({ ...leftRow, session: "another" })).toEqual([null]);
    expect(readWrittenIntents([{ guard, publishKey: "", payloadHash: "" }], [])).toEqual([null]);
  });
});

const sending = { state: "sending", session: "mine", fencingToken: 5, sends: makeSends(1, 2) } as const;

describe("a send intent whose call published nothing", () => {
  it("a send intent whose call published nothing is withdrawn, and the session may send under the next fencing token", async () => {
    const { guard, read } = await storedDelivery(sending);
    expect(await withdrawIntent(db, guard, "unauthorized", "401")).toBe(true);
    const row = await read();
    expect(row).toMatchObject({ state: "staged", version: 4, fencingToken: 6, session: "mine", startedAt: SINCE });
    const [firstSend, lastSend] = sending.sends;
    expect(row.sends).toEqual([firstSend, { ...lastSend, answered_at: NOW, outcome: "unauthorized", detail: "401" }]);
  });

  it("a withdrawn send intent leaves the delivery reconciling if an earlier call is open", async () => {
    const { guard, read } = await storedDelivery({ ...sending, hasOpenSend: true });
    expect(await withdrawIntent(db, guard, "unsent", "it never left")).toBe(true);
    expect(await read()).toMatchObject({ state: "reconciling", hasOpenSend: true });
  });

  it("a send intent is withdrawn once", async () => {
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
    ["the row has a later version", { version: 5 }],
    ...listOtherStates("sending"),
  ])("a send intent is not withdrawn if %s", async (_reason, changes) => {
    const { guard, read } = await storedDelivery({ ...sending, ...changes });
    const before = await read();
    expect(await withdrawIntent(db, guard, "unsent", "it never left")).toBe(false);
    expect(await read()).toEqual(before);
  });
});

describe("a send that another session began", () => {
  it("a send of an ended session becomes a send without an answer", async () => {
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

  it("a send of an ended session is recovered once", async () => {
    const { guard, read } = await storedDelivery({ ...sending, session: "another" });
    await recoverSend(db, guard);
    const before = await read();
    expect(await recoverSend(db, guard)).toBe(true);
    expect(await read()).toEqual(before);
  });

  it.each<Case>([["another session was faster", { version: 4, session: "a third" }], ...listOtherStates("sending")])(
    "a send of an ended session is not recovered if %s",
    async (_reason, changes) => {
      const { guard, read } = await storedDelivery({ ...sending, session: "another", ...changes });
      const before = await read();
      expect(await recoverSend(db, guard)).toBe(false);
      expect(await read()).toEqual(before);
    },
  );
});
