// What an attempt makes of its message and of its endpoint, whatever another attempt beside it has made of them meanwhile.
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  type DisabledReason,
  FAILING_MAX_MS,
  WEBHOOK_LOG_MS,
  type WebhookAnswer,
} from "../../../../src/domain/webhook.ts";
import { webhookMessages } from "../../../../src/store/db/schema.ts";
import { noteAttempt, settleAttempt } from "../../../../src/store/webhooks/attempts.ts";
import type { WebhookRow } from "../../../../src/store/webhooks/endpoints.ts";
import { db, NOW, pass, storedEndpoint } from "./stored-endpoint.ts";

const NEXT_AT = NOW + 60_000;
const FORGOTTEN_AT = NOW + WEBHOOK_LOG_MS;

const answer = (status: number): WebhookAnswer => ({
  outcome: status === 200 ? "delivered" : "refused",
  status,
  retryAfterMs: null,
  durationMs: 12,
  response: "the beginning of its body",
});
const logged = (eventId: string, status: number, nextAt: number | null) => ({
  id: `att_${eventId}`,
  eventId,
  event: "delivery.failed",
  attempt: 2,
  answer: answer(status),
  nextAt,
});
/** Settles an attempt that `endpoint` was read for, before the call. */
const settle = (endpoint: WebhookRow, eventId: string, status: number, off: DisabledReason | null = null) =>
  settleAttempt(db, endpoint, logged(eventId, status, status === 200 || status === 410 ? null : NEXT_AT), off);

describe("an attempt", () => {
  it("that is acknowledged ends its message alone, and the endpoint is not failing any more", async () => {
    const stored = await storedEndpoint({ failingSince: NOW - 9 });
    expect(await settle(stored.endpoint, "evt_2", 200)).toBe(false);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", state: "pending", nextAt: NOW },
      { eventId: "evt_2", state: "delivered", nextAt: FORGOTTEN_AT },
      { eventId: "evt_3", state: "pending", nextAt: NOW },
    ]);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: null, disabledAt: null, disabledReason: null });
  });

  it("that is refused leaves its message pending until the next one, and the endpoint is failing from now on", async () => {
    const stored = await storedEndpoint();
    expect(await settle(stored.endpoint, "evt_2", 500)).toBe(false);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", state: "pending", nextAt: NOW },
      { eventId: "evt_2", state: "pending", nextAt: NEXT_AT },
      { eventId: "evt_3", state: "pending", nextAt: NOW },
    ]);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: NOW, disabledAt: null });
  });

  it("that is refused does not change since when the endpoint has been failing", async () => {
    const stored = await storedEndpoint({ failingSince: NOW - 9 });
    await settle(stored.endpoint, "evt_1", 500);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: NOW - 9 });
  });

  it("that was the last one exhausts its message alone", async () => {
    const stored = await storedEndpoint();
    await settleAttempt(db, stored.endpoint, logged("evt_2", 500, null), null);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", state: "pending", nextAt: NOW },
      { eventId: "evt_2", state: "exhausted", nextAt: FORGOTTEN_AT },
      { eventId: "evt_3", state: "pending", nextAt: NOW },
    ]);
  });

  it("is logged with its answer", async () => {
    const stored = await storedEndpoint();
    await settle(stored.endpoint, "evt_2", 500);
    expect(await stored.readAttempts()).toEqual([
      {
        workspaceId: "ws_1",
        webhookId: "wh_1",
        id: "att_evt_2",
        eventId: "evt_2",
        event: "delivery.failed",
        attempt: 2,
        responseCode: 500,
        outcome: "refused",
        durationMs: 12,
        response: "the beginning of its body",
        attemptedAt: NOW,
        nextAttemptAt: NEXT_AT,
      },
    ]);
  });

  it.each(["delivered", "exhausted", "skipped"] as const)(
    "that is refused late does not bring a message back that is %s",
    async (state) => {
      const stored = await storedEndpoint();
      await stored.changeMessage("evt_1", { state, nextAt: NOW + 9 });
      await settle(stored.endpoint, "evt_1", 500);
      expect((await stored.readMessages())[0]).toMatchObject({ state, nextAt: NOW + 9 });
    },
  );
});

