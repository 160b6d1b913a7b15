// A workspace is moved while it publishes: nothing is lost, doubled or left behind, wherever the move breaks off.
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OWN_TABLES } from "../../scripts/move/tables.ts";
import { deleteWorkspaceData } from "../../src/maintenance/delete-workspace-data.ts";
import * as schema from "../../src/store/db/schema.ts";
import { contextWith, databasesWith, makeAway, readHome } from "../support/databases.ts";
import { tomorrow } from "../support/dates.ts";
import { eventually } from "../support/eventually.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, duePost } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { heldNetworks, makeLanePublisher } from "../support/own-publisher.ts";
import { isExtensive } from "../support/sampled.ts";
import { type Account, call, finished, getPost, ledger } from "../support/world.ts";
import { Died, finishMove, listHomes, moveTo, openBusyWorkspace, openQueries } from "./moving.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

/** Reads all answers about a workspace that a move must not change. */
async function readAnswers({ key, session, workspace }: Account): Promise<unknown> {
  const paths = ["posts", "channels", "media", "events", "webhooks", "usage"];
  const audit = await call("GET", "/v1/audit", { token: session, headers: { "x-workspace": workspace } });
  expect(audit).toMatchObject({
    status: 200,
    body: { audit: [{ act: "webhook.created" }, { act: "channel.connected" }, {}, {}] },
  });
  const otherAnswers = await Promise.all(
    paths.map(async (path) => (await call("GET", `/v1/${path}`, { token: key })).body),
  );
  return [audit.body, ...otherAnswers];
}

it("a move copies each table with rows of workspaces, except those that belong to accounts", () => {
  const accountTables = [
    "members",
    "invitations",
    "workspace_keys",
    "named_keys",
    "audit",
    "clearances",
    "connect_links",
    "review_links",
    "portals",
    "portal_decisions",
    "reports",
    "carries",
  ];
  const tables = Object.values(schema).map((table) => getTableConfig(table));
  const names = tables
    .filter(({ columns }) => columns.some(({ name }) => name === "workspace_id"))
    .map(({ name }) => name);
  const otherTables = [
    ...accountTables,
    "oauth_grants",
    "oauth_tokens",
    "notification_settings",
    "moving",
    "kept_rows",
  ];
  expect(names.sort()).toEqual([...OWN_TABLES, ...otherTables].sort());
});

