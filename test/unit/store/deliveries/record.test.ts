// A session records its decision on a delivery once, and completely or not at all.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { media, mediaUses } from "../../../../src/store/db/schema.ts";
import { getRecordNeeds } from "../../../../src/store/deliveries/record.ts";
import {
  isNotWritten,
  isWritten,
  makeDeliveryRecord,
  makeEvent,
  makeProof,
  record,
  sending,
} from "./delivery-records.ts";
import {
  type Case,
  db,
  MINUTE,
  makeThreadPart,
  NOW,
  pass,
  SINCE,
  type Stored,
  storedDelivery,
} from "./stored-delivery.ts";

describe("a decision", () => {
  it("a decision is written with all its fields, and answers the last send", async () => {
    const networkPost = { id: "", url: "https://before.example", urlState: "none" } as const;
    const stored = await storedDelivery({
      ...sending,
      publishKey: "kept",
      networkPost,
      checkAt: 9,
    });
    const { decision } = makeDeliveryRecord(stored, { decision: { error: "outcome_unknown" } });
    expect(await record(makeDeliveryRecord(stored, { decision }))).toEqual(isWritten);
    const row = await stored.read();
    expect(row).toMatchObject({
      state: "reconciling",
      nextAt: NOW + MINUTE,
      hasOpenSend: true,
      lastTry: { retries: 2, error: "outcome_unknown", detail: "no answer", networkMessage: null },
      publishKey: "kept",
      networkPost,
      publishedAt: null,
      checkAt: 9,
      work: {},
      threadParts: [],
      successSeq: null,
      version: 4,
      fencingToken: 5,
      session: "mine",
      startedAt: SINCE,
    });
    const [firstSend, lastSend] = sending.sends;
    expect(row.sends).toEqual([
      firstSend,
      { ...lastSend, answered_at: NOW, outcome: "reconciling", detail: "no answer" },
    ]);
    expect(await stored.readEvents()).toEqual([]);
  });

  it.each([
    ["replaced", "another", "another"],
    ["deleted", null, null],
  ])("the publish key of a delivery is %s by a decision", async (_change, publishKey, storedKey) => {
    const stored = await storedDelivery({ ...sending, publishKey: "kept" });
    await record(makeDeliveryRecord(stored, { decision: { publishKey } }));
    expect(await stored.read()).toMatchObject({ publishKey: storedKey });
  });

  it("a decision on a delivery that was not being sent answers no send", async () => {
    const stored = await storedDelivery({ ...sending, state: "processing" });
    await record(makeDeliveryRecord(stored));
    expect(await stored.read()).toMatchObject({ state: "reconciling", sends: sending.sends });
  });

  it("a decision and its event are written once", async () => {
    const stored = await storedDelivery(sending);
    await stored.addWebhook("wh_1", { events: ["delivery.retrying"] });
    const firstRecord = makeDeliveryRecord(stored, {
      decision: { state: "retry_wait", event: "delivery.retrying" },
      event: makeEvent("delivery.retrying"),
    });
    const answer = [{ written: true, endpointsToNotify: ["wh_1"] }];
    expect(await record(firstRecord)).toEqual(answer);
    const before = await stored.read();
    pass(1_000);
    expect(await record(firstRecord)).toMatchObject([{ written: true }]);
    expect(await stored.read()).toEqual(before);
    expect(await stored.readEvents()).toMatchObject([
      {
        seq: 1,
        id: "evt_1",
        event: "delivery.retrying",
        postId: "post_1",
        channelId: "ch_1",
        dedupeKey: 5,
        body: '{"id":"evt_1"}',
        createdAt: NOW - 1,
      },
    ]);
    expect(await stored.readMessages()).toMatchObject([{ webhookId: "wh_1", eventId: "evt_1", state: "pending" }]);
  });

  it("a decision without an event creates no messages", async () => {
    const stored = await storedDelivery(sending);
    await stored.addWebhook("wh_1", { events: ["delivery.retrying"] });
    expect(await record(makeDeliveryRecord(stored))).toEqual(isWritten);
    expect(await stored.readMessages()).toEqual([]);
  });

  it.each<Case>([
    ["another session has written the delivery", { version: 4, session: "another" }],
    ["another session has written the delivery several times", { version: 9, session: "another", state: "live" }],
  ])("a decision writes nothing if %s", async (_reason, changes) => {
    const stored = await storedDelivery({ ...sending, ...changes });
    await stored.addWebhook("wh_1", { events: ["delivery.retrying"] });
    const before = await stored.read();
    const late = makeDeliveryRecord(stored, {
      decision: { state: "retry_wait" },
      event: makeEvent("delivery.retrying"),
      followUp: { checkAt: NOW, kinds: ["first_comment"] },
    });
    expect(await record(late)).toEqual(isNotWritten);
    expect(await stored.read()).toEqual(before);
    expect(await stored.readEvents()).toEqual([]);
    expect(await stored.readMessages()).toEqual([]);
  });

  it("a decision counts as not written if its session has left another state", async () => {
    const stored = await storedDelivery({ ...sending, version: 4, state: "failed" });
    expect(await record(makeDeliveryRecord(stored))).toEqual(isNotWritten);
  });

  it("a decision other than live clears the columns of a published post", async () => {
    const networkPost = { id: "77", url: null, urlState: "none", checkedAt: 8 } as const;
    const stored = await storedDelivery({ ...sending, successSeq: 3, networkPost, publishedAt: 7 });
    await record(makeDeliveryRecord(stored, { followUp: { kinds: ["playlist", "first_comment"] } }));
    expect(await stored.read()).toMatchObject({
      work: {},
      successSeq: 3,
      networkPost,
      publishedAt: 7,
    });
  });

  it("a retry ends the held-back state after a restore", async () => {
    const stored = await storedDelivery({ ...sending, isHeldBack: true });
    await record(makeDeliveryRecord(stored, { decision: { state: "retry_wait" } }));
    expect(await stored.read()).toMatchObject({ isHeldBack: false });
  });
});

