// Nobody uses us to call somebody else's host: looks that a caller asks for are refused, what was promised waits.
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
/** Loopback addresses are not counted in a local run; this name of them is. */
const counted = (url: string) => url.replace("127.0.0.1", "localhost");
const receivers = counted(testEnv.RECEIVERS);
const REFUSED = { status: 429, body: { error: "rate_limited", retry_after: expect.any(Number) } };

/** As if so much had been counted in this minute. */
const fill = (counter: string, count: number, key = "tries") =>
  runInDurableObject(testEnv.COUNTER.getByName(counter), (_, { storage }) => {
    storage.kv.put<Tries>(key, { ...NO_TRIES, at: Array(count).fill(Date.now()) });
  });
const callOut = ({ workspace }: Account) => fill(`calls:${workspace}`, 120, "tries:localhost");
const asks = ({ key }: Account, body: object) => call("POST", "/v1/media", { token: key, body });
const file = (url: string) => ({ url, kind: "image", verify: true });

async function register({ key }: Account, url: string): Promise<string> {
  const { status, body } = await call<{ id: string }>("POST", "/v1/webhooks", { token: key, body: { url } });
  expect(status).toBe(201);
  return body.id;
}

it("a workspace can register or upload at most a thousand files in an hour, without affecting other workspaces", async () => {
  const account = await signUp();
  await fill(`media_workspace:${await sha256Hex(account.workspace)}`, 998);
  const registered = { url: `${testEnv.RECEIVERS}/${unique("file")}`, kind: "image" };
  const upload = ({ key }: Account) =>
    call("POST", "/v1/media/upload-url", { token: key, body: { content_type: "image/png", bytes: 1 } });
  expect((await asks(account, registered)).status).toBe(201);
  expect((await upload(account)).status).toBe(201);
  expect(await asks(account, registered)).toMatchObject(REFUSED);
  expect(await upload(account)).toMatchObject(REFUSED);
  expect(await call("GET", "/v1/media", { token: account.key })).toMatchObject({
    status: 200,
    body: { media: { length: 2 } },
  });
  const other = await signUp();
  expect((await asks(other, registered)).status).toBe(201);
});

describe("a request that makes us call somebody else", () => {
  it("is limited to sixty in a minute over all hosts, unlike a request without a call", async () => {
    const account = await signUp();
    for (let i = 0; i < 59; i++) await limitOutbound(ctx, account.workspace);
    const url = `${testEnv.RECEIVERS}/${unique("file")}`;
    expect((await asks(account, file(url))).status).toBe(201);
    const refused = await asks(account, file(url));
    expect(refused).toMatchObject(REFUSED);
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.retry_after));
    expect(await call("POST", "/v1/webhooks", { token: account.key, body: { url } })).toMatchObject(REFUSED);
    const channel = { platform: "telegram", ...CREDENTIALS.telegram?.(unique("acct")) };
    expect(await call("POST", "/v1/channels", { token: account.key, body: channel })).toMatchObject(REFUSED);
    expect((await asks(account, { ...file(url), verify: false })).status).toBe(201);
    expect((await asks(await signUp(), file(url))).status).toBe(201);
  });

  it("is refused for a host that the workspace has called too often, even behind a redirect", async () => {
    const account = await signUp();
    const id = await register(account, `${receivers}/${unique("hook")}`);
    await callOut(account);
    const test = () => call("POST", `/v1/webhooks/${id}/test`, { token: account.key });
    expect(await test()).toMatchObject(REFUSED);
    expect(await asks(account, file(`${receivers}/${unique("file")}`))).toMatchObject(REFUSED);
    const name = unique("moved");
    const moved = [{ do: "status", status: 302, headers: { location: `${receivers}/x` } }];
    await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: JSON.stringify(moved) });
    expect(await asks(account, file(`${testEnv.RECEIVERS}/${name}`))).toMatchObject(REFUSED);
    expect((await asks(await signUp(), file(`${receivers}/${unique("file")}`))).status).toBe(201);
  });

  it("a host has a limit over all workspaces, and a workspace has one over all hosts", async () => {
    const host = unique("host");
    const waits = async (workspace: string, url: string) => (await ctx.takeHost(workspace, url)) > 0;
    const workspace = unique("ws_");
    await fill(`calls:${workspace}`, 299);
    expect(await waits(workspace, `https://${host}-one.example/`)).toBe(false);
    expect(await waits(workspace, `https://${host}-two.example/`)).toBe(true);
    await fill(`host:${host}.example`, 1_199);
    await fill(`host:${host}.example`, 1_200, "tries:reserve");
    expect(await waits(unique("ws_"), `https://${host}.example/`)).toBe(false);
    expect(await waits(unique("ws_"), `https://${host}.example./other`)).toBe(true);
    // Ours, in a local run.
    for (const url of ["http://127.0.0.1:1/", "http://[::1]/", "not an address"]) {
      expect(await waits(workspace, url), url).toBe(false);
    }
  });
});

describe("a host that some workspaces call as often as they may", () => {
  /** Ten workspaces that use up what all of them share. */
  async function useUp(host: string): Promise<string[]> {
    const busy = Array.from({ length: 10 }, () => unique("ws_"));
    const counter = testEnv.COUNTER.getByName(`host:${host}`);
    for (const workspace of busy) expect(await counter.takeShare(workspace, 120)).toBe(0);
    return busy;
  }

  it("is still called for a workspace below its fair share, but not for one above it", async () => {
    const host = `${unique("host")}.example`;
    const [busy = ""] = await useUp(host);
    expect(await ctx.takeHost(unique("ws_"), `https://${host}/`)).toBe(0);
    expect(await ctx.takeHost(busy, `https://${host}/`)).toBeGreaterThan(0);
  });

  it("counts as the same host under every name below its domain", async () => {
    const host = `${unique("host")}.example`;
    const [busy = ""] = await useUp(host);
    expect(await ctx.takeHost(busy, `https://${unique("name")}.${host}/`)).toBeGreaterThan(0);
  });
});

describe("the calls of a busy workspace", () => {
  const host = unique("host");
  const url = `https://${host}.example/`;
  const counted = () =>
    runInDurableObject(
      testEnv.COUNTER.getByName(`host:${host}.example`),
      (_, { storage }) => storage.kv.get<Tries>("tries")?.at.length ?? 0,
    );

  it("are counted at their host in advance, as many as the workspace makes", async () => {
    const workspace = unique("ws_");
    expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await counted()).toBe(1);
    for (let i = 0; i < 99; i++) expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await counted()).toBeGreaterThanOrEqual(100);
    expect(await counted()).toBeLessThan(120);
  });

  it("are made one by one if their host has no capacity for more", async () => {
    const workspace = unique("ws_");
    await fill(`calls:${workspace}`, 50, `tries:${host}.example`);
    await fill(`host:${host}.example`, 1_198);
    await fill(`host:${host}.example`, 1_200, "tries:reserve");
    expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await ctx.takeHost(workspace, url)).toBe(0);
    expect(await ctx.takeHost(workspace, url)).toBeGreaterThan(0);
  });
});

describe("a webhook message to a host that was called too often", () => {
  it("waits without using up an attempt, and is delivered afterwards", async () => {
    const account = await signUp();
    const name = unique("hook");
    const id = await register(account, `${receivers}/${name}`);
    await callOut(account);
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
