// Videos and shorts are published on YouTube completely and exactly once.

import { describe, expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { age } from "../../support/lanes.ts";
import { publishNow } from "../../support/machine.ts";
import { CHUNKS_DIVISOR } from "../../support/small-chunks.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  unique,
  uploadImage,
  uploadVideo,
} from "../../support/world.ts";

const CHUNK_BYTES = (8 * 1024 * 1024) / CHUNKS_DIVISOR;
const OPTIONS = { title: "A title", made_for_kids: false };

async function connectYouTube(): Promise<{ account: Account; channel: ChannelBody }> {
  const account = await signUp();
  return { account, channel: await connect(account.key, "youtube") };
}
const buildBody = (channel: ChannelBody, video: { id: string }, fields: object = {}) => ({
  text: "moving",
  media: [video.id],
  channels: [channel.id],
  overrides: { [channel.id]: OPTIONS },
  ...fields,
});
const faultCall = (channel: ChannelBody, name: string, answer: object) =>
  fault({ platform: "youtube", account: channel.handle, call: name, ...answer });
async function waitForDelivery(key: string, id: string) {
  const finishedPost = await finished(key, id);
  return finishedPost.deliveries[0] ?? expect.fail("no delivery");
}

describe("a video", () => {
  it("is published with its options, byte for byte", async () => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 300_000);
    const overrides = { [channel.id]: { ...OPTIONS, privacy: "unlisted", tags: ["a", "b c"] } };
    const { id } = await post(account.key, buildBody(channel, video, { overrides }));
    const delivery = await waitForDelivery(account.key, id);
    expect(delivery).toMatchObject({ status: "live", attempts: 1, error: null, guarantee: "exactly_once" });
    const [entry, ...otherEntries] = await ledger(channel.handle);
    expect(otherEntries).toEqual([]);
    expect(entry).toMatchObject({
      text: "moving",
      media: [{ bytes: video.bytes, sha256: video.sha256 }],
      detail: { title: "A title", privacyStatus: "unlisted", selfDeclaredMadeForKids: false, tags: ["a", "b c"] },
    });
    expect(delivery.url).toBe(entry?.url);
  });

  it("gets the URL of a short if it is published as a short", async () => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 100_000);
    const { id } = await post(account.key, buildBody(channel, video, { post_type: "short" }));
    const delivery = await waitForDelivery(account.key, id);
    const published = await ledger(channel.handle);
    expect(published).toMatchObject([{ media: [{ sha256: video.sha256 }] }]);
    expect(delivery).toMatchObject({ status: "live", url: `https://www.youtube.com/shorts/${published[0]?.id}` });
  });

  it("is reported live with a hint if the network made it private", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube", unique("locked_"));
    const { id } = await post(account.key, buildBody(channel, await uploadVideo(account, 50_000)));
    expect(await waitForDelivery(account.key, id)).toMatchObject({
      status: "live",
      error: null,
      hint: expect.stringContaining("private, not public"),
    });
  });

  it("resumes after the last chunk that arrived when the connection breaks", async () => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 2 * CHUNK_BYTES + 5);
    await faultCall(channel, "upload.part", { do: "reset_before", skip: 1 });
    const { id } = await post(account.key, buildBody(channel, video));
    await eventually(async () => expect((await getPost(account.key, id)).deliveries[0]?.status).toBe("retrying"));
    await age(id, 60_000);
    await publishNow(account.workspace, channel.id);
    expect(await waitForDelivery(account.key, id)).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
  });

  it("is found by its upload session exactly once if the last answer is lost", async () => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 200_000);
    await faultCall(channel, "upload.last", { do: "reset_after_accept" });
    const { id } = await post(account.key, buildBody(channel, video));
    const delivery = await waitForDelivery(account.key, id);
    expect(delivery).toMatchObject({ status: "live", attempts: 1 });
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(delivery.url).toBe(published[0]?.url);
  });

  it("fails and names the file if the network cannot process it", async () => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 100_000);
    const status = { uploadStatus: "failed", failureReason: "codec" };
    await faultCall(channel, "videos.list", { do: "status", status: 200, body: { items: [{ status }] } });
    const { id } = await post(account.key, buildBody(channel, video));
    expect(await waitForDelivery(account.key, id)).toMatchObject({
      status: "failed",
      error: "media_refused",
      action: "replace_media",
      hint: expect.stringContaining(`file 1 (${video.id})`),
    });
  });

  it("is published with a token that is renewed during the upload", async () => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 100_000);
    await fault({ platform: "youtube", account: channel.handle, expire_token: true });
    const { id } = await post(account.key, buildBody(channel, video));
    expect(await waitForDelivery(account.key, id)).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("a post that YouTube does not accept", () => {
  it.each([
    ["a missing title", { made_for_kids: true }, "/overrides/CH/title"],
    ["a missing made_for_kids", { title: "x" }, "/overrides/CH/made_for_kids"],
    ["brackets in the title", { ...OPTIONS, title: "a < b" }, "/overrides/CH/title"],
  ])("is rejected at once because of %s", async (_, options, field) => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 10_000);
    const overrides = { [channel.id]: options };
    const answer = await call("POST", "/v1/posts", {
      token: account.key,
      body: buildBody(channel, video, { overrides }),
    });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(field.replace("CH", channel.id));
  });

  it("is rejected at once if it is an overlong or wide short, an image, or only text", async () => {
    const { account, channel } = await connectYouTube();
    const video = await uploadVideo(account, 10_000);
    const image = await uploadImage(account);
    const getStatus = async (fields: object) =>
      (await call("POST", "/v1/posts", { token: account.key, body: buildBody(channel, video, fields) })).status;
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await getStatus({ media: [image.id] })).toBe(422);
    expect(await getStatus({ media: [] })).toBe(422);
    // The properties of a file are not read again after its first use.
    expect(await getStatus({ publish_at: later })).toBe(201);
    for (const [seconds, width, height, status] of [
      [181, 720, 1280, 422],
      [180, 1280, 720, 422],
      [180, 720, 720, 201],
    ] as const) {
      await testEnv.DB.prepare("UPDATE media SET duration_ms = ?1, width = ?2, height = ?3 WHERE id = ?4")
        .bind(seconds * 1_000, width, height, video.id)
        .run();
      expect(await getStatus({ post_type: "feed", publish_at: later })).toBe(201);
      expect(await getStatus({ post_type: "short", publish_at: later })).toBe(status);
    }
    expect(await ledger(channel.handle)).toEqual([]);
  });
});