describe("several records", () => {
  it("several records are written together, each with its own guard, and their events are consecutive in the feed", async () => {
    const [firstStored, late, third] = [
      await storedDelivery(sending),
      await storedDelivery({ ...sending, version: 9, session: "another" }),
      await storedDelivery(sending),
    ];
    await firstStored.addWebhook("wh_1");
    await third.addWebhook("wh_off", { disabledAt: NOW });
    expect(
      await record(
        makeProof(firstStored, { event: makeEvent("delivery.succeeded", "evt_one") }),
        makeDeliveryRecord(late),
        makeProof(third, { event: makeEvent("delivery.succeeded", "evt_third") }),
      ),
    ).toEqual([
      { written: true, endpointsToNotify: ["wh_1"] },
      { written: false, endpointsToNotify: [] },
      { written: true, endpointsToNotify: [] },
    ]);
    expect(await firstStored.readEvents()).toMatchObject([{ seq: 1, id: "evt_one" }]);
    expect(await third.readMessages()).toMatchObject([{ webhookId: "wh_off", state: "skipped" }]);
  });

  it("several records of one post finish it once", async () => {
    const stored = await storedDelivery(sending);
    const second = { ...stored, guard: { ...stored.guard, key: { ...stored.key, channelId: "ch_2" } } };
    const twoProofs = [makeProof(stored), makeProof(second, { event: makeEvent("delivery.succeeded", "evt_2") })];
    expect(await record(...twoProofs)).toMatchObject([{ written: true }, { written: true }]);
    expect(await stored.readPost()).toMatchObject({ status: "published", finishedAt: NOW });
    expect((await stored.readEvents()).map(({ seq, id }) => ({ seq, id }))).toEqual([
      { seq: 1, id: "evt_1" },
      { seq: 2, id: "evt_2" },
    ]);
  });

  it("records of several posts finish each of them", async () => {
    const stored = [await storedDelivery(sending), await storedDelivery(sending)];
    const proofs = stored.flatMap((storedDelivered, i) => [
      makeProof(storedDelivered, { event: makeEvent("delivery.succeeded", `evt_${i}`) }),
      makeProof(
        { ...storedDelivered, guard: { ...storedDelivered.guard, key: { ...storedDelivered.key, channelId: "ch_2" } } },
        { event: makeEvent("delivery.succeeded", `evt_${i}_2`) },
      ),
    ]);
    await record(...proofs);
    for (const { readPost } of stored) expect(await readPost()).toMatchObject({ status: "published" });
  });

  it("recording nothing returns an empty list", async () => {
    expect(await record()).toEqual([]);
  });
});

