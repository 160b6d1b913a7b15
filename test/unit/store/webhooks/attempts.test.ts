// What an attempt makes of its endpoint, whatever another attempt beside it has made of it meanwhile.
import { beforeEach, describe, expect, it } from "vitest";
import { FAILING_MAX_MS, type WebhookAnswer } from "../../../../src/domain/webhook.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { webhookMessages, webhooks, workspaces } from "../../../../src/store/db/schema.ts";
import { settleAttempt } from "../../../../src/store/webhooks/attempts.ts";
import { sqliteDatabase } from "../../../support/sqlite-database.ts";

const NOW = 1_800_000_000_000;
const LATER = NOW + 60_000;
const { raw, binding } = sqliteDatabase();
raw.function("unixepoch", { varargs: true }, () => NOW / 1000);
const db = openDatabase(binding);

const answer = (status: number): WebhookAnswer => ({
  outcome: status === 200 ? "delivered" : "refused",
  status,
  retryAfterMs: null,
  durationMs: 1,
  response: null,
});

/** Settles an attempt for a message; `read`: the endpoint as it was before the call. */
const settle = (read: typeof webhooks.$inferSelect, eventId: string, status: number, off: "failing" | "gone" | null) =>
  settleAttempt(
    db,
    read,
    {
      id: `att_${eventId}`,
      eventId,
      event: "test",
      attempt: 1,
      answer: answer(status),
      nextAt: status === 200 ? null : LATER,
    },
    off,
  );

let endpoint: typeof webhooks.$inferSelect;
beforeEach(async () => {
  for (const table of ["webhook_attempts", "webhook_messages", "webhooks", "workspaces"])
    raw.exec(`DELETE FROM ${table}`);
  await db.insert(workspaces).values({ id: "ws_1", name: "Ada", plan: "unlimited", createdAt: 0 });
  const failingSince = NOW - FAILING_MAX_MS;
  const row = {
    workspaceId: "ws_1",
    id: "wh_1",
    url: "https://a.example",
    events: [],
    secret: "s",
    failingSince,
    createdAt: 0,
  };
  await db.insert(webhooks).values(row);
  const message = { workspaceId: "ws_1", webhookId: "wh_1", state: "pending", nextAt: NOW } as const;
  await db
    .insert(webhookMessages)
    .values(["1", "2", "3"].map((id) => ({ ...message, eventId: id, eventSeq: Number(id) })));
  [endpoint = expect.fail("no endpoint")] = await db.select().from(webhooks);
});
const states = async () => (await db.select().from(webhookMessages)).map(({ state }) => state);

describe("an endpoint that has failed for five days", () => {
  it("is switched off by its next failure, with all that waits for it", async () => {
    expect(await settle(endpoint, "1", 500, "failing")).toBe(true);
    expect(await db.select().from(webhooks)).toMatchObject([{ disabledAt: NOW, disabledReason: "failing" }]);
    expect(await states()).toEqual(["exhausted", "skipped", "skipped"]);
  });

  it("stays on where another attempt was acknowledged while this one was under way", async () => {
    await settle(endpoint, "1", 200, null);
    expect(await settle(endpoint, "2", 500, "failing")).toBe(false);
    expect(await db.select().from(webhooks)).toMatchObject([{ disabledAt: null, failingSince: NOW }]);
    expect(await states()).toEqual(["delivered", "pending", "pending"]);
    const [, waiting] = await db.select().from(webhookMessages);
    expect(waiting?.nextAt).toBe(LATER);
    expect(raw.prepare("SELECT next_attempt_at FROM webhook_attempts WHERE event_id = '2'").get()).toEqual({
      next_attempt_at: LATER,
    });
  });

  it("drops nothing that waits for other endpoints, here and in other workspaces, when it says that it is gone", async () => {
    await db.insert(workspaces).values({ id: "ws_2", name: "Bob", plan: "unlimited", createdAt: 0 });
    const others = [
      { workspaceId: "ws_1", id: "wh_2" },
      { workspaceId: "ws_2", id: "wh_1" },
    ];
    await db.insert(webhooks).values(others.map((key) => ({ ...endpoint, ...key })));
    const message = { eventId: "9", eventSeq: 9, state: "pending", nextAt: NOW } as const;
    await db
      .insert(webhookMessages)
      .values(others.map(({ workspaceId, id }) => ({ ...message, workspaceId, webhookId: id })));
    const rest = async () => ({
      messages: (await db.select().from(webhookMessages)).filter(({ eventId }) => eventId === "9"),
      endpoints: (await db.select().from(webhooks)).filter((row) => row.workspaceId !== "ws_1" || row.id !== "wh_1"),
    });
    const before = await rest();
    expect(await settle(endpoint, "1", 410, "gone")).toBe(true);
    expect(await rest()).toEqual(before);
    expect(before.messages.map(({ state }) => state)).toEqual(["pending", "pending"]);
  });

  it("is switched off when it says that it is gone, whatever it took before", async () => {
    await settle(endpoint, "1", 200, null);
    expect(await settle(endpoint, "2", 410, "gone")).toBe(true);
    expect(await db.select().from(webhooks)).toMatchObject([{ disabledAt: NOW, disabledReason: "gone" }]);
    expect(await states()).toEqual(["delivered", "exhausted", "skipped"]);
  });
});