describe("an endpoint that has failed for five days", () => {
  const failing = () => storedEndpoint({ failingSince: NOW - FAILING_MAX_MS });
  const states = async (stored: Awaited<ReturnType<typeof failing>>) =>
    (await stored.readMessages()).map(({ state }) => state);

  it("is switched off by its next failure, with all that waits for it and nothing that waits for others", async () => {
    const stored = await failing();
    expect(await settle(stored.endpoint, "evt_1", 500, "failing")).toBe(true);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "failing" });
    expect(await stored.readMessages()).toMatchObject([
      { state: "exhausted", nextAt: FORGOTTEN_AT },
      { state: "skipped", nextAt: FORGOTTEN_AT },
      { state: "skipped", nextAt: FORGOTTEN_AT },
    ]);
    expect(await stored.readAttempts()).toMatchObject([{ nextAttemptAt: null }]);
  });

  it("stays on for one more millisecond before five days are over", async () => {
    const stored = await storedEndpoint({ failingSince: NOW - FAILING_MAX_MS + 1 });
    expect(await settle(stored.endpoint, "evt_1", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: null, disabledReason: null });
    expect(await states(stored)).toEqual(["pending", "pending", "pending"]);
  });

  it("is not switched off by a call that began before the five days were over", async () => {
    const stored = await failing();
    expect(await settle(stored.endpoint, "evt_1", 500)).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: null, disabledReason: null });
    expect(await states(stored)).toEqual(["pending", "pending", "pending"]);
  });

  it("stays on where another attempt was acknowledged while this one was under way", async () => {
    const stored = await failing();
    await settle(stored.endpoint, "evt_1", 200);
    expect(await settle(stored.endpoint, "evt_2", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: null, disabledReason: null, failingSince: NOW });
    expect(await stored.readMessages()).toMatchObject([
      { state: "delivered" },
      { state: "pending", nextAt: NEXT_AT },
      { state: "pending", nextAt: NOW },
    ]);
    expect(await stored.readAttempts()).toMatchObject([{ nextAttemptAt: null }, { nextAttemptAt: NEXT_AT }]);
  });

  it("is switched off once, by the first of two failures beside each other", async () => {
    const stored = await failing();
    expect(await settle(stored.endpoint, "evt_1", 500, "failing")).toBe(true);
    pass(5);
    expect(await settle(stored.endpoint, "evt_2", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "failing" });
    expect(await states(stored)).toEqual(["exhausted", "skipped", "skipped"]);
  });
});

describe("an endpoint that says that it is gone", () => {
  it("is switched off whatever it took before, and nothing that waits for other endpoints is dropped", async () => {
    const stored = await storedEndpoint();
    await settle(stored.endpoint, "evt_1", 200);
    expect(await settle(stored.endpoint, "evt_2", 410, "gone")).toBe(true);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "gone", failingSince: NOW });
    expect(await stored.readMessages()).toMatchObject([
      { state: "delivered" },
      { state: "exhausted", nextAt: FORGOTTEN_AT },
      { state: "skipped", nextAt: FORGOTTEN_AT },
    ]);
  });

  it("keeps that reason when a call beside it fails on the fifth day", async () => {
    const stored = await storedEndpoint({ failingSince: NOW - FAILING_MAX_MS });
    expect(await settle(stored.endpoint, "evt_1", 410, "gone")).toBe(true);
    pass(5);
    expect(await settle(stored.endpoint, "evt_2", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "gone" });
  });

  it("gets no further attempt of a call that fails beside it, and its log does not announce one", async () => {
    const stored = await storedEndpoint();
    await settle(stored.endpoint, "evt_1", 410, "gone");
    expect(await settle(stored.endpoint, "evt_2", 500)).toBe(false);
    expect((await stored.readMessages())[1]).toMatchObject({ state: "skipped", nextAt: FORGOTTEN_AT });
    expect(await stored.readAttempts()).toMatchObject([{ nextAttemptAt: null }, { nextAttemptAt: null }]);
  });
});

describe("an attempt that somebody asked for", () => {
  const off = { failingSince: NOW - 9, disabledAt: NOW - 8, disabledReason: "failing" } as const;

  it("switches the endpoint on again when it is acknowledged, and settles its message alone", async () => {
    const stored = await storedEndpoint(off);
    await stored.changeMessage("evt_1", { state: "exhausted" });
    const { attemptedAt, ...attempt } = await noteAttempt(db, stored.endpoint, logged("evt_1", 200, null));
    expect({ attemptedAt, ...attempt }).toMatchObject({ id: "att_evt_1", outcome: "delivered", attemptedAt: NOW });
    expect(await stored.readAttempts()).toEqual([{ attemptedAt, ...attempt }]);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: null, disabledAt: null, disabledReason: null });
    expect(await stored.readMessages()).toMatchObject([
      { state: "delivered", nextAt: FORGOTTEN_AT },
      { state: "pending", nextAt: NOW },
      { state: "pending", nextAt: NOW },
    ]);
  });

  it("leaves the endpoint and the message as they were when it is refused", async () => {
    const stored = await storedEndpoint(off);
    const before = await stored.read();
    expect(await noteAttempt(db, stored.endpoint, logged("evt_1", 500, null))).toMatchObject({ outcome: "refused" });
    const { attempts, ...after } = await stored.read();
    expect(attempts).toMatchObject([{ id: "att_evt_1", responseCode: 500, nextAttemptAt: null }]);
    expect(after).toEqual({ endpoint: before.endpoint, messages: before.messages });
  });
});

it("a message that was delivered by hand stays delivered when the attempt that was under way fails", async () => {
  const stored = await storedEndpoint();
  await noteAttempt(db, stored.endpoint, logged("evt_1", 200, null));
  await settleAttempt(db, stored.endpoint, { ...logged("evt_1", 500, NEXT_AT), id: "att_late" }, null);
  const isFirst = and(eq(webhookMessages.webhookId, "wh_1"), eq(webhookMessages.workspaceId, "ws_1"));
  expect(await db.select().from(webhookMessages).where(isFirst).limit(1)).toMatchObject([{ state: "delivered" }]);
});
