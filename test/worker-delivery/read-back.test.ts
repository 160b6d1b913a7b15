// A published post is read back: what its network shows otherwise than it was accepted is told, once.
import { describe, expect, it } from "vitest";
import { INVARIANTS } from "../../src/store/invariants.ts";
import { check } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import {
  type Account,
  call,
  connect,
  fault,
  finished,
  getPost,
  post,
  signUp,
  unique,
  uploadJpeg,
} from "../support/world.ts";

const altered = async ({ key }: Account) =>
  (await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events?event=delivery.altered", { token: key })).body
    .events;

/** An account with a published post, which may have files. */
async function published(platform: string, body: { text?: string; files?: number; thread?: { text: string }[] } = {}) {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  const { text = "once", files = 0, thread = [] } = body;
  const media = await Promise.all(Array.from({ length: files }, () => uploadJpeg(account)));
  const { id } = await post(account.key, { text, thread, channels: [channel.id], media: media.map((file) => file.id) });
  expect((await finished(account.key, id)).status).toBe("published");
  return { account, channel, id };
}

describe("a post that is shown", () => {
  it.each([
    ["bluesky", 2],
    ["x", 2],
    ["facebook", 2],
    ["linkedin", 2],
    ["threads", 2],
    ["instagram", 2],
    ["telegram", 2],
  ])("as it was accepted, on %s, is verified", async (platform, files) => {
    const { account, id } = await published(platform, { text: "As written & <sent> #here https://example.com", files });
    expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", readback: null });
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ status: "live", readback: { state: "verified", altered: [] } });
    expect(await altered(account)).toEqual([]);
  });

  it("otherwise is altered: an event once, for endpoints that name it, and the delivery stays live", async () => {
    const { account, channel, id } = await published("bluesky", { files: 2 });
    const [asked, other] = [unique("hook"), unique("hook")];
    for (const [hook, body] of [
      [asked, { events: ["delivery.altered"] }],
      [other, {}],
    ] as const) {
      const registered = { url: `${testEnv.RECEIVERS}/${hook}`, ...body };
      expect((await call("POST", "/v1/webhooks", { token: account.key, body: registered })).status).toBe(201);
    }
    const shown = { platform: "bluesky", account: channel.handle, call: "com.atproto.repo.getRecord" };
    await fault({ ...shown, do: "drop_file" });
    for (let look = 0; look < 3; look++) {
      const { status, deliveries } = await check(account.key, id);
      expect(status).toBe("published");
      expect(deliveries[0]).toMatchObject({ readback: { state: "altered", altered: ["media_count"] } });
      // What its owner changes there later is the owner's.
      await fault({ ...shown, do: "alter_text" });
    }
    const reported = {
      event: "delivery.altered",
      post: id,
      channel: channel.id,
      altered: ["media_count"],
      error: null,
    };
    expect(await altered(account)).toMatchObject([reported]);
    await eventually(async () => {
      const received: { body: string }[] = await (await fetch(`${testEnv.RECEIVERS}/_/${asked}`)).json();
      expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([reported]);
    });
    expect(await (await fetch(`${testEnv.RECEIVERS}/_/${other}`)).json()).toEqual([]);
    for (const { name, sql } of INVARIANTS) {
      const { results } = await testEnv.DB.prepare(sql).all();
      const about = results.filter(({ workspace_id }) => workspace_id === account.workspace);
      expect(about, name).toEqual([]);
    }
  });

  it.each([
    ["bluesky", "com.atproto.repo.getRecord"],
    ["x", "tweets/lookup"],
  ])("with a file less, though it is the first of a thread on %s, is altered", async (platform, seen) => {
    const { account, channel, id } = await published(platform, { files: 2, thread: [{ text: "and on" }] });
    await fault({ platform, account: channel.handle, call: seen, do: "drop_file" });
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ readback: { state: "altered", altered: ["media_count"] } });
  });

  it("on a network whose answer to the post showed it otherwise is altered, though it cannot be read later", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    await fault({ platform: "telegram", account: channel.handle, call: "sendMessage", do: "alter_text" });
    const { id } = await post(account.key, { text: "once", channels: [channel.id] });
    expect((await finished(account.key, id)).status).toBe("published");
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ status: "live", readback: { state: "altered", altered: ["text"] } });
  });
});

describe("a post that is not shown", () => {
  it("while the network does not answer is not judged, and later is", async () => {
    const { account, channel, id } = await published("x");
    await fault({ platform: "x", account: channel.handle, call: "tweets/lookup", do: "status", status: 503 });
    expect((await check(account.key, id)).deliveries[0]).toMatchObject({ readback: null });
    expect((await check(account.key, id)).deliveries[0]).toMatchObject({ readback: { state: "verified" } });
  });

  it("for its network shows no text of it is unverifiable", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const overrides = { [channel.id]: { parse_mode: "html" } };
    const { id } = await post(account.key, { text: "<b>once</b>", channels: [channel.id], overrides });
    expect((await finished(account.key, id)).status).toBe("published");
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ readback: { state: "unverifiable", altered: [] } });
  });
});
