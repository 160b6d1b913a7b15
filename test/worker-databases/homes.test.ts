// Workspaces in several databases: a new one goes to the emptiest database, and each call finds it.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { whyMisconfigured } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { deleteWorkspaceData } from "../../src/maintenance/delete-workspace-data.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import {
  callWith,
  contextWith,
  database,
  databasesWith,
  makeAway,
  makeHanging,
  readHome,
  readSize,
  signUpIn,
} from "../support/databases.ts";
import { tomorrow } from "../support/dates.ts";
import { DATABASES, testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { duePost } from "../support/machine.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { makeLanePublisher } from "../support/own-publisher.ts";
import { isExtensive } from "../support/sampled.ts";
import { expectNothingLeft, prepareAccount } from "../support/unproven-account.ts";
import { type Account, call, connect, finished, ledger, post, unique, uploadJpeg } from "../support/world.ts";
import { callTool, connectClient } from "../worker-api/mcp/clients.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

/** The tables of workspaces in which most workspaces have rows. */
const OWN_TABLES = [
  "channels",
  "media",
  "posts",
  "deliveries",
  "events",
  "webhooks",
  "webhook_messages",
  "usage_months",
];

describe.each([0, 1, 2])("a workspace in the database %i", (home) => {
  it("a workspace publishes, calls its endpoints and answers its agents from its own database", async () => {
    const account = await signUpIn(home);
    const name = unique("hook");
    await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: "[]" });
    await call("POST", "/v1/webhooks", { token: account.key, body: { url: `${testEnv.RECEIVERS}/${name}` } });
    const channels = [await connect(account.key, "telegram"), await connect(account.key, "instagram")];
    const image = await uploadJpeg(account, { width: 320, height: 320 });
    const created = await post(account.key, {
      text: "here",
      media: [image.id],
      channels: channels.map(({ id }) => id),
    });
    expect(await finished(account.key, created.id)).toMatchObject({ status: "published" });
    for (const { handle } of channels) expect(await ledger(handle)).toHaveLength(1);
    await eventually(async () => {
      expect(await (await fetch(`${testEnv.RECEIVERS}/_/${name}`)).json()).toHaveLength(2);
    });
    const client = await connectClient(account.key, "2026-07-28");
    const { body } = await callTool(client, "get_post", { id: created.id });
    expect(body).toMatchObject({ id: created.id, status: "published" });
    await client.close();
    for (const table of OWN_TABLES)
      expect([table, await databasesWith(table, account.workspace)]).toEqual([table, [home]]);
    expect(await databasesWith("workspace_keys", account.workspace)).toEqual([0]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it("a workspace is deleted from its own database at once", async () => {
    const account = await signUpIn(home);
    await call("POST", "/v1/workspaces", { token: account.session, body: { name: "another" } });
    const channel = await connect(account.key, "telegram");
    await post(account.key, { text: "never", channels: [channel.id], publish_at: tomorrow() });
    const { name } = (await call<{ name: string }>("GET", "/v1/workspace", { token: account.key })).body;
    const deleted = await call("DELETE", `/v1/workspaces/${account.workspace}`, {
      token: account.session,
      body: { name },
    });
    expect(deleted.status).toBe(204);
    for (const table of OWN_TABLES) expect(await databasesWith(table, account.workspace)).toEqual([]);
    expect(await listDatabases(account)).toEqual([]);
  });

  it("a call costs one round trip more than in the accounts database, and no more", async () => {
    const account = await signUpIn(home);
    const channel = await connect(account.key, "telegram");
    const options = { token: account.key };
    await callWith({}, "GET", "/v1/usage", options);
    const extra = home === 0 ? 0 : 1;
    const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    const created = await callWith<{ id: string }>({}, "POST", "/v1/posts", { ...options, body });
    expect(created).toMatchObject({ status: 201, roundTrips: 2 + extra });
    const read = await callWith({}, "GET", `/v1/posts/${created.body.id}`, options);
    expect(read).toMatchObject({ status: 200, roundTrips: 1 + extra });
    const headers = { "x-workspace": account.workspace };
    const listed = await callWith({}, "GET", "/v1/posts", { token: account.session, headers });
    expect(listed).toMatchObject({ status: 200, roundTrips: 1 + extra });
  });

  it("a workspace is emptied when another person proves the address of its account", async () => {
    const prepared = await prepareAccount(await signUpIn(home));
    await expectNothingLeft(prepared, await proveAddress(prepared.attacker));
    expect(await listDatabases(prepared.attacker)).toEqual([...new Set([0, home])]);
  });
});

/** Proves the address of an account as a person who only reads its mail. Returns their session. */
async function proveAddress({ email }: Account, bindings: Partial<Env> = {}): Promise<string> {
  await call("POST", "/v1/auth/forgot", { body: { email } });
  const [mail] = await mailsTo(email, 1);
  const body = { token: tokenIn(mail), password: "a new password" };
  const answer = await callWith<{ token: string }>(bindings, "POST", "/v1/auth/reset", { body });
  expect(answer.status).toBe(200);
  return answer.body.token;
}

/** Lists the databases that have a row of the workspace itself. */
async function listDatabases({ workspace }: Account): Promise<number[]> {
  const rows = DATABASES.map((db) => db.prepare("SELECT id FROM workspaces WHERE id = ?").bind(workspace).first());
  return (await Promise.all(rows)).flatMap((row, i) => (row === null ? [] : [i]));
}

describe("a new workspace", () => {
  const createWith = async (bindings: Partial<Env>) => {
    const body = { email: `${unique("u")}@example.com`, password: "correct horse battery" };
    const answer = await callWith<{ workspaces: { id: string }[] }>(bindings, "POST", "/v1/auth/signup", { body });
    expect(answer.status).toBe(201);
    return readHome(answer.body.workspaces[0]?.id ?? "");
  };

  it("a new workspace goes to the emptiest database", async () => {
    for (const home of [1, 2, 0, 2]) {
      await signUpIn(home);
      const sizes = await Promise.all(DATABASES.map(readSize));
      expect(sizes.indexOf(Math.min(...sizes))).toBe(home);
      expect(await createWith({})).toBe(home);
    }
  });

  it("a new workspace goes elsewhere if the emptiest database is unavailable", async () => {
    await signUpIn(1);
    expect([0, 2]).toContain(await createWith({ DB_1: makeAway(1) }));
    expect(await createWith({ DB_1: makeAway(1), DB_2: makeAway(2) })).toBe(0);
  });

  it.runIf(isExtensive)("a new workspace goes elsewhere if the emptiest database hangs", async () => {
    await signUpIn(1);
    expect(await createWith({ DB_1: makeHanging(), DB_2: makeHanging() })).toBe(0);
  });

  it("a refused workspace leaves no row behind", async () => {
    const { session, workspace } = await signUpIn(1);
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(workspace).run();
    const rows = () => database(1).prepare("SELECT COUNT(*) AS count FROM workspaces").first("count");
    const before = await rows();
    const refused = await callWith({}, "POST", "/v1/workspaces", { token: session, body: { name: "one too many" } });
    expect(refused).toMatchObject({ status: 402, body: { error: "plan_limit" } });
    expect(await rows()).toBe(before);
  });
});

describe("a change of a workspace in another database", () => {
  const readFacts = (home: number, { workspace }: Account) =>
    database(home).prepare("SELECT plan, timezone FROM workspaces WHERE id = ?").bind(workspace).first();

  it("a time zone is copied to the workspace's database at once, and a plan by the sweeper", async () => {
    const account = await signUpIn(1);
    const body = { timezone: "Europe/Berlin" };
    expect((await callWith({}, "PATCH", "/v1/workspace", { token: account.key, body })).status).toBe(200);
    expect(await readFacts(1, account)).toEqual({ plan: "unlimited", timezone: "Europe/Berlin" });
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
    await sweep(contextWith());
    expect(await readFacts(1, account)).toEqual({ plan: "free", timezone: "Europe/Berlin" });
    expect(await databasesWith("carries", account.workspace)).toEqual([]);
  });

  it("the option that members cannot approve their own changes is copied to the workspace's database", async () => {
    const { session, workspace } = await signUpIn(1);
    const path = `/v1/workspaces/${workspace}`;
    const set = (four_eyes: boolean) => callWith({}, "PATCH", path, { token: session, body: { four_eyes } });
    const read = () =>
      database(1).prepare("SELECT four_eyes FROM workspaces WHERE id = ?").bind(workspace).first("four_eyes");
    for (const isOn of [true, false]) {
      expect((await set(isOn)).body).toMatchObject({ four_eyes: isOn });
      expect(await read()).toBe(Number(isOn));
    }
    await testEnv.DB.prepare("UPDATE workspaces SET four_eyes = 1 WHERE id = ?").bind(workspace).run();
    await sweep(contextWith());
    expect(await read()).toBe(1);
  });

  it("the recheck setting is copied to the workspace's database", async () => {
    const { session, workspace } = await signUpIn(1);
    const set = (rechecks: string | null) =>
      callWith({}, "PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { rechecks } });
    const read = () =>
      database(1).prepare("SELECT rechecks FROM workspaces WHERE id = ?").bind(workspace).first("rechecks");
    for (const rechecks of ["off", null]) {
      expect((await set(rechecks)).body).toMatchObject({ rechecks });
      expect(await read()).toBe(rechecks);
    }
    await testEnv.DB.prepare("UPDATE workspaces SET rechecks = 'light' WHERE id = ?").bind(workspace).run();
    await sweep(contextWith());
    expect(await read()).toBe("light");
  });

  it("the budget is copied to the workspace's database", async () => {
    const { session, workspace } = await signUpIn(1);
    const set = (budget_usd: number | null) =>
      callWith({}, "PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { budget_usd } });
    const read = () =>
      database(1).prepare("SELECT budget FROM workspaces WHERE id = ?").bind(workspace).first("budget");
    expect((await set(2.5)).body).toMatchObject({ budget_usd: 2.5 });
    expect(await read()).toBe(2_500_000);
    await set(null);
    expect(await read()).toBe(null);
    await testEnv.DB.prepare("UPDATE workspaces SET budget = 7 WHERE id = ?").bind(workspace).run();
    await sweep(contextWith());
    expect(await read()).toBe(7);
  });

  it("an unavailable database gets the changes later, also that another person has proved the account's address", async () => {
    const account = await signUpIn(2);
    const prepared = await prepareAccount(account);
    const session = await proveAddress(account, { DB_2: makeAway(2) });
    await sweep(contextWith({ DB_2: makeAway(2) }));
    expect(await databasesWith("carries", account.workspace)).toEqual([0]);
    await sweep(contextWith());
    await expectNothingLeft(prepared, session);
    expect(await databasesWith("carries", account.workspace)).toEqual([]);
    // Things that the owner creates afterwards stay.
    const options = { token: session, headers: { "x-workspace": account.workspace } };
    await call("POST", "/v1/webhooks", { ...options, body: { url: "https://mine.example.com/hook" } });
    await call("PATCH", "/v1/workspace", { ...options, body: { timezone: "Europe/Berlin" } });
    expect((await call("GET", "/v1/webhooks", options)).body).toMatchObject({ webhooks: [{}] });
  });

  it("an erasure is completed once the database is available again, with all publishers of the workspace", async () => {
    const account = await signUpIn(1);
    await connect(account.key, "telegram");
    await database(1).prepare("UPDATE channels SET lane = 2 WHERE workspace_id = ?").bind(account.workspace).run();
    // This test does the work of the sweeper itself.
    const MAINTENANCE = new Proxy(testEnv.MAINTENANCE, { get: () => async () => {} });
    const erased = await callWith({ DB_1: makeAway(1), MAINTENANCE }, "DELETE", "/v1/auth/me", {
      token: account.session,
    });
    expect(erased.status).toBe(204);
    expect(await databasesWith("channels", account.workspace)).toEqual([1]);
    await expect(deleteWorkspaceData(contextWith({ DB_1: makeAway(1) }), account.workspace)).rejects.toThrow();
    const ctx = contextWith();
    const clear = vi.fn(ctx.publishers.clear);
    await deleteWorkspaceData({ ...ctx, publishers: { ...ctx.publishers, clear } }, account.workspace);
    expect(clear).toHaveBeenCalledWith(account.workspace, 3);
    expect(await databasesWith("channels", account.workspace)).toEqual([]);
    expect(await listDatabases(account)).toEqual([]);
  });
});

describe("a workspace whose database is unavailable", () => {
  it("a workspace whose database is not bound is refused with that reason", async () => {
    const account = await signUpIn(2);
    const refused = await callWith({ DB_2: undefined }, "GET", "/v1/usage", { token: account.key });
    expect(refused).toMatchObject({
      status: 503,
      body: { error: "service_misconfigured", message: "The database DB_2 is not bound." },
    });
    expect(whyMisconfigured({ ...testEnv, DB_1: undefined })).toBe("DB_1 is not bound, though a later database is");
    expect(whyMisconfigured(testEnv)).toBeNull();
  });

  it("a workspace continues to publish while the accounts database is unavailable", async () => {
    const account = await signUpIn(1);
    const channel = await connect(account.key, "telegram");
    const storage = memoryStorage();
    const lane = { workspaceId: account.workspace, lane: 0 };
    await makeLanePublisher(lane, { storage }).work();
    const created = await duePost(account, channel, { text: "without the accounts" });
    await makeLanePublisher(lane, { storage, db: makeAway(0) }).work();
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["without the accounts"]);
    expect(await finished(account.key, created.id)).toMatchObject({ status: "published" });
  });
});
