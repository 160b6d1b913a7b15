// Reading and pruning the log of attempts.
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { WEBHOOK_LOG_MS } from "../../../../src/domain/webhook.ts";
import { events } from "../../../../src/store/db/schema.ts";
import { listLog } from "../../../../src/store/webhooks/attempt-log.ts";
import { findAttempt, forgetOldAttempts } from "../../../../src/store/webhooks/attempts.ts";
import { db, NOW, storeEndpoint } from "./stored-endpoint.ts";

const OLD = NOW - WEBHOOK_LOG_MS;

describe("the attempts of an endpoint", () => {
  const storeThreeAttempts = async () => {
    const stored = await storeEndpoint();
    await stored.addAttempt({ id: "att_1", eventId: "evt_1" });
    await stored.addAttempt({ id: "att_2", eventId: "evt_2", outcome: "delivered" });
    await stored.addAttempt({ id: "att_3", eventId: "evt_of_a_test" });
    return stored;
  };

  it("attempts are listed newest first with their bodies, and without a body for a test", async () => {
    await storeThreeAttempts();
    const listed = await listLog(db, "ws_1", "wh_1", 10, null);
    expect(listed.map(({ attempt, body }) => [attempt.id, attempt.webhookId, body])).toEqual([
      ["att_3", "wh_1", null],
      ["att_2", "wh_1", '{"id":"evt_2"}'],
      ["att_1", "wh_1", '{"id":"evt_1"}'],
    ]);
  });

  it("attempts are listed page by page", async () => {
    await storeThreeAttempts();
    const pageIds = async (before: string | null) =>
      (await listLog(db, "ws_1", "wh_1", 2, before)).map(({ attempt }) => attempt.id);
    expect(await pageIds(null)).toEqual(["att_3", "att_2"]);
    expect(await pageIds("att_2")).toEqual(["att_1"]);
  });

  it("an attempt is found by its id only at its own endpoint, even after its event is deleted", async () => {
    await storeThreeAttempts();
    expect(await findAttempt(db, "ws_1", "wh_1", "att_2")).toMatchObject({
      attempt: { workspaceId: "ws_1", webhookId: "wh_1", id: "att_2", outcome: "delivered" },
      body: '{"id":"evt_2"}',
    });
    await db.delete(events).where(and(eq(events.workspaceId, "ws_1"), eq(events.seq, 2)));
    expect(await findAttempt(db, "ws_1", "wh_1", "att_2")).toMatchObject({ attempt: { id: "att_2" }, body: null });
    expect(await findAttempt(db, "ws_1", "wh_2", "att_2")).toBeUndefined();
  });
});

describe("the log", () => {
  it("attempts are deleted after thirty days, and not before", async () => {
    const stored = await storeEndpoint();
    await stored.addAttempt({ id: "att_old", attemptedAt: OLD });
    await stored.addAttempt({ id: "att_young", attemptedAt: OLD + 1 });
    await forgetOldAttempts(db, 10);
    expect(await stored.readAttempts()).toMatchObject([{ id: "att_young" }]);
  });

  it("finished messages are deleted when they expire, and pending ones never", async () => {
    const stored = await storeEndpoint();
    await stored.changeMessage("evt_1", { state: "delivered", nextAt: NOW });
    await stored.changeMessage("evt_2", { state: "skipped", nextAt: NOW + 1 });
    await stored.changeMessage("evt_3", { state: "pending", nextAt: OLD });
    await forgetOldAttempts(db, 10);
    expect(await stored.readMessages()).toMatchObject([{ eventId: "evt_2" }, { eventId: "evt_3" }]);
  });

  it("only a limited number of messages and attempts is deleted at a time", async () => {
    const stored = await storeEndpoint();
    for (const id of ["evt_1", "evt_2", "evt_3"]) await stored.changeMessage(id, { state: "delivered", nextAt: NOW });
    for (const id of ["att_1", "att_2", "att_3"]) await stored.addAttempt({ id, attemptedAt: OLD });
    await forgetOldAttempts(db, 2);
    expect(await stored.readMessages()).toHaveLength(1);
    expect(await stored.readAttempts()).toHaveLength(1);
  });
});
