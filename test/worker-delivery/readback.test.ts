// A published post is read back. If its network shows it differently than it was accepted, this is reported once.
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

const getAlteredEvents = async ({ key }: Account) =>
  (await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events?event=delivery.altered", { token: key })).body
    .events;

/** Publishes a post, optionally with files and a thread, on a new channel. */
async function publishPost(
  platform: string,
  body: { text?: string; files?: number; thread?: { text: string }[] } = {},
) {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  const { text = "once", files = 0, thread = [] } = body;
  const media = await Promise.all(Array.from({ length: files }, () => uploadJpeg(account)));
  const { id } = await post(account.key, { text, thread, channels: [channel.id], media: media.map((file) => file.id) });
  expect((await finished(account.key, id)).status).toBe("published");
  return { account, channel, id };
}

describe("the comparison of a live post with the accepted post", () => {
  it.each([
    ["bluesky", 2],
    ["x", 2],
    ["facebook", 2],
    ["linkedin", 2],
    ["threads", 2],
    ["instagram", 2],
    ["telegram", 2],
  ])("reports verified if %s shows the post as it was accepted", async (platform, files) => {
    const { account, id } = await publishPost(platform, {
      text: "As written & <sent> #here https://example.com",
      files,
    });
    expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", readback: null });
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ status: "live", readback: { state: "verified", altered: [] } });
    expect(await getAlteredEvents(account)).toEqual([]);
  });

  it("reports a difference once to webhooks that subscribe to the event, and the delivery stays live", async () => {
    const { account, channel, id } = await publishPost("bluesky", { files: 2 });
    const [subscribedHook, otherHook] = [unique("hook"), unique("hook")];
    for (const [hook, body] of [
      [subscribedHook, { events: ["delivery.altered"] }],
      [otherHook, {}],
    ] as const) {
      const registered = { url: `${testEnv.RECEIVERS}/${hook}`, ...body };
      expect((await call("POST", "/v1/webhooks", { token: account.key, body: registered })).status).toBe(201);
    }
    const readCall = { platform: "bluesky", account: channel.handle, call: "com.atproto.repo.getRecord" };
    await fault({ ...readCall, do: "drop_file" });
    for (let i = 0; i < 3; i++) {
      const { status, deliveries } = await check(account.key, id);
      expect(status).toBe("published");
      expect(deliveries[0]).toMatchObject({ readback: { state: "altered", altered: ["media_count"] } });
      // Later changes by the owner on the network are not reported.
      await fault({ ...readCall, do: "alter_text" });
    }
    const reported = {
      event: "delivery.altered",
      post: id,
      channel: channel.id,
      altered: ["media_count"],
      error: null,
    };
    expect(await getAlteredEvents(account)).toMatchObject([reported]);
    await eventually(async () => {
      const received: { body: string }[] = await (await fetch(`${testEnv.RECEIVERS}/_/${subscribedHook}`)).json();
      expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([reported]);
    });
    expect(await (await fetch(`${testEnv.RECEIVERS}/_/${otherHook}`)).json()).toEqual([]);
    for (const { name, sql } of INVARIANTS) {
      const { results } = await testEnv.DB.prepare(sql).all();
      const about = results.filter(({ workspace_id }) => workspace_id === account.workspace);
      expect(about, name).toEqual([]);
    }
  });

  it.each([
    ["bluesky", "com.atproto.repo.getRecord"],
    ["x", "tweets/lookup"],
  ])("reports a missing file in the first part of a thread on %s", async (platform, readCall) => {
    const { account, channel, id } = await publishPost(platform, { files: 2, thread: [{ text: "and on" }] });
    await fault({ platform, account: channel.handle, call: readCall, do: "drop_file" });
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ readback: { state: "altered", altered: ["media_count"] } });
  });

  it("reports a difference that the answer to the publish call showed, even if the post cannot be read later", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    await fault({ platform: "telegram", account: channel.handle, call: "sendMessage", do: "alter_text" });
    const { id } = await post(account.key, { text: "once", channels: [channel.id] });
    expect((await finished(account.key, id)).status).toBe("published");
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ status: "live", readback: { state: "altered", altered: ["text"] } });
  });
});

describe("the comparison with a post that cannot be read", () => {
  it("waits while the network does not answer, and is made later", async () => {
    const { account, channel, id } = await publishPost("x");
    await fault({ platform: "x", account: channel.handle, call: "tweets/lookup", do: "status", status: 503 });
    expect((await check(account.key, id)).deliveries[0]).toMatchObject({ readback: null });
    expect((await check(account.key, id)).deliveries[0]).toMatchObject({ readback: { state: "verified" } });
  });

  it("ends as unverifiable if the network does not show the text", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const overrides = { [channel.id]: { parse_mode: "html" } };
    const { id } = await post(account.key, { text: "<b>once</b>", channels: [channel.id], overrides });
    expect((await finished(account.key, id)).status).toBe("published");
    const [delivery] = (await check(account.key, id)).deliveries;
    expect(delivery).toMatchObject({ readback: { state: "unverifiable", altered: [] } });
  });
});
