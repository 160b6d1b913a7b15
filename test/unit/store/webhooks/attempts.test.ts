// The effects of an attempt on its message and its endpoint, including simultaneous attempts.
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  type DisabledReason,
  FAILING_MAX_MS,
  WEBHOOK_LOG_MS,
  type WebhookAnswer,
} from "../../../../src/domain/webhook.ts";
import { webhookMessages } from "../../../../src/store/db/schema.ts";
import { recordAttempt, recordRequestedAttempt } from "../../../../src/store/webhooks/attempts.ts";
import type { WebhookRow } from "../../../../src/store/webhooks/endpoints.ts";
import { db, NOW, pass, storeEndpoint } from "./stored-endpoint.ts";

const NEXT_AT = NOW + 60_000;
const FORGOTTEN_AT = NOW + WEBHOOK_LOG_MS;

const makeAnswer = (status: number): WebhookAnswer => ({
  outcome: status === 200 ? "delivered" : "refused",
  status,
  retryAfterMs: null,
  durationMs: 12,
  response: "the beginning of its body",
});
const makeAttempt = (eventId: string, status: number, nextAt: number | null) => ({
  id: `att_${eventId}`,
  eventId,
  event: "delivery.failed",
  attempt: 2,
  answer: makeAnswer(status),
  nextAt,
});
/** Records an attempt; `endpoint` was read before the call. */
const record = (endpoint: WebhookRow, eventId: string, status: number, off: DisabledReason | null = null) =>
  recordAttempt(db, endpoint, makeAttempt(eventId, status, status === 200 || status === 410 ? null : NEXT_AT), off);

describe("an attempt", () => {
  it("an acknowledged attempt ends only its message, and the endpoint is no longer failing", async () => {
    const stored = await storeEndpoint({ failingSince: NOW - 9 });
    expect(await record(stored.endpoint, "evt_2", 200)).toBe(false);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", state: "pending", nextAt: NOW },
      { eventId: "evt_2", state: "delivered", nextAt: FORGOTTEN_AT },
      { eventId: "evt_3", state: "pending", nextAt: NOW },
    ]);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: null, disabledAt: null, disabledReason: null });
  });

  it("a refused attempt keeps its message pending until the next attempt, and the endpoint is failing from now on", async () => {
    const stored = await storeEndpoint();
    expect(await record(stored.endpoint, "evt_2", 500)).toBe(false);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", state: "pending", nextAt: NOW },
      { eventId: "evt_2", state: "pending", nextAt: NEXT_AT },
      { eventId: "evt_3", state: "pending", nextAt: NOW },
    ]);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: NOW, disabledAt: null });
  });

  it("a refused attempt does not change since when the endpoint has been failing", async () => {
    const stored = await storeEndpoint({ failingSince: NOW - 9 });
    await record(stored.endpoint, "evt_1", 500);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: NOW - 9 });
  });

  it("the last refused attempt exhausts only its message", async () => {
    const stored = await storeEndpoint();
    await recordAttempt(db, stored.endpoint, makeAttempt("evt_2", 500, null), null);
    expect(await stored.readMessages()).toMatchObject([
      { eventId: "evt_1", state: "pending", nextAt: NOW },
      { eventId: "evt_2", state: "exhausted", nextAt: FORGOTTEN_AT },
      { eventId: "evt_3", state: "pending", nextAt: NOW },
    ]);
  });

  it("an attempt is logged with its answer", async () => {
    const stored = await storeEndpoint();
    await record(stored.endpoint, "evt_2", 500);
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
    "a late refused attempt does not change a message that is %s",
    async (state) => {
      const stored = await storeEndpoint();
      await stored.changeMessage("evt_1", { state, nextAt: NOW + 9 });
      await record(stored.endpoint, "evt_1", 500);
      expect((await stored.readMessages())[0]).toMatchObject({ state, nextAt: NOW + 9 });
    },
  );
});

describe("an endpoint that has failed for five days", () => {
  const storeFailing = () => storeEndpoint({ failingSince: NOW - FAILING_MAX_MS });
  const readStates = async (stored: Awaited<ReturnType<typeof storeFailing>>) =>
    (await stored.readMessages()).map(({ state }) => state);

  it("an endpoint is disabled by the next failure after five days, and only its own messages are skipped", async () => {
    const stored = await storeFailing();
    expect(await record(stored.endpoint, "evt_1", 500, "failing")).toBe(true);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "failing" });
    expect(await stored.readMessages()).toMatchObject([
      { state: "exhausted", nextAt: FORGOTTEN_AT },
      { state: "skipped", nextAt: FORGOTTEN_AT },
      { state: "skipped", nextAt: FORGOTTEN_AT },
    ]);
    expect(await stored.readAttempts()).toMatchObject([{ nextAttemptAt: null }]);
  });

  it("an endpoint stays enabled one millisecond before five days are over", async () => {
    const stored = await storeEndpoint({ failingSince: NOW - FAILING_MAX_MS + 1 });
    expect(await record(stored.endpoint, "evt_1", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: null, disabledReason: null });
    expect(await readStates(stored)).toEqual(["pending", "pending", "pending"]);
  });

  it("an endpoint is not disabled by a call that began before the five days were over", async () => {
    const stored = await storeFailing();
    expect(await record(stored.endpoint, "evt_1", 500)).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: null, disabledReason: null });
    expect(await readStates(stored)).toEqual(["pending", "pending", "pending"]);
  });

  it("an endpoint stays enabled if another attempt was acknowledged during the failed one", async () => {
    const stored = await storeFailing();
    await record(stored.endpoint, "evt_1", 200);
    expect(await record(stored.endpoint, "evt_2", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: null, disabledReason: null, failingSince: NOW });
    expect(await stored.readMessages()).toMatchObject([
      { state: "delivered" },
      { state: "pending", nextAt: NEXT_AT },
      { state: "pending", nextAt: NOW },
    ]);
    expect(await stored.readAttempts()).toMatchObject([{ nextAttemptAt: null }, { nextAttemptAt: NEXT_AT }]);
  });

  it("an endpoint is disabled once, by the first of two simultaneous failures", async () => {
    const stored = await storeFailing();
    expect(await record(stored.endpoint, "evt_1", 500, "failing")).toBe(true);
    pass(5);
    expect(await record(stored.endpoint, "evt_2", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "failing" });
    expect(await readStates(stored)).toEqual(["exhausted", "skipped", "skipped"]);
  });
});

