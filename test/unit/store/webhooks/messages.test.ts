// Taking the next message of an endpoint, and giving a message back.
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
import { db, NOW, storeEndpoint } from "./stored-endpoint.ts";

const LEASE_MS = 60_000;
const takeNext = () => takeMessage(db, "ws_1", "wh_1");

describe("the next message of an endpoint", () => {
  it("the next message is the one that has been due longest, with its event unchanged", async () => {
    const stored = await storeEndpoint();
    await stored.changeMessage("evt_2", { nextAt: NOW - 2 });
    await stored.changeMessage("evt_3", { nextAt: NOW - 1 });
    expect(await takeNext()).toEqual({
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

  it("the next message is that of the oldest event if several are due at the same instant", async () => {
    await storeEndpoint();
    const messagesTaken = [await takeNext(), await takeNext(), await takeNext(), await takeNext()];
    expect(messagesTaken.map((message) => message?.event.id)).toEqual(["evt_1", "evt_2", "evt_3", undefined]);
  });

  it("there is no next message before one is due", async () => {
    const stored = await storeEndpoint();
    for (const id of ["evt_1", "evt_2", "evt_3"]) await stored.changeMessage(id, { nextAt: NOW + 1 });
    const before = await stored.read();
    expect(await takeNext()).toBeNull();
    expect(await stored.read()).toEqual(before);
  });

  it("delivered, exhausted and skipped messages are never the next message", async () => {
    const stored = await storeEndpoint();
    await stored.changeMessage("evt_1", { state: "delivered", nextAt: NOW - 1 });
    await stored.changeMessage("evt_2", { state: "exhausted", nextAt: NOW - 1 });
    await stored.changeMessage("evt_3", { state: "skipped", nextAt: NOW - 1 });
    const before = await stored.read();
    expect(await takeNext()).toBeNull();
    expect(await stored.read()).toEqual(before);
  });

  it("a message whose event has been deleted is exhausted, and the following one is the next message", async () => {
    const stored = await storeEndpoint();
    await db.delete(events).where(and(eq(events.workspaceId, "ws_1"), eq(events.seq, 1)));
    expect((await takeNext())?.event.id).toBe("evt_2");
    const expectedMessages = [
      { state: "exhausted" },
      { state: "pending", attempts: 1 },
      { state: "pending", attempts: 0 },
    ];
    expect(await stored.readMessages()).toMatchObject(expectedMessages);
  });

  it("there is no next message for a removed endpoint", async () => {
    await storeEndpoint();
    await db.delete(webhooks).where(eq(webhooks.workspaceId, "ws_1"));
    expect(await takeNext()).toBeNull();
  });

  it.each([...WEBHOOK_WAITS_MS, 0].map((waitMs, attempts) => ({ attempts, waitMs })))(
    "a message whose attempt $attempts + 1 never ends is retried after its lease and the usual wait of $waitMs ms",
    async ({ attempts, waitMs }) => {
      const stored = await storeEndpoint();
      await stored.changeMessage("evt_1", { attempts });
      expect(await takeNext()).toMatchObject({ attempt: attempts + 1 });
      const [message] = await stored.readMessages();
      expect(message).toMatchObject({ attempts: attempts + 1, nextAt: NOW + LEASE_MS + waitMs });
    },
  );
});

describe("a message that is given back", () => {
  it("a message that is given back is due at the given time, and has used up no attempt", async () => {
    const stored = await storeEndpoint();
    await stored.changeMessage("evt_1", { attempts: 3 });
    await takeNext();
    await giveBack(db, stored.endpoint, "evt_1", NOW + 7);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", attempts: 3, nextAt: NOW + 7, state: "pending" },
      { eventId: "evt_2", attempts: 0, nextAt: NOW },
      { eventId: "evt_3", attempts: 0, nextAt: NOW },
    ]);
  });

  it("a message that was delivered or skipped in the meantime is not given back", async () => {
    const stored = await storeEndpoint();
    await stored.changeMessage("evt_1", { state: "skipped", attempts: 1 });
    const before = await stored.read();
    await giveBack(db, stored.endpoint, "evt_1", NOW + 7);
    expect(await stored.read()).toEqual(before);
  });
});

describe("the time of an endpoint's next message", () => {
  it("the time of the next message is that of the earliest pending one", async () => {
    const stored = await storeEndpoint();
    await stored.changeMessage("evt_1", { nextAt: NOW + 9 });
    await stored.changeMessage("evt_2", { nextAt: NOW + 5 });
    await stored.changeMessage("evt_3", { nextAt: NOW + 1, state: "delivered" });
    expect(await nextMessageAt(db, "ws_1", "wh_1")).toBe(NOW + 5);
  });

  it("the time of the next message is null if the endpoint has no pending messages", async () => {
    const stored = await storeEndpoint();
    for (const id of ["evt_1", "evt_2", "evt_3"]) await stored.changeMessage(id, { state: "exhausted" });
    expect(await nextMessageAt(db, "ws_1", "wh_1")).toBeNull();
  });
});

describe("an event of a channel", () => {
  const event = { id: "evt_9", event: "channel.disconnected", body: '{"id":"evt_9"}', createdAt: NOW };
  /** Writes an event of the channel "ch_1" with these changed fields, and creates its messages. */
  const announce = async (
    changedFields: Partial<typeof event> & { postId?: string; channelId?: string; at?: number } = {},
  ) => {
    const { postId = null, channelId = "ch_1", at: dedupeKey = event.createdAt, ...changes } = changedFields;
    const { messages } = await batch(db, {
      event: insertEvents(
        db,
        { workspaceId: "ws_1", ...event, ...changes, postId, channelId, dedupeKey: dedupeKey },
        sql`WHERE TRUE`,
      ),
      messages: fanOutOfChannel(db, "ws_1", "ch_1", event),
    });
    return messages;
  };

  it("an event of a channel becomes a message for each subscribing endpoint of its workspace, due now", async () => {
    const stored = await storeEndpoint({ events: ["channel.disconnected", "delivery.failed"] });
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

  it("the message for a disabled endpoint is skipped", async () => {
    const stored = await storeEndpoint({ events: ["channel.disconnected"], disabledAt: NOW });
    expect(await announce()).toEqual([{ webhookId: "wh_1", eventId: "evt_9", state: "skipped" }]);
    expect((await stored.readMessages()).at(-1)).toMatchObject({ state: "skipped", nextAt: NOW + WEBHOOK_LOG_MS });
  });

  it("an event of a channel becomes one message, even if it is distributed twice", async () => {
    await storeEndpoint({ events: ["channel.disconnected"] });
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
  ])("an event of a channel is not mistaken for one with %s", async (_difference, changedFields) => {
    await storeEndpoint({ events: ["channel.disconnected", "channel.token_expiring"] });
    expect(await announce(changedFields)).toEqual([]);
  });

  it("only endpoints with a pending message are notified", () => {
    const rows = [
      { webhookId: "wh_1", state: "pending" },
      { webhookId: "wh_2", state: "skipped" },
    ];
    expect(endpointsToNotify(rows)).toEqual(["wh_1"]);
  });
});