describe.each([
  [0, 1],
  [1, 2],
  [2, 0],
])("a move from the database %i to %i", (home, target) => {
  it("a move changes no answer, and a due post is sent once, from the new database", async () => {
    const { account, channel, due } = await openBusyWorkspace(home);
    const before = await readAnswers(account);
    await moveTo(target, account);
    expect(await readHome(account.workspace)).toBe(target);
    expect(await readAnswers(account)).toEqual(before);
    expect(await listHomes(account)).toEqual([target]);
    await age(due.id, DAY_MS);
    await makeLanePublisher({ workspaceId: account.workspace, lane: 0 }).work();
    await finished(account.key, due.id);
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["past", "due"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
    await expect(moveTo(home, account)).rejects.toThrow("Finish or confirm");
    expect(await databasesWith("kept_rows", account.workspace)).toEqual([home]);
    await finishMove(account);
    expect(await databasesWith("kept_rows", account.workspace)).toEqual([]);
    await moveTo(home, account);
    expect((await getPost(account.key, due.id)).status).toBe("published");
    await finishMove(account);
  });
});

describe("a workspace during a move", () => {
  it("writes are refused for a while during a move, reads are not, and the result of a running send is known afterwards", async () => {
    const { account, channel, due } = await openBusyWorkspace(1);
    const storage = memoryStorage();
    const lane = { workspaceId: account.workspace, lane: 0 };
    await makeLanePublisher(lane, { storage }).work();
    await age(due.id, DAY_MS);
    const { world, begun: hasBegun, release } = heldNetworks();
    const sending = makeLanePublisher(lane, { storage, world }).work();
    await hasBegun;
    let hasChecked = false;
    const meanwhile = openQueries(undefined, async (sql) => {
      if (hasChecked || !sql.startsWith("INSERT OR IGNORE INTO posts")) return;
      hasChecked = true;
      const body = { text: "now", channels: [channel.id], publish_at: tomorrow() };
      const refused = await call("POST", "/v1/posts", { token: account.key, body });
      expect(refused).toMatchObject({ status: 503, body: { error: "workspace_moving" } });
      expect(refused.headers.get("retry-after")).toBe("10");
      expect((await getPost(account.key, due.id)).status).toBe("publishing");
      // The network answers at a time at which the answer cannot be recorded.
      release();
      await sending;
    });
    await moveTo(2, account, meanwhile);
    expect(hasChecked).toBe(true);
    await makeLanePublisher(lane, { storage }).work();
    expect(await finished(account.key, due.id)).toMatchObject({ status: "published" });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["past", "due"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
    await finishMove(account);
  });

  it("an answer of the network is kept while the new database of its workspace cannot be looked up", async () => {
    const { account, channel, due } = await openBusyWorkspace(1);
    const storage = memoryStorage();
    const lane = { workspaceId: account.workspace, lane: 0 };
    await makeLanePublisher(lane, { storage }).work();
    await age(due.id, DAY_MS);
    const { world, begun: hasBegun, release } = heldNetworks();
    const sending = makeLanePublisher(lane, { storage, world }).work();
    await hasBegun;
    let isReleased = false;
    const meanwhile = openQueries(undefined, async (sql) => {
      if (isReleased || !sql.startsWith("INSERT OR IGNORE INTO posts")) return;
      isReleased = true;
      release();
      await sending;
    });
    await moveTo(2, account, meanwhile);
    for (let i = 0; i < 2; i++) await makeLanePublisher(lane, { storage, db: makeAway(0) }).work();
    await makeLanePublisher(lane, { storage }).work();
    expect((await getPost(account.key, due.id)).status).toBe("published");
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["past", "due"]);
    await finishMove(account);
  });

  it("an object without work keeps its lane while the new database of its workspace cannot be looked up", async () => {
    const { account, channel, due } = await openBusyWorkspace(1);
    const storage = memoryStorage();
    const lane = { workspaceId: account.workspace, lane: 0 };
    await makeLanePublisher(lane, { storage }).work();
    await moveTo(2, account);
    await finishMove(account);
    await makeLanePublisher(lane, { storage, db: makeAway(0) }).work();
    expect(storage.values.get("lane")).toEqual(lane);
    expect(storage.alarmAt).not.toBeNull();
    await age(due.id, DAY_MS);
    await makeLanePublisher(lane, { storage }).work();
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["past", "due"]);
  });

  it("a delivery that becomes due during a move waits, and is sent once the move is over", async () => {
    const { account, channel } = await openBusyWorkspace(2);
    const lane = { workspaceId: account.workspace, lane: 0 };
    const late = await duePost(account, channel, { text: "late" });
    let hasChecked = false;
    const meanwhile = openQueries(undefined, async (sql) => {
      if (hasChecked || !sql.startsWith("UPDATE workspaces SET home")) return;
      hasChecked = true;
      await makeLanePublisher(lane).work();
      expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["past"]);
    });
    await moveTo(1, account, meanwhile);
    expect(hasChecked).toBe(true);
    await makeLanePublisher(lane).work();
    expect(await finished(account.key, late.id)).toMatchObject({ status: "published" });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["past", "late"]);
    await finishMove(account);
  });
});

it("a move that broke off at any statement can be continued", async () => {
  const { account, channel, due } = await openBusyWorkspace(1);
  const before = await readAnswers(account);
  let steps = 0;
  // Each run breaks off some statements after the previous one, so that all runs together cover most statements.
  for (let diesAt = 3; ; diesAt += isExtensive ? 5 : 31) {
    steps++;
    try {
      await moveTo(2, account, openQueries(diesAt));
      break;
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
    expect((await call("GET", `/v1/posts/${due.id}`, { token: account.key })).status).toBe(200);
  }
  expect(steps).toBeGreaterThan(5);
  expect(await readHome(account.workspace)).toBe(2);
  expect(await readAnswers(account)).toEqual(before);
  expect(await listHomes(account)).toEqual([2]);
  await age(due.id, DAY_MS);
  await makeLanePublisher({ workspaceId: account.workspace, lane: 0 }).work();
  await eventually(async () => expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["past", "due"]));
  expect(await brokenInvariants(account.workspace)).toEqual([]);
  await finishMove(account);
});

it("a workspace that is erased after its move broke off leaves nothing once the move was tried again", async () => {
  const { account } = await openBusyWorkspace(1);
  const brokenOff = openQueries(undefined, async (sql) => {
    if (sql.startsWith("INSERT OR IGNORE INTO posts (")) throw new Died();
  });
  await expect(moveTo(2, account, brokenOff)).rejects.toThrow(Died);
  expect(await databasesWith("moving", account.workspace)).toEqual([1, 2]);
  expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
  expect(await databasesWith("posts", account.workspace)).toContain(1);
  await expect(moveTo(2, account)).rejects.toThrow("There is no workspace");
  await deleteWorkspaceData(contextWith(), account.workspace);
  expect(await listHomes(account)).toEqual([]);
  expect(await databasesWith("moving", account.workspace)).toEqual([]);
});
