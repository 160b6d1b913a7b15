// Crier cannot be used to flood another host: calls that a caller requests are refused, and promised calls wait.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { compose } from "../../src/compose.ts";
import { HOUR_MS } from "../../src/domain/limits.ts";
import { NO_TRIES, type Tries } from "../../src/domain/rate-limit.ts";
import { limitOutbound } from "../../src/operations/rate-limit.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { CREDENTIALS } from "../support/credentials.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { type Account, call, connect, finished, post, signUp, unique } from "../support/world.ts";

const ctx = compose(testEnv, () => {});
/** A local run does not count calls to loopback addresses, but it counts calls to the name `localhost`. */
const toLocalhost = (url: string) => url.replace("127.0.0.1", "localhost");
const receivers = toLocalhost(testEnv.RECEIVERS);
const REFUSED = { status: 429, body: { error: "rate_limited", retry_after: expect.any(Number) } };

/** Sets the number of calls that were counted in this minute. */
const setCount = (counter: string, count: number, key = "tries") =>
  runInDurableObject(testEnv.COUNTER.getByName(counter), (_, { storage }) => {
    storage.kv.put<Tries>(key, { ...NO_TRIES, at: Array(count).fill(Date.now()) });
  });
const useUpHost = ({ workspace }: Account) => setCount(`calls:${workspace}`, 120, "tries:localhost");
const registerFile = ({ key }: Account, body: object) => call("POST", "/v1/media", { token: key, body });
const buildFile = (url: string) => ({ url, kind: "image", verify: true });

async function register({ key }: Account, url: string): Promise<string> {
  const { status, body } = await call<{ id: string }>("POST", "/v1/webhooks", { token: key, body: { url } });
  expect(status).toBe(201);
  return body.id;
}

it("a workspace can register or upload at most a thousand files in an hour, without affecting other workspaces", async () => {
  const account = await signUp();
  await setCount(`media_workspace:${await sha256Hex(account.workspace)}`, 998);
  const registered = { url: `${testEnv.RECEIVERS}/${unique("file")}`, kind: "image" };
  const upload = ({ key }: Account) =>
    call("POST", "/v1/media/upload-url", { token: key, body: { content_type: "image/png", bytes: 1 } });
  expect((await registerFile(account, registered)).status).toBe(201);
  expect((await upload(account)).status).toBe(201);
  expect(await registerFile(account, registered)).toMatchObject(REFUSED);
  expect(await upload(account)).toMatchObject(REFUSED);
  expect(await call("GET", "/v1/media", { token: account.key })).toMatchObject({
    status: 200,
    body: { media: { length: 2 } },
  });
  const otherAccount = await signUp();
  expect((await registerFile(otherAccount, registered)).status).toBe(201);
});

describe("a request that makes Crier call another host", () => {
  it("requests that call another host are limited to sixty in a minute over all hosts, and other requests are not", async () => {
    const account = await signUp();
    for (let i = 0; i < 59; i++) await limitOutbound(ctx, account.workspace);
    const url = `${testEnv.RECEIVERS}/${unique("file")}`;
    expect((await registerFile(account, buildFile(url))).status).toBe(201);
    const refused = await registerFile(account, buildFile(url));
    expect(refused).toMatchObject(REFUSED);
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.retry_after));
    expect(await call("POST", "/v1/webhooks", { token: account.key, body: { url } })).toMatchObject(REFUSED);
    const channel = { platform: "telegram", ...CREDENTIALS.telegram?.(unique("acct")) };
    expect(await call("POST", "/v1/channels", { token: account.key, body: channel })).toMatchObject(REFUSED);
    expect((await registerFile(account, { ...buildFile(url), verify: false })).status).toBe(201);
    expect((await registerFile(await signUp(), buildFile(url))).status).toBe(201);
  });

  it("a host that the workspace has called too often is not called, even behind a redirect", async () => {
    const account = await signUp();
    const id = await register(account, `${receivers}/${unique("hook")}`);
    await useUpHost(account);
    const test = () => call("POST", `/v1/webhooks/${id}/test`, { token: account.key });
    expect(await test()).toMatchObject(REFUSED);
    expect(await registerFile(account, buildFile(`${receivers}/${unique("file")}`))).toMatchObject(REFUSED);
    const name = unique("moved");
    const moved = [{ do: "status", status: 302, headers: { location: `${receivers}/x` } }];
    await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: JSON.stringify(moved) });
    expect(await registerFile(account, buildFile(`${testEnv.RECEIVERS}/${name}`))).toMatchObject(REFUSED);
    expect((await registerFile(await signUp(), buildFile(`${receivers}/${unique("file")}`))).status).toBe(201);
  });

  it("a host has a limit over all workspaces, and a workspace has one over all hosts", async () => {
    const host = unique("host");
    const isDelayed = async (workspace: string, url: string) => (await ctx.takeHost(workspace, url)) > 0;
    const workspace = unique("ws_");
    await setCount(`calls:${workspace}`, 299);
    expect(await isDelayed(workspace, `https://${host}-one.example/`)).toBe(false);
    expect(await isDelayed(workspace, `https://${host}-two.example/`)).toBe(true);
    await setCount(`host:${host}.example`, 1_199);
    await setCount(`host:${host}.example`, 1_200, "tries:reserve");
    expect(await isDelayed(unique("ws_"), `https://${host}.example/`)).toBe(false);
    expect(await isDelayed(unique("ws_"), `https://${host}.example./other`)).toBe(true);
    // In a local run these addresses are not counted.
    for (const url of ["http://127.0.0.1:1/", "http://[::1]/", "not an address"]) {
      expect(await isDelayed(workspace, url), url).toBe(false);
    }
  });
});

