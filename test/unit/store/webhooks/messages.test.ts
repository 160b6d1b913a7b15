// Which message of an endpoint is taken next, and what becomes of one that is given back.
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { WEBHOOK_LOG_MS, WEBHOOK_WAITS_MS } from "../../../../src/domain/webhook.ts";
import { batch } from "../../../../src/store/db/batch.ts";
import { events, webhooks } from "../../../../src/store/db/schema.ts";
import { insertEvents } from "../../../../src/store/events.ts";
import {
  endpointsToNotify,
  fanOutOfChannel,
  giveBack,
  nextMessageAt,
  takeMessage,
} from "../../../../src/store/webhooks/messages.ts";
import { db, NOW, storedEndpoint } from "./stored-endpoint.ts";

const LEASE_MS = 60_000;
const take = () => takeMessage(db, "ws_1", "wh_1");

describe("the next message of an endpoint", () => {
  it("is the one that has been due longest, with the event as it was written", async () => {
    const stored = await storedEndpoint();
    await stored.changeMessage("evt_2", { nextAt: NOW - 2 });
    await stored.changeMessage("evt_3", { nextAt: NOW - 1 });
    expect(await take()).toEqual({
      webhook: stored.endpoint,
      event: { id: "evt_2", event: "delivery.failed", body: '{"id":"evt_2"}' },
      attempt: 1,
      now: NOW,
    });
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", attempts: 0, nextAt: NOW, state: "pending" },
      { eventId: "evt_2", attempts: 1, nextAt: NOW + LEASE_MS + 5_000, state: "pending" },
      { eventId: "evt_3", attempts: 0, nextAt: NOW - 1, state: "pending" },
    ]);
  });

  it("is the oldest event where several are due at the same instant", async () => {
    await storedEndpoint();
    const taken = [await take(), await take(), await take(), await take()];
    expect(taken.map((message) => message?.event.id)).toEqual(["evt_1", "evt_2", "evt_3", undefined]);
  });

  it("does not exist before its time has come", async () => {
    const stored = await storedEndpoint();
    for (const id of ["evt_1", "evt_2", "evt_3"]) await stored.changeMessage(id, { nextAt: NOW + 1 });
    const before = await stored.read();
    expect(await take()).toBeNull();
    expect(await stored.read()).toEqual(before);
  });

  it("is none that was delivered, exhausted or skipped", async () => {
    const stored = await storedEndpoint();
    await stored.changeMessage("evt_1", { state: "delivered", nextAt: NOW - 1 });
    await stored.changeMessage("evt_2", { state: "exhausted", nextAt: NOW - 1 });
    await stored.changeMessage("evt_3", { state: "skipped", nextAt: NOW - 1 });
    const before = await stored.read();
    expect(await take()).toBeNull();
    expect(await stored.read()).toEqual(before);
  });

  it("is the one after a message whose event the feed has forgotten, which ends", async () => {
    const stored = await storedEndpoint();
    await db.delete(events).where(and(eq(events.workspaceId, "ws_1"), eq(events.seq, 1)));
    expect((await take())?.event.id).toBe("evt_2");
    const left = [{ state: "exhausted" }, { state: "pending", attempts: 1 }, { state: "pending", attempts: 0 }];
    expect(await stored.readMessages()).toMatchObject(left);
  });

  it("does not exist for an endpoint that was removed", async () => {
    await storedEndpoint();
    await db.delete(webhooks).where(eq(webhooks.workspaceId, "ws_1"));
    expect(await take()).toBeNull();
  });

  it.each([...WEBHOOK_WAITS_MS, 0].map((waitMs, attempts) => ({ attempts, waitMs })))(
    "whose attempt $attempts + 1 never ends is tried again after its lease and the usual wait of $waitMs ms",
    async ({ attempts, waitMs }) => {
      const stored = await storedEndpoint();
      await stored.changeMessage("evt_1", { attempts });
      expect(await take()).toMatchObject({ attempt: attempts + 1 });
      const [message] = await stored.readMessages();
      expect(message).toMatchObject({ attempts: attempts + 1, nextAt: NOW + LEASE_MS + waitMs });
    },
  );
});

