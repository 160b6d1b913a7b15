// Every kind of post on a Facebook Page, from the API to the network and back.

import { describe, expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { age, passWaits } from "../../support/lanes.ts";
import { publishNow } from "../../support/machine.ts";
import { CHUNKS_DIVISOR } from "../../support/small-chunks.ts";
import {
  type Account,
  call,
  connect,
  fault,
  finished,
  ledger,
  post,
  signUp,
  uploadImage,
  uploadVideo,
} from "../../support/world.ts";
import { publish as publishOn, sums } from "./published.ts";

const publish = (account: Account, body: object, override?: object) =>
  publishOn(account, "facebook", body, override, { guarantee: "reconciled" });

describe("posts on Facebook", () => {
  it("publishes text with a link card", async () => {
    const link = "https://example.com/card";
    const entry = await publish(await signUp(), { text: "Grüße 👩‍👩‍👧" }, { link });
    expect(entry).toMatchObject({ text: "Grüße 👩‍👩‍👧", detail: { link } });
  });

  it("publishes one image with alt text", async () => {
    const account = await signUp();
    const image = await uploadImage(account, { alt: "a gradient" });
    const entry = await publish(account, { text: "one", media: [image.id] });
    expect(entry.media).toMatchObject([{ ...sums([image])[0], alt: "a gradient" }]);
  });

  it("publishes a carousel of three images in order", async () => {
    const account = await signUp();
    const images = [];
    for (let i = 0; i < 3; i++) images.push(await uploadImage(account, { width: 40 + i }));
    const entry = await publish(account, { text: "three", media: images.map(({ id }) => id), post_type: "carousel" });
    expect(entry.media).toMatchObject(sums(images));
  });

  it("publishes a story with an image", async () => {
    const account = await signUp();
    const image = await uploadImage(account);
    const entry = await publish(account, { media: [image.id], post_type: "story" });
    expect(entry).toMatchObject({ text: "", media: sums([image]), detail: { story: true } });
  });

  it("publishes a story with a video", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 300_000);
    const entry = await publish(account, { media: [video.id], post_type: "story" });
    expect(entry).toMatchObject({ media: sums([video]), detail: { story: true } });
  });

  it("publishes a reel with a title", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 300_000);
    const body = { text: "a reel", media: [video.id], post_type: "reel" };
    const entry = await publish(account, body, { title: "Title" });
    expect(entry).toMatchObject({ text: "a reel", media: sums([video]), detail: { kind: "reel", title: "Title" } });
  });

  it("uploads a video to the feed in three chunks", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 9_000_000 / CHUNKS_DIVISOR);
    const entry = await publish(account, { text: "a film", media: [video.id] });
    expect(entry).toMatchObject({ text: "a film", media: sums([video]), detail: { kind: "video" } });
  });
});

describe("a Facebook post whose answer is lost", () => {
  const LOST = { platform: "facebook", do: "reset_after_accept" };

  it.each([
    ["text", "feed"],
    ["image", "feed"],
  ])("finds a post with %s again and reports it live, once", async (kind, lostCall) => {
    const account = await signUp();
    const channel = await connect(account.key, "facebook");
    const media = kind === "image" ? [(await uploadImage(account)).id] : [];
    await fault({ ...LOST, account: channel.handle, call: lostCall });
    const { id } = await post(account.key, { text: "once", media, channels: [channel.id] });
    const finishedPost = await finished(account.key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(finishedPost.deliveries[0]?.url).toBe(published[0]?.url);
  });
});

describe("a reel whose publishing got no answer", () => {
  it.each([
    ["reports the reel live without publishing it again if it was published", "reset_after_accept", 1],
    ["publishes the same reel once more if it was not published", "reset_before", 2],
  ])("%s", async (_, faultKind, attempts) => {
    const account = await signUp();
    const channel = await connect(account.key, "facebook");
    const video = await uploadVideo(account, 50_000);
    await fault({ platform: "facebook", account: channel.handle, call: "video_reels.finish", do: faultKind });
    const body = { text: "once", media: [video.id], post_type: "reel", channels: [channel.id] };
    const { id } = await post(account.key, body);
    // The first search finds nothing, either because the network is still processing the reel or because the call was
    // lost. The call may still arrive for a while.
    await eventually(async () => {
      const row = testEnv.DB.prepare(
        "SELECT next_at - (sends ->> '$[#-1].sent_at') AS wait FROM deliveries WHERE post_id = ?",
      ).bind(id);
      const wait = await row.first<number>("wait");
      if (wait !== null && wait <= 60_000) await passWaits(id);
      expect(wait).toBeGreaterThan(60_000);
    });
    await age(id, 4 * 60_000);
    await publishNow(account.workspace, channel.id);
    const finishedPost = await finished(account.key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts });
    expect(await ledger(channel.handle)).toMatchObject([{ text: "once", url: finishedPost.deliveries[0]?.url }]);
  });
});

it("stops the channel and asks for a reconnect if the network revokes the token", async () => {
  const { key } = await signUp();
  const name = `revoked${Date.now().toString(36)}`;
  const credentials = { access_token: `EAApage-${name}` };
  const connected = await call<{ id: string }>("POST", "/v1/channels", {
    token: key,
    body: { platform: "facebook", handle: name, credentials },
  });
  await fault({ platform: "facebook", account: name, expire_token: true });
  const { id } = await post(key, { text: "too late", channels: [connected.body.id] });
  const finishedPost = await finished(key, id);
  expect(finishedPost.deliveries[0]).toMatchObject({
    status: "failed",
    error: "token_expired",
    action: "reconnect_required",
  });
  const channels = await call<{ channels: { status: string }[] }>("GET", "/v1/channels", { token: key });
  expect(JSON.stringify(channels.body)).toContain("needs_reconnect");
  expect(await ledger(name)).toEqual([]);
});

it("rejects a token for several Pages until one Page is named", async () => {
  const { key } = await signUp();
  const answer = await call("POST", "/v1/channels", {
    token: key,
    body: { platform: "facebook", handle: "several", credentials: { access_token: "EAAuser-several+3" } },
  });
  expect(answer).toMatchObject({
    status: 422,
    body: { error: "credentials_invalid", field: "/credentials/account_id" },
  });
});