describe("an endpoint that answers 410 Gone", () => {
  it("an endpoint that answers 410 is disabled even after a success, and messages of other endpoints stay", async () => {
    const stored = await storeEndpoint();
    await record(stored.endpoint, "evt_1", 200);
    expect(await record(stored.endpoint, "evt_2", 410, "gone")).toBe(true);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "gone", failingSince: NOW });
    expect(await stored.readMessages()).toMatchObject([
      { state: "delivered" },
      { state: "exhausted", nextAt: FORGOTTEN_AT },
      { state: "skipped", nextAt: FORGOTTEN_AT },
    ]);
  });

  it("an endpoint that answers 410 keeps this reason if a simultaneous call fails on the fifth day", async () => {
    const stored = await storeEndpoint({ failingSince: NOW - FAILING_MAX_MS });
    expect(await record(stored.endpoint, "evt_1", 410, "gone")).toBe(true);
    pass(5);
    expect(await record(stored.endpoint, "evt_2", 500, "failing")).toBe(false);
    expect(await stored.readEndpoint()).toMatchObject({ disabledAt: NOW, disabledReason: "gone" });
  });

  it("a simultaneous failure announces no further attempt at an endpoint that answers 410", async () => {
    const stored = await storeEndpoint();
    await record(stored.endpoint, "evt_1", 410, "gone");
    expect(await record(stored.endpoint, "evt_2", 500)).toBe(false);
    expect((await stored.readMessages())[1]).toMatchObject({ state: "skipped", nextAt: FORGOTTEN_AT });
    expect(await stored.readAttempts()).toMatchObject([{ nextAttemptAt: null }, { nextAttemptAt: null }]);
  });
});

describe("a requested attempt", () => {
  const off = { failingSince: NOW - 9, disabledAt: NOW - 8, disabledReason: "failing" } as const;

  it("a requested attempt that is acknowledged enables the endpoint, and ends only its message", async () => {
    const stored = await storeEndpoint(off);
    await stored.changeMessage("evt_1", { state: "exhausted" });
    const { attemptedAt, ...attempt } = await recordRequestedAttempt(
      db,
      stored.endpoint,
      makeAttempt("evt_1", 200, null),
    );
    expect({ attemptedAt, ...attempt }).toMatchObject({ id: "att_evt_1", outcome: "delivered", attemptedAt: NOW });
    expect(await stored.readAttempts()).toEqual([{ attemptedAt, ...attempt }]);
    expect(await stored.readEndpoint()).toMatchObject({ failingSince: null, disabledAt: null, disabledReason: null });
    expect(await stored.readMessages()).toMatchObject([
      { state: "delivered", nextAt: FORGOTTEN_AT },
      { state: "pending", nextAt: NOW },
      { state: "pending", nextAt: NOW },
    ]);
  });

  it("a requested attempt that is refused does not change the endpoint and the message", async () => {
    const stored = await storeEndpoint(off);
    const before = await stored.read();
    expect(await recordRequestedAttempt(db, stored.endpoint, makeAttempt("evt_1", 500, null))).toMatchObject({
      outcome: "refused",
    });
    const { attempts, ...after } = await stored.read();
    expect(attempts).toMatchObject([{ id: "att_evt_1", responseCode: 500, nextAttemptAt: null }]);
    expect(after).toEqual({ endpoint: before.endpoint, messages: before.messages });
  });
});

it("a message that was delivered on request stays delivered when a simultaneous attempt fails", async () => {
  const stored = await storeEndpoint();
  await recordRequestedAttempt(db, stored.endpoint, makeAttempt("evt_1", 200, null));
  await recordAttempt(db, stored.endpoint, { ...makeAttempt("evt_1", 500, NEXT_AT), id: "att_late" }, null);
  const isFirst = and(eq(webhookMessages.webhookId, "wh_1"), eq(webhookMessages.workspaceId, "ws_1"));
  expect(await db.select().from(webhookMessages).where(isFirst).limit(1)).toMatchObject([{ state: "delivered" }]);
});