describe("a host that some workspaces call as often as they may", () => {
  /** Makes ten workspaces use up the calls that all workspaces share. */
  async function useUpShared(host: string): Promise<string[]> {
    const busy = Array.from({ length: 10 }, () => unique("ws_"));
    const counter = testEnv.COUNTER.getByName(`host:${host}`);
    for (const workspace of busy) expect(await counter.takeShare(workspace, 120)).toBe(0);
    return busy;
  }

  it("a busy host is still called for a workspace below its fair share, but not for a workspace above it", async () => {
    const host = `${unique("host")}.example`;
    const [busy = ""] = await useUpShared(host);
    expect(await ctx.takeHost(unique("ws_"), `https://${host}/`)).toBe(0);
    expect(await ctx.takeHost(busy, `https://${host}/`)).toBeGreaterThan(0);
  });

  it("all names below a domain count as the same host", async () => {
    const host = `${unique("host")}.example`;
    const [busy = ""] = await useUpShared(host);
    expect(await ctx.takeHost(busy, `https://${unique("name")}.${host}/`)).toBeGreaterThan(0);
  });
});

describe("the calls of a busy workspace", () => {
  const host = unique("host");
  const url = `https://${host}.example/`;
  const countCalls = () =>
    runInDurableObject(
      testEnv.COUNTER.getByName(`host:${host}.example`),
      (_, { storage }) => storage.kv.get<Tries>("tries")?.at.length ?? 0,
    );

  it("calls of a busy workspace are counted at their host in advance, as many as the workspace makes", async () => {
    const workspace = unique("ws_");
    expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await countCalls()).toBe(1);
    for (let i = 0; i < 99; i++) expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await countCalls()).toBeGreaterThanOrEqual(100);
    expect(await countCalls()).toBeLessThan(120);
  });

  it("calls of a busy workspace are counted one by one if their host has no capacity for more", async () => {
    const workspace = unique("ws_");
    await setCount(`calls:${workspace}`, 50, `tries:${host}.example`);
    await setCount(`host:${host}.example`, 1_198);
    await setCount(`host:${host}.example`, 1_200, "tries:reserve");
    expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await ctx.takeHost(workspace, url)).toBeGreaterThan(0);
  });
});

describe("a webhook message to a host that was called too often", () => {
  it("a webhook message waits without using up an attempt, and is delivered afterwards", async () => {
    const account = await signUp();
    const name = unique("hook");
    const id = await register(account, `${receivers}/${name}`);
    await useUpHost(account);
    const channel = await connect(account.key, "telegram");
    const { id: postId } = await post(account.key, { text: "x", channels: [channel.id] });
    await finished(account.key, postId);
    const before = Date.now();
    const nextAt = await dispatchWebhooks(ctx, account.workspace, id);
    expect(nextAt).toBeGreaterThan(before);
    expect(nextAt).toBeLessThan(before + HOUR_MS);
    const log = () =>
      call<{ deliveries: object[] }>("GET", `/v1/webhooks/${id}/deliveries`, { token: account.key }).then(
        ({ body }) => body.deliveries,
      );
    expect(await log()).toEqual([]);
    await testEnv.COUNTER.getByName(`calls:${account.workspace}`).clear();
    await testEnv.DB.prepare("UPDATE webhook_messages SET next_at = 0 WHERE webhook_id = ?").bind(id).run();
    await dispatchWebhooks(ctx, account.workspace, id);
    await eventually(async () => expect(await log()).toMatchObject([{ attempt: 1, outcome: "delivered" }]));
  });
});
