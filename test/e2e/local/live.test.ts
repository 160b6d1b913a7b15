// `npm run live` with simulated accounts, and with a proxy that changes answers in ways that no simulator does.
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, type TestContext, vi } from "vitest";
import { pageUrn } from "../../../simulators/linkedin/directory.ts";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";
import { networks } from "../../../src/networks/index.ts";

const ROOT = join(import.meta.dirname, "../../..");

interface Run {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

function live({ onTestFinished }: TestContext, args: string[], env: NodeJS.ProcessEnv = {}): Run {
  const child = spawn(process.execPath, ["test/live/run.ts", ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  return { child, output: () => output, ended: new Promise((resolve) => child.once("close", resolve)) };
}

async function startNetworks({ onTestFinished }: TestContext): Promise<Simulators> {
  const simulators = await startSimulators({ port: 0 });
  onTestFinished(() => simulators.close());
  return simulators;
}
const sandbox = (url: string) => ({ PROVIDER: "sandbox", SANDBOX_URL: url });

/** A proxy in front of the simulators. `change` replaces the text of an answer. */
async function liar(
  { onTestFinished }: TestContext,
  { url }: Simulators,
  change: (path: string, text: string) => string,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: __, "content-length": ___, "transfer-encoding": ____, ...headers } = request.headers;
    const body = chunks.length === 0 ? {} : { body: new Blob(chunks as Uint8Array<ArrayBuffer>[]) };
    const init = { method: request.method ?? "GET", headers: headers as Record<string, string>, ...body };
    const answer = await fetch(`${url}${request.url}`, init);
    const type = answer.headers.get("content-type");
    response.writeHead(answer.status, type === null ? {} : { "content-type": type });
    // Addresses in a network's answers lead to the proxy as well.
    response.end(change(request.url ?? "", (await answer.text()).replaceAll(url, getUrl())));
  });
  const getUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => void server.close());
  return getUrl();
}

const fault = async ({ url }: Simulators, body: object) =>
  expect((await fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify(body) })).status).toBe(201);

const posts = ({ ledger }: Simulators, platform: string) => ledger.list({ platform });