describe("a message that is given back", () => {
  it("is due when it is said, and has used up no attempt", async () => {
    const stored = await storedEndpoint();
    await stored.changeMessage("evt_1", { attempts: 3 });
    await take();
    await giveBack(db, stored.endpoint, "evt_1", NOW + 7);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", attempts: 3, nextAt: NOW + 7, state: "pending" },
      { eventId: "evt_2", attempts: 0, nextAt: NOW },
      { eventId: "evt_3", attempts: 0, nextAt: NOW },
    ]);
  });

  it("stays as it is once it was delivered or skipped meanwhile", async () => {
    const stored = await storedEndpoint();
    await stored.changeMessage("evt_1", { state: "skipped", attempts: 1 });
    const before = await stored.read();
    await giveBack(db, stored.endpoint, "evt_1", NOW + 7);
    expect(await stored.read()).toEqual(before);
  });
});

describe("the time of an endpoint's next message", () => {
  it("is that of the earliest one that is pending", async () => {
    const stored = await storedEndpoint();
    await stored.changeMessage("evt_1", { nextAt: NOW + 9 });
    await stored.changeMessage("evt_2", { nextAt: NOW + 5 });
    await stored.changeMessage("evt_3", { nextAt: NOW + 1, state: "delivered" });
    expect(await nextMessageAt(db, "ws_1", "wh_1")).toBe(NOW + 5);
  });

  it("is null when nothing is pending, whatever waits for other endpoints", async () => {
    const stored = await storedEndpoint();
    for (const id of ["evt_1", "evt_2", "evt_3"]) await stored.changeMessage(id, { state: "exhausted" });
    expect(await nextMessageAt(db, "ws_1", "wh_1")).toBeNull();
  });
});

describe("an event of a channel", () => {
  const event = { id: "evt_9", event: "channel.disconnected", body: '{"id":"evt_9"}', createdAt: NOW };
  /** Writes an event of the channel "ch_1" and hands it to the endpoints; `written`: what differs in the row. */
  const announce = async (
    written: Partial<typeof event> & { postId?: string; channelId?: string; at?: number } = {},
  ) => {
    const { postId = null, channelId = "ch_1", at = event.createdAt, ...changes } = written;
    const { messages } = await batch(db, {
      event: insertEvents(
        db,
        { workspaceId: "ws_1", ...event, ...changes, postId, channelId, dedupeKey: at },
        sql`WHERE TRUE`,
      ),
      messages: fanOutOfChannel(db, "ws_1", "ch_1", event),
    });
    return messages;
  };

  it("becomes a message for each endpoint of its workspace that wants it, due at once", async () => {
    const stored = await storedEndpoint({ events: ["channel.disconnected", "delivery.failed"] });
    expect(await announce()).toEqual([{ webhookId: "wh_1", eventId: "evt_9", state: "pending" }]);
    expect((await stored.readMessages()).at(-1)).toEqual({
      workspaceId: "ws_1",
      webhookId: "wh_1",
      eventId: "evt_9",
      eventSeq: 4,
      state: "pending",
      attempts: 0,
      nextAt: NOW,
    });
  });

  it("is noted as skipped for an endpoint that is switched off", async () => {
    const stored = await storedEndpoint({ events: ["channel.disconnected"], disabledAt: NOW });
    expect(await announce()).toEqual([{ webhookId: "wh_1", eventId: "evt_9", state: "skipped" }]);
    expect((await stored.readMessages()).at(-1)).toMatchObject({ state: "skipped", nextAt: NOW + WEBHOOK_LOG_MS });
  });

  it("becomes one message however often it is handed out", async () => {
    await storedEndpoint({ events: ["channel.disconnected"] });
    await announce();
    const { messages } = await batch(db, { messages: fanOutOfChannel(db, "ws_1", "ch_1", event) });
    expect(messages).toEqual([]);
  });

  it.each([
    ["another event's id", { id: "evt_8" }],
    ["another name", { event: "channel.token_expiring" }],
    ["another instant", { at: NOW + 1 }],
    ["a post", { postId: "post_1" }],
    ["another channel", { channelId: "ch_2" }],
  ])("is not mistaken for one with %s", async (_what, written) => {
    await storedEndpoint({ events: ["channel.disconnected", "channel.token_expiring"] });
    expect(await announce(written)).toEqual([]);
  });

  it("wakes the endpoints that have a message due, and no others", () => {
    const rows = [
      { webhookId: "wh_1", state: "pending" },
      { webhookId: "wh_2", state: "skipped" },
    ];
    expect(endpointsToNotify(rows)).toEqual(["wh_1"]);
  });
});