describe("a wait that a network has asked for", () => {
  const makeWait = (until: number) => ({ decision: { state: "retry_wait", channelNotBefore: until } as const });
  const readWaits = async ({ readChannels }: Stored) => (await readChannels()).map(({ notBefore }) => notBefore);

  it("a network's wait applies to its own channel only", async () => {
    const [stored, otherStored] = [await storedDelivery(sending), await storedDelivery(sending)];
    await record(makeDeliveryRecord(otherStored, makeWait(NOW + 3 * MINUTE)));
    const next = { ...otherStored, guard: { ...otherStored.guard, version: 4 } };
    await record(makeDeliveryRecord(stored, makeWait(NOW + MINUTE)), makeDeliveryRecord(next));
    expect(await readWaits(stored)).toEqual([NOW + MINUTE, null]);
    expect(await readWaits(otherStored)).toEqual([NOW + 3 * MINUTE, null]);
  });

  it("a network's wait is written even if another session has written the delivery", async () => {
    const stored = await storedDelivery({ ...sending, version: 9, session: "another" });
    expect(await record(makeDeliveryRecord(stored, makeWait(NOW + MINUTE)))).toEqual(isNotWritten);
    expect(await readWaits(stored)).toEqual([NOW + MINUTE, null]);
  });

  it("a network's wait is never shortened", async () => {
    const stored = await storedDelivery(sending);
    await record(makeDeliveryRecord(stored, makeWait(NOW + 2 * MINUTE)));
    const next = { ...stored, guard: { ...stored.guard, version: 4 } };
    await record(makeDeliveryRecord(next, makeWait(NOW + MINUTE)));
    expect(await readWaits(stored)).toEqual([NOW + 2 * MINUTE, null]);
  });
});

describe("the files of a post", () => {
  const recordWithFiles = async (hasFiles: boolean) => {
    const stored = await storedDelivery(sending);
    const { workspaceId, postId } = stored.key;
    await db
      .insert(media)
      .values({ workspaceId, id: "med_1", kind: "image", state: "ready", objectKey: "o", createdAt: 0 });
    await db.insert(mediaUses).values({ workspaceId, mediaId: "med_1", postId });
    const second = { ...stored, guard: { ...stored.guard, key: { ...stored.key, channelId: "ch_2" } } };
    const secondProof = makeProof(second, { event: makeEvent("delivery.succeeded", "evt_2") });
    await record(makeProof(stored, { followUp: { hasFiles } }), secondProof);
    const [file] = await db.select().from(media).where(eq(media.workspaceId, workspaceId));
    return file?.expiresAt;
  };

  it("the files of a finished post get an expiry", async () => {
    expect(await recordWithFiles(true)).toBe(NOW + 7 * 24 * 60 * MINUTE);
  });

  it("the files of a post are looked up only if the record says that there are some", async () => {
    expect(await recordWithFiles(false)).toBeNull();
  });

  it("the statements for files, work, thread parts and waits are needed if one of the records needs them", async () => {
    const plain = makeDeliveryRecord({ guard: (await storedDelivery()).guard });
    const files = { ...plain, followUp: { ...plain.followUp, hasFiles: true } };
    const delay = { ...plain, decision: { ...plain.decision, channelNotBefore: 0 } };
    const work: typeof plain = { ...plain, followUp: { ...plain.followUp, kinds: ["playlist"] } };
    const none = { hasFiles: false, hasWork: false, hasThreadParts: false, hasDelays: false };
    expect(getRecordNeeds([plain])).toEqual(none);
    expect(getRecordNeeds([plain, files])).toEqual({ ...none, hasFiles: true });
    expect(getRecordNeeds([plain, work])).toEqual({ ...none, hasWork: true });
    const threadPart = { proof: "part_live", live: makeThreadPart(0) } as const;
    expect(getRecordNeeds([plain, { ...plain, threadPart }])).toEqual({ ...none, hasThreadParts: true });
    expect(getRecordNeeds([delay, plain])).toEqual({ ...none, hasDelays: true });
  });
});