it("tries all networks, takes down everything that can be taken down, and prints no secret", async (context) => {
  const simulators = await startNetworks(context);
  const platforms = networks.map(({ rule }) => rule.platform);
  const { output, ended } = live(context, platforms, sandbox(simulators.url));
  expect(await ended, output()).toBe(0);
  expect(output()).not.toMatch(/^✗/m);
  for (const { rule } of networks) {
    const { platform } = rule;
    const kinds = [rule.min_media === 0, rule.image !== null, rule.video !== null].filter(Boolean).length;
    const published = posts(simulators, platform);
    expect(published, platform).toHaveLength(kinds);
    expect(
      published.filter(({ deleted }) => deleted === true),
      platform,
    ).toHaveLength(rule.takedown ? kinds : 0);
  }
  expect(output()).toMatch(/^! remaining +the image stays: .* Delete it: https:\/\/www\.instagram\.com\//m);
  for (const { demo } of simulators.all) {
    for (const [field, value] of Object.entries(demo.credentials)) {
      if (/token|password/.test(field)) expect(output()).not.toContain(value);
    }
  }
});

it("works with a refresh token alone, and stores the rotated one", async (context) => {
  const simulators = await startNetworks(context);
  const user = await fetch(`${simulators.url}/tiktok/v2/user/info/?fields=open_id`, {
    headers: { authorization: "Bearer act.refreshed" },
  });
  const { data }: { data: { user: { open_id: string } } } = await user.json();
  const tokens = {
    X_REFRESH_TOKEN: "refresh-for-refreshed",
    PINTEREST_REFRESH_TOKEN: "refresh-for-refreshed",
    LINKEDIN_REFRESH_TOKEN: "refresh-for-refreshed",
    LINKEDIN_ACCOUNT_ID: pageUrn("refreshed"),
    TIKTOK_REFRESH_TOKEN: "rft.refreshed",
    TIKTOK_ACCOUNT_ID: data.user.open_id,
    YOUTUBE_REFRESH_TOKEN: "1//refreshed",
    PINTEREST_OPTIONS: JSON.stringify({ board: "101", title: "A check", link: "https://example.com/" }),
  };
  const platforms = ["x", "pinterest", "linkedin", "tiktok", "youtube"];
  const first = live(context, platforms, { ...sandbox(simulators.url), ...tokens });
  expect(await first.ended, first.output()).toBe(0);
  expect(first.output().match(/^✓ connect/gm)).toHaveLength(platforms.length);
  const [, file = ""] = /the valid one is in (\S*x-refresh-token)/.exec(first.output()) ?? [];
  const storedToken = await readFile(join(ROOT, file), "utf8");
  expect(first.output()).not.toContain(storedToken);
  const env = { ...sandbox(simulators.url), X_REFRESH_TOKEN: storedToken };
  expect(await live(context, ["x"], env).ended).toBe(0);
  // A refresh token works once.
  const again = live(context, ["x"], env);
  expect(await again.ended).toBe(1);
  expect(again.output()).toMatch(
    /^✗ connect +not tried: X_REFRESH_TOKEN gives no access: X rejects the refresh token/m,
  );
});

it("reports an answer that differs from the network's description, but no new fields", async (context) => {
  const simulators = await startNetworks(context);
  const url = await liar(context, simulators, (path, text) => {
    if (path.includes("app.bsky.feed.getPosts")) return text.replace(/"likeCount":\d+/g, '"likeCount":"many"');
    if (path.includes("com.atproto.server.createSession")) return text.replace(/^\{/, '{"aNewField":1,');
    return text;
  });
  const { output, ended } = live(context, ["bluesky"], sandbox(url));
  expect(await ended, output()).toBe(1);
  expect(output()).toMatch(/^✗ answer +bluesky app\.bsky\.feed\.getPosts .*likeCount.*string/m);
  expect(output()).not.toContain("aNewField");
});

it("finds a post whose answer was lost, takes it down, and reports it", async (context) => {
  const simulators = await startNetworks(context);
  await fault(simulators, { platform: "bluesky", call: "com.atproto.repo.putRecord", do: "reset_after_accept" });
  const { output, ended } = live(context, ["bluesky"], sandbox(simulators.url));
  expect(await ended, output()).toBe(1);
  expect(output()).toMatch(/^✗ publish +no clear answer/m);
  expect(output()).toMatch(/^✗ calls +.*putRecord had no answer/m);
  expect(posts(simulators, "bluesky").every(({ deleted }) => deleted === true)).toBe(true);
  expect(output()).not.toMatch(/^. remaining/m);
});

it("reports a post that the network refuses to take down", async (context) => {
  const simulators = await startNetworks(context);
  const body = { error: { code: 200, type: "OAuthException", message: "Permissions error" } };
  await fault(simulators, { platform: "threads", call: "delete", do: "status", status: 403, body, count: 1 });
  const { output, ended } = live(context, ["threads"], sandbox(simulators.url));
  expect(await ended, output()).toBe(1);
  expect(output()).toMatch(/^✗ text +not taken down: rejected/m);
  expect(output()).toMatch(
    /^✗ remaining +the text is still there, or may be\. Delete it: https:\/\/www\.threads\.net\//m,
  );
  expect(posts(simulators, "threads").filter(({ deleted }) => deleted !== true)).toHaveLength(1);
});

it("takes its posts down when it is interrupted, and publishes nothing more", async (context) => {
  const simulators = await startNetworks(context);
  await fault(simulators, { platform: "x", call: "tweets/lookup", do: "delay", delay_ms: 3_000 });
  const { child, output, ended } = live(context, ["x"], sandbox(simulators.url));
  await vi.waitFor(() => expect(output()).toMatch(/text +live/), { timeout: 60_000, interval: 20 });
  child.kill("SIGINT");
  expect(await ended, output()).toBe(1);
  expect(output()).toMatch(/✓ text +taken down/);
  expect(posts(simulators, "x")).toEqual([expect.objectContaining({ deleted: true })]);
});

it("signs a person in who pastes the address of the final redirect", async (context) => {
  const simulators = await startNetworks(context);
  const { child, output, ended } = live(context, ["pinterest", "--consent"], {
    PINTEREST_CLIENT_ID: "app",
    PINTEREST_CLIENT_SECRET: "secret-of-the-app",
    BASE_URL: "https://crier.example",
    ...sandbox(simulators.url),
  });
  const address = await vi.waitFor(() => new URL(/https:\/\/www\.pinterest\.com\S+/.exec(output())?.[0] ?? ""), {
    timeout: 60_000,
    interval: 50,
  });
  const there = `${simulators.url}/pinterest${address.pathname}${address.search}&decision=allow&account=ada`;
  const landed = (await fetch(there, { redirect: "manual" })).headers.get("location");
  child.stdin?.write(`${landed}\n`);
  expect(await ended, output()).toBe(0);
  expect(output()).toMatch(/✓ options +board is /);
  expect(output()).not.toContain("secret-of-the-app");
});

it("names missing variables and prints its usage", async (context) => {
  const env = { TELEGRAM_BOT_TOKEN: "1:2", TELEGRAM_CHAT_ID: "", BASE_URL: "", X_ACCESS_TOKEN: "" };
  const lacking = live(context, ["telegram", "x"], env);
  expect(await lacking.ended).toBe(1);
  expect(lacking.output()).toMatch(/✗ connect +not tried: TELEGRAM_CHAT_ID missing/);
  expect(lacking.output()).toMatch(/✗ connect +not tried: X_ACCESS_TOKEN missing; or set X_CLIENT_ID/);
  expect(lacking.output(), "nothing was called").not.toMatch(/^. calls/m);
  const unknown = live(context, ["myspace"]);
  expect(await unknown.ended).toBe(2);
  expect(unknown.output()).toMatch(/No network is called myspace.*bluesky/);
  const listing = live(context, ["--variables", "bluesky"]);
  expect(await listing.ended).toBe(0);
  expect(listing.output()).toContain("BLUESKY_IDENTIFIER BLUESKY_APP_PASSWORD [BLUESKY_SERVICE] [BLUESKY_OPTIONS]");
});
