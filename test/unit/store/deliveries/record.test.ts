// How a session's work on a delivery ends: once, and all of it or nothing.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { media, mediaUses } from "../../../../src/store/db/schema.ts";
import { getRecordNeeds, readRecorded } from "../../../../src/store/deliveries/record.ts";
import { deliveryRecord, event, isNotWritten, isWritten, proofOf, record, sending } from "./delivery-records.ts";
import { type Case, db, MINUTE, NOW, pass, SINCE, type Stored, storedDelivery } from "./stored-delivery.ts";

describe("a decision", () => {
  it("is written with all that it says, and the last send is answered", async () => {
    const stored = await storedDelivery({
      ...sending,
      publishKey: "kept",
      url: "https://before.example",
      checkAt: 9,
    });
    const { decision } = deliveryRecord(stored, { decision: { error: "outcome_unknown" } });
    expect(await record(deliveryRecord(stored, { decision }))).toEqual(isWritten);
    const row = await stored.read();
    expect(row).toMatchObject({
      state: "reconciling",
      nextAt: NOW + MINUTE,
      hasOpenSend: true,
      retries: 2,
      error: "outcome_unknown",
      detail: "no answer",
      publishKey: "kept",
      url: "https://before.example",
      urlState: "none",
      netPostId: null,
      publishedAt: null,
      checkedAt: null,
      checkAt: 9,
      work: {},
      parts: null,
      successSeq: null,
      version: 4,
      fencingToken: 5,
      session: "mine",
      startedAt: SINCE,
    });
    expect(JSON.parse(row.sends)).toEqual([
      { sent_at: 1 },
      { sent_at: 2, answered_at: NOW, outcome: "reconciling", detail: "no answer" },
    ]);
    expect(await stored.readEvents()).toEqual([]);
  });

  it.each([
    ["replaced", "another", "another"],
    ["forgotten", null, null],
  ])("has its publish key %s", async (_what, publishKey, storedKey) => {
    const stored = await storedDelivery({ ...sending, publishKey: "kept" });
    await record(deliveryRecord(stored, { decision: { publishKey } }));
    expect(await stored.read()).toMatchObject({ publishKey: storedKey });
  });

  it("of what was not being sent answers no send", async () => {
    const stored = await storedDelivery({ ...sending, state: "processing" });
    await record(deliveryRecord(stored));
    expect(await stored.read()).toMatchObject({ state: "reconciling", sends: sending.sends });
  });

  it("is written once, its event too", async () => {
    const stored = await storedDelivery(sending);
    await stored.addWebhook("wh_1", { events: ["delivery.retrying"] });
    const one = deliveryRecord(stored, {
      decision: { state: "retry_wait", event: "delivery.retrying" },
      event: event("delivery.retrying"),
    });
    const answer = [{ written: true, endpointsToNotify: ["wh_1"] }];
    expect(await record(one)).toEqual(answer);
    const before = await stored.read();
    pass(1_000);
    expect(await record(one)).toMatchObject([{ written: true }]);
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

  it("without an event tells nobody", async () => {
    const stored = await storedDelivery(sending);
    await stored.addWebhook("wh_1", { events: ["delivery.retrying"] });
    expect(await record(deliveryRecord(stored))).toEqual(isWritten);
    expect(await stored.readMessages()).toEqual([]);
  });

  it.each<Case>([
    ["another session has written it", { version: 4, session: "another" }],
    ["it is a later write of another", { version: 9, session: "another", state: "live" }],
  ])("writes nothing when %s", async (_why, changes) => {
    const stored = await storedDelivery({ ...sending, ...changes });
    await stored.addWebhook("wh_1", { events: ["delivery.retrying"] });
    const before = await stored.read();
    const late = deliveryRecord(stored, {
      decision: { state: "retry_wait" },
      event: event("delivery.retrying"),
      followUp: { checkAt: NOW, kinds: ["first_comment"] },
    });
    expect(await record(late)).toEqual(isNotWritten);
    expect(await stored.read()).toEqual(before);
    expect(await stored.readEvents()).toEqual([]);
    expect(await stored.readMessages()).toEqual([]);
  });

  it("is said not to stand when its session has left another state", async () => {
    const stored = await storedDelivery({ ...sending, version: 4, state: "failed" });
    expect(await record(deliveryRecord(stored))).toEqual(isNotWritten);
  });

  it("keeps what its post had after publishing only where it went live", async () => {
    const stored = await storedDelivery({ ...sending, successSeq: 3, checkedAt: 8, publishedAt: 7 });
    await record(deliveryRecord(stored, { followUp: { kinds: ["playlist", "first_comment"] } }));
    expect(await stored.read()).toMatchObject({
      work: {},
      successSeq: 3,
      checkedAt: 8,
      publishedAt: 7,
    });
  });

  it("that tries again under a new handle forgets what may have been made", async () => {
    const stored = await storedDelivery({ ...sending, isHeldBack: true });
    await record(deliveryRecord(stored, { decision: { state: "retry_wait" } }));
    expect(await stored.read()).toMatchObject({ isHeldBack: false });
  });
});

describe("several records", () => {
  it("are written together, each by its own guard, and their events follow each other in the feed", async () => {
    const [one, late, third] = [
      await storedDelivery(sending),
      await storedDelivery({ ...sending, version: 9, session: "another" }),
      await storedDelivery(sending),
    ];
    await one.addWebhook("wh_1");
    await third.addWebhook("wh_off", { disabledAt: NOW });
    expect(
      await record(
        proofOf(one, { event: event("delivery.succeeded", "evt_one") }),
        deliveryRecord(late),
        proofOf(third, { event: event("delivery.succeeded", "evt_third") }),
      ),
    ).toEqual([
      { written: true, endpointsToNotify: ["wh_1"] },
      { written: false, endpointsToNotify: [] },
      { written: true, endpointsToNotify: [] },
    ]);
    expect(await one.readEvents()).toMatchObject([{ seq: 1, id: "evt_one" }]);
    expect(await third.readMessages()).toMatchObject([{ webhookId: "wh_off", state: "skipped" }]);
  });

  it("of one post finish it once", async () => {
    const stored = await storedDelivery(sending);
    const second = { ...stored, guard: { ...stored.guard, key: { ...stored.key, channelId: "ch_2" } } };
    const both = [proofOf(stored), proofOf(second, { event: event("delivery.succeeded", "evt_2") })];
    expect(await record(...both)).toMatchObject([{ written: true }, { written: true }]);
    expect(await stored.readPost()).toMatchObject({ status: "published", finishedAt: NOW });
    expect((await stored.readEvents()).map(({ seq, id }) => ({ seq, id }))).toEqual([
      { seq: 1, id: "evt_1" },
      { seq: 2, id: "evt_2" },
    ]);
  });

  it("of several posts finish each of them", async () => {
    const stored = [await storedDelivery(sending), await storedDelivery(sending)];
    const all = stored.flatMap((one, i) => [
      proofOf(one, { event: event("delivery.succeeded", `evt_${i}`) }),
      proofOf(
        { ...one, guard: { ...one.guard, key: { ...one.key, channelId: "ch_2" } } },
        { event: event("delivery.succeeded", `evt_${i}_2`) },
      ),
    ]);
    await record(...all);
    for (const { readPost } of stored) expect(await readPost()).toMatchObject({ status: "published" });
  });

  it("are none when there are none", async () => {
    expect(await record()).toEqual([]);
  });
});

describe("a wait that a network has asked for", () => {
  const asked = (until: number) => ({ decision: { state: "retry_wait", channelNotBefore: until } as const });
  const waits = async ({ readChannels }: Stored) => (await readChannels()).map(({ notBefore }) => notBefore);

  it("holds its channel, and no other", async () => {
    const [stored, other] = [await storedDelivery(sending), await storedDelivery(sending)];
    await record(deliveryRecord(other, asked(NOW + 3 * MINUTE)));
    const next = { ...other, guard: { ...other.guard, version: 4 } };
    await record(deliveryRecord(stored, asked(NOW + MINUTE)), deliveryRecord(next));
    expect(await waits(stored)).toEqual([NOW + MINUTE, null]);
    expect(await waits(other)).toEqual([NOW + 3 * MINUTE, null]);
  });

  it("holds it though another session has written the delivery", async () => {
    const stored = await storedDelivery({ ...sending, version: 9, session: "another" });
    expect(await record(deliveryRecord(stored, asked(NOW + MINUTE)))).toEqual(isNotWritten);
    expect(await waits(stored)).toEqual([NOW + MINUTE, null]);
  });

  it("is never shortened", async () => {
    const stored = await storedDelivery(sending);
    await record(deliveryRecord(stored, asked(NOW + 2 * MINUTE)));
    const next = { ...stored, guard: { ...stored.guard, version: 4 } };
    await record(deliveryRecord(next, asked(NOW + MINUTE)));
    expect(await waits(stored)).toEqual([NOW + 2 * MINUTE, null]);
  });
});

describe("the files of a post", () => {
  const used = async (hasFiles: boolean) => {
    const stored = await storedDelivery(sending);
    const { workspaceId, postId } = stored.key;
    await db
      .insert(media)
      .values({ workspaceId, id: "med_1", kind: "image", state: "ready", objectKey: "o", createdAt: 0 });
    await db.insert(mediaUses).values({ workspaceId, mediaId: "med_1", postId });
    const second = { ...stored, guard: { ...stored.guard, key: { ...stored.key, channelId: "ch_2" } } };
    const other = proofOf(second, { event: event("delivery.succeeded", "evt_2") });
    await record(proofOf(stored, { followUp: { hasFiles } }), other);
    const [file] = await db.select().from(media).where(eq(media.workspaceId, workspaceId));
    return file?.expiresAt;
  };

  it("go some time after it has ended", async () => {
    expect(await used(true)).toBe(NOW + 7 * 24 * 60 * MINUTE);
  });

  it("are looked for only where somebody says that there are some", async () => {
    expect(await used(false)).toBeNull();
  });

  it("and waits are needed when one of the records needs them", async () => {
    const plain = deliveryRecord({ guard: (await storedDelivery()).guard });
    const files = { ...plain, followUp: { ...plain.followUp, hasFiles: true } };
    const delay = { ...plain, decision: { ...plain.decision, channelNotBefore: 0 } };
    const work: typeof plain = { ...plain, followUp: { ...plain.followUp, kinds: ["playlist"] } };
    const none = { hasFiles: false, hasWork: false, hasDelays: false };
    expect(getRecordNeeds([plain])).toEqual(none);
    expect(getRecordNeeds([plain, files])).toEqual({ ...none, hasFiles: true });
    expect(getRecordNeeds([plain, work])).toEqual({ ...none, hasWork: true });
    expect(getRecordNeeds([delay, plain])).toEqual({ ...none, hasDelays: true });
  });
});

describe("the answer to a record", () => {
  it("names the endpoints that have its event to be told of now", async () => {
    const stored = await storedDelivery();
    const one = proofOf(stored);
    const message = (webhookId: string, eventId: string, state: string) => ({ webhookId, eventId, state });
    const messages = [
      message("wh_1", "evt_1", "pending"),
      message("wh_2", "evt_2", "pending"),
      message("wh_3", "evt_1", "skipped"),
    ];
    expect(readRecorded([one], { left: [], messages })).toEqual([{ written: false, endpointsToNotify: ["wh_1"] }]);
    expect(readRecorded([{ ...one, event: null }], { left: [], messages })).toEqual([
      { written: false, endpointsToNotify: [] },
    ]);
  });

  it("does not tell again of an event that others have followed", async () => {
    const stored = await storedDelivery(sending);
    const first = deliveryRecord(stored, {
      decision: { state: "retry_wait" },
      event: event("delivery.retrying"),
    });
    await record(first);
    const second = { ...stored, guard: { ...stored.guard, key: { ...stored.key, channelId: "ch_2" } } };
    await record(proofOf(second, { event: event("delivery.succeeded", "evt_2") }));
    await stored.addWebhook("wh_late", { events: ["delivery.retrying"] });
    expect(await record(first)).toEqual(isWritten);
    expect(await stored.readMessages()).toEqual([]);
  });
});
