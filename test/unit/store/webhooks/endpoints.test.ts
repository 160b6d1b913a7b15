// The endpoints of a workspace: registered up to a limit, listed, removed, and found when their messages are late.

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
import { db, NOW, storedEndpoint } from "./stored-endpoint.ts";

const row = (id: string): typeof webhooks.$inferInsert => ({
  workspaceId: "ws_1",
  id,
  url: "https://hooks.example/new",
  events: ["delivery.failed"],
  secret: "sealed new",
  createdAt: NOW,
});
const ENTRY = makeEntry("ws_1", "webhook.created");
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe("a new endpoint", () => {
  it("is stored while its workspace has fewer than the limit, whatever other workspaces have", async () => {
    await storedEndpoint();
    expect(await insertWebhook(db, row("wh_3"), 3, ENTRY)).toEqual({
      ...row("wh_3"),
      previousSecrets: [],
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
    });
    expect(await insertWebhook(db, row("wh_4"), 3, ENTRY)).toBeUndefined();
    expect(ids(await listWebhooks(db, "ws_1", 10, null))).toEqual(["wh_3", "wh_2", "wh_1"]);
  });
});

describe("an endpoint", () => {
  it("is read by its id in its own workspace", async () => {
    const { endpoint } = await storedEndpoint({ url: "https://mine.example" });
    expect(await getWebhook(db, "ws_1", "wh_1")).toEqual(endpoint);
    expect(await getWebhook(db, "ws_2", "wh_2")).toBeUndefined();
  });

  it("is listed with those of its workspace, newest first, page by page", async () => {
    await storedEndpoint();
    await insertWebhook(db, row("wh_3"), 10, ENTRY);
    expect(ids(await listWebhooks(db, "ws_1", 2, null))).toEqual(["wh_3", "wh_2"]);
    expect(ids(await listWebhooks(db, "ws_1", 2, "wh_2"))).toEqual(["wh_1"]);
    expect(ids(await listWebhooks(db, "ws_2", 2, null))).toEqual(["wh_1"]);
  });

  it("is removed once, with its messages and without those of other endpoints", async () => {
    const { read } = await storedEndpoint();
    expect(await removeWebhook(db, "wh_1", ENTRY)).toBe(true);
    expect(await read()).toEqual({ endpoint: [], messages: [], attempts: [] });
    expect(await removeWebhook(db, "wh_1", ENTRY)).toBe(false);
  });
});

describe("an endpoint's secret", () => {
  const previous = [{ secret: "sealed", until: NOW + 5 }];

  it("is replaced, and the one before it still signs for a while", async () => {
    const { endpoint, readEndpoint } = await storedEndpoint();
    expect(await replaceSecret(db, endpoint, { secret: "sealed next", previousSecrets: previous }, ENTRY)).toBe(true);
    expect(await readEndpoint()).toMatchObject({ secret: "sealed next", previousSecrets: previous });
  });

  it("is not replaced by a request that has read an older one", async () => {
    const { endpoint, readEndpoint } = await storedEndpoint();
    await replaceSecret(db, endpoint, { secret: "sealed next", previousSecrets: previous }, ENTRY);
    expect(await replaceSecret(db, endpoint, { secret: "sealed late", previousSecrets: [] }, ENTRY)).toBe(false);
    expect(await readEndpoint()).toMatchObject({ secret: "sealed next", previousSecrets: previous });
  });
});

describe("an endpoint whose messages are late", () => {
  const GRACE_MS = 60_000;
  const place = (workspaceId: string, webhookId: string) => ({ workspaceId, webhookId });
  /** Three endpoints of which the first has messages that are due and of which the others have none. */
  const storeEndpoints = async () => {
    const stored = await storedEndpoint();
    for (const { workspaceId, id } of await db.select().from(webhooks))
      if (workspaceId !== "ws_1" || id !== "wh_1") {
        await removeWebhook(db, id, { ...ENTRY, workspaceId });
        await insertWebhook(db, { ...row(id), workspaceId }, 9, ENTRY);
      }
    return stored;
  };

  it("is found once they have been due for the grace, however many they are", async () => {
    const stored = await storeEndpoints();
    await stored.changeMessage("evt_1", { nextAt: NOW - GRACE_MS });
    await stored.changeMessage("evt_2", { nextAt: NOW - GRACE_MS });
    expect(await lateWebhooksAfter(db, null, GRACE_MS, 9)).toEqual({ late: [place("ws_1", "wh_1")], next: null });
  });

  it("is not found before that", async () => {
    const stored = await storeEndpoints();
    await stored.changeMessage("evt_1", { nextAt: NOW - GRACE_MS + 1 });
    expect(await lateWebhooksAfter(db, null, GRACE_MS, 9)).toEqual({ late: [], next: null });
  });

  it("is not found for messages that are done", async () => {
    const stored = await storeEndpoints();
    await stored.changeMessage("evt_1", { nextAt: NOW - GRACE_MS, state: "exhausted" });
    expect(await lateWebhooksAfter(db, null, GRACE_MS, 9)).toEqual({ late: [], next: null });
  });

  it("is found by a walk in pages, in the order of workspaces and endpoints", async () => {
    await storedEndpoint();
    await db.insert(workspaces).values({ id: "ws_0", name: "Eve", plan: "unlimited", createdAt: 0 });
    await insertWebhook(db, { ...row("wh_9"), workspaceId: "ws_0" }, 9, ENTRY);
    const first = await lateWebhooksAfter(db, null, 0, 2);
    expect(first).toEqual({ late: [place("ws_1", "wh_1")], next: place("ws_1", "wh_1") });
    const second = await lateWebhooksAfter(db, first.next, 0, 2);
    expect(second).toEqual({ late: [place("ws_1", "wh_2"), place("ws_2", "wh_1")], next: place("ws_2", "wh_1") });
    expect(await lateWebhooksAfter(db, second.next, 0, 2)).toEqual({ late: [], next: null });
  });
});
