import { describe, expect, it } from "vitest";
import { webhooks, workspaces } from "../../../../src/store/db/schema.ts";
import {
  getWebhook,
  insertWebhook,
  lateWebhooksAfter,
  listWebhooks,
  removeWebhook,
  replaceSecret,
} from "../../../../src/store/webhooks/endpoints.ts";
import { makeEntry } from "../../../support/audit-entries.ts";
import { db, NOW, storeEndpoint } from "./stored-endpoint.ts";

const makeRow = (id: string): typeof webhooks.$inferInsert => ({
  workspaceId: "ws_1",
  id,
  url: "https://hooks.example/new",
  events: ["delivery.failed"],
  secret: "sealed new",
  createdAt: NOW,
});
const ENTRY = makeEntry("ws_1", "webhook.created");
const listIds = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe("a new endpoint", () => {
  it("a new endpoint is stored if its own workspace has fewer endpoints than the limit", async () => {
    await storeEndpoint();
    expect(await insertWebhook(db, makeRow("wh_3"), 3, ENTRY)).toEqual({
      ...makeRow("wh_3"),
      previousSecrets: [],
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
    });
    expect(await insertWebhook(db, makeRow("wh_4"), 3, ENTRY)).toBeUndefined();
    expect(listIds(await listWebhooks(db, "ws_1", 10, null))).toEqual(["wh_3", "wh_2", "wh_1"]);
  });
});

describe("an endpoint", () => {
  it("an endpoint is found by its id only in its own workspace", async () => {
    const { endpoint } = await storeEndpoint({ url: "https://mine.example" });
    expect(await getWebhook(db, "ws_1", "wh_1")).toEqual(endpoint);
    expect(await getWebhook(db, "ws_2", "wh_2")).toBeUndefined();
  });

  it("the endpoints of a workspace are listed newest first, page by page", async () => {
    await storeEndpoint();
    await insertWebhook(db, makeRow("wh_3"), 10, ENTRY);
    expect(listIds(await listWebhooks(db, "ws_1", 2, null))).toEqual(["wh_3", "wh_2"]);
    expect(listIds(await listWebhooks(db, "ws_1", 2, "wh_2"))).toEqual(["wh_1"]);
    expect(listIds(await listWebhooks(db, "ws_2", 2, null))).toEqual(["wh_1"]);
  });

  it("an endpoint is removed once, with its own messages only", async () => {
    const { read } = await storeEndpoint();
    expect(await removeWebhook(db, "wh_1", ENTRY)).toBe(true);
    expect(await read()).toEqual({ endpoint: [], messages: [], attempts: [] });
    expect(await removeWebhook(db, "wh_1", ENTRY)).toBe(false);
  });
});

describe("an endpoint's secret", () => {
  const previous = [{ secret: "sealed", until: NOW + 5 }];

  it("a replaced secret is stored with the previous one, which still signs for a while", async () => {
    const { endpoint, readEndpoint } = await storeEndpoint();
    expect(await replaceSecret(db, endpoint, { secret: "sealed next", previousSecrets: previous }, ENTRY)).toBe(true);
    expect(await readEndpoint()).toMatchObject({ secret: "sealed next", previousSecrets: previous });
  });

  it("a secret is not replaced by a request that has read an older one", async () => {
    const { endpoint, readEndpoint } = await storeEndpoint();
    await replaceSecret(db, endpoint, { secret: "sealed next", previousSecrets: previous }, ENTRY);
    expect(await replaceSecret(db, endpoint, { secret: "sealed late", previousSecrets: [] }, ENTRY)).toBe(false);
    expect(await readEndpoint()).toMatchObject({ secret: "sealed next", previousSecrets: previous });
  });
});

describe("an endpoint whose messages are late", () => {
  const GRACE_MS = 60_000;
  const makeKey = (workspaceId: string, webhookId: string) => ({ workspaceId, webhookId });
  /** Stores three endpoints, of which only the first has due messages. */
  const storeEndpoints = async () => {
    const stored = await storeEndpoint();
    for (const { workspaceId, id } of await db.select().from(webhooks))
      if (workspaceId !== "ws_1" || id !== "wh_1") {
        await removeWebhook(db, id, { ...ENTRY, workspaceId });
        await insertWebhook(db, { ...makeRow(id), workspaceId }, 9, ENTRY);
      }
    return stored;
  };

  it("an endpoint is late once its messages have been due for the grace period", async () => {
    const stored = await storeEndpoints();
    await stored.changeMessage("evt_1", { nextAt: NOW - GRACE_MS });
    await stored.changeMessage("evt_2", { nextAt: NOW - GRACE_MS });
    expect(await lateWebhooksAfter(db, null, GRACE_MS, 9)).toEqual({ late: [makeKey("ws_1", "wh_1")], next: null });
  });

  it("an endpoint is not late before the grace period is over", async () => {
    const stored = await storeEndpoints();
    await stored.changeMessage("evt_1", { nextAt: NOW - GRACE_MS + 1 });
    expect(await lateWebhooksAfter(db, null, GRACE_MS, 9)).toEqual({ late: [], next: null });
  });

  it("an endpoint is not late because of finished messages", async () => {
    const stored = await storeEndpoints();
    await stored.changeMessage("evt_1", { nextAt: NOW - GRACE_MS, state: "exhausted" });
    expect(await lateWebhooksAfter(db, null, GRACE_MS, 9)).toEqual({ late: [], next: null });
  });

  it("late endpoints are found page by page, in the order of workspaces and endpoints", async () => {
    await storeEndpoint();
    await db.insert(workspaces).values({ id: "ws_0", name: "Eve", plan: "unlimited", createdAt: 0 });
    await insertWebhook(db, { ...makeRow("wh_9"), workspaceId: "ws_0" }, 9, ENTRY);
    const first = await lateWebhooksAfter(db, null, 0, 2);
    expect(first).toEqual({ late: [makeKey("ws_1", "wh_1")], next: makeKey("ws_1", "wh_1") });
    const second = await lateWebhooksAfter(db, first.next, 0, 2);
    expect(second).toEqual({ late: [makeKey("ws_1", "wh_2"), makeKey("ws_2", "wh_1")], next: makeKey("ws_2", "wh_1") });
    expect(await lateWebhooksAfter(db, second.next, 0, 2)).toEqual({ late: [], next: null });
  });
});
