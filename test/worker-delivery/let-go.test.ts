// An object is released after its work. A timer that a call leaves behind would keep it in memory, where it is billed.
import { afterEach, expect, it, vi } from "vitest";
import { PUBLISH_TIMEOUT_MS } from "../../src/networks/telegram/publish.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS } from "../support/machine.ts";
import { mp4 } from "../support/media-files.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { watchTimers } from "../support/timers.ts";
import { call, connect, finished, getPost, ledger, post, signUp, unique } from "../support/world.ts";
import { registerEndpoint, waitForAttempts } from "../worker-api/webhook-endpoint.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Hosts a file at a URL of its own. */
async function host(head: Uint8Array, headers: Record<string, string> = {}): Promise<string> {
  const url = `${testEnv.FILE_HOST}${unique("/f")}`;
  const file = {
    head: btoa(String.fromCharCode(...head)),
    bytes: head.byteLength,
    length: false,
    ranges: false,
    headers,
  };
  expect((await fetch(url, { method: "PUT", body: JSON.stringify(file) })).status).toBe(204);
  return url;
}

it("leaves no timer behind a post with a copied file and a link card that is reported to a webhook", async () => {
  const account = await signUp();
  const { key } = account;
  const [telegram, bluesky] = [await connect(key, "telegram"), await connect(key, "bluesky")];
  const endpoint = await registerEndpoint(account, ["delivery.succeeded"]);
  const page = await host(new TextEncoder().encode("<title>Page</title>"), { "content-type": "text/html" });
  const url = await host(mp4({ width: 320, height: 240, seconds: 3 }));
  const timers = watchTimers();
  const media = await call<{ id: string }>("POST", "/v1/media", { token: key, body: { url, kind: "video" } });
  expect(media.status).toBe(201);
  const film = await post(key, { text: "film", media: [media.body.id], channels: [telegram.id] });
  const link = await post(key, { text: `read ${page}`, channels: [bluesky.id] });
  for (const { id } of [film, link]) expect((await finished(key, id)).status).toBe("published");
  expect(JSON.stringify(await ledger(bluesky.handle))).toContain("app.bsky.embed.external");
  await waitForAttempts(endpoint, 2);
  await eventually(() => expect(timers.pendingMs()).toEqual([]));
});

const ENDINGS = {
  "a refusal": async () => Response.json({ ok: false, error_code: 400, description: "Bad Request" }, { status: 400 }),
  "a connection that breaks": () => Promise.reject(new TypeError("fetch failed")),
  "a body that breaks": async () =>
    new Response(new ReadableStream({ start: (body) => body.error(new TypeError("fetch failed")) })),
  "a body that is too long": async () => new Response(new Uint8Array(2 << 20)),
} satisfies Record<string, () => Promise<Response>>;

it.each(Object.entries(ENDINGS))("leaves no timer behind a call that ends with %s", async (_, answer) => {
  const { key, workspace } = await signUp();
  const channel = await connect(key, "telegram");
  const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
  await age(id, DAY_MS);
  const timers = watchTimers();
  await (await ownPublisher(workspace, channel.id, { world: networksVia(answer) })).work();
  expect((await getPost(key, id)).deliveries[0]?.attempts).toBe(1);
  await eventually(() => expect(timers.pendingMs()).toEqual([]));
});

it("leaves no timer behind a call that exceeded its time limit", async () => {
  const { key, workspace } = await signUp();
  const channel = await connect(key, "telegram");
  const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
  await age(id, DAY_MS);
  const timers = watchTimers();
  const called = Promise.withResolvers<void>();
  const world = networksVia((_url, _act, init) => {
    called.resolve();
    return new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(init.signal?.reason)));
  });
  const publishing = (await ownPublisher(workspace, channel.id, { world })).work();
  await called.promise;
  expect(timers.pendingMs()).toContain(PUBLISH_TIMEOUT_MS);
  timers.ring(PUBLISH_TIMEOUT_MS);
  await publishing;
  await eventually(() => expect(timers.pendingMs()).toEqual([]));
});
