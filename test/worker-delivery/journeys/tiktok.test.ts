// TikTok from the API to the network and back: every kind of post, and lost answers.
import { describe, expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { CHUNKS_DIVISOR } from "../../support/small-chunks.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  ledger,
  post,
  signUp,
  type UploadedFile,
  unique,
  upload,
  uploadJpeg,
  uploadVideo,
} from "../../support/world.ts";

const sums = (files: UploadedFile[]) => files.map(({ bytes, sha256 }) => ({ bytes, sha256 }));
const PUBLIC = { privacy_level: "PUBLIC_TO_EVERYONE" };

let count = 0;
function uploadPhoto(account: Account, type: "image/jpeg" | "image/webp"): Promise<UploadedFile> {
  const head = type === "image/jpeg" ? [0xff, 0xd8, 0xff, 0xe0] : [...new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8 ")];
  return upload(account, new Uint8Array([...head, ...new Array(2_000).fill(count++)]), type);
}

async function publish(account: Account, channel: ChannelBody, body: object, options: object = PUBLIC) {
  const overrides = { [channel.id]: options };
  const { id } = await post(account.key, { channels: [channel.id], overrides, ...body });
  const [delivery] = (await finished(account.key, id)).deliveries;
  const published = await ledger(channel.handle);
  expect(published).toHaveLength(1);
  return { delivery: delivery ?? expect.fail("no delivery"), entry: published[0] ?? expect.fail("nothing published") };
}
const liveDelivery = { status: "live", attempts: 1, error: null, guarantee: "reconciled" };

describe("posts on TikTok", () => {
  it.each(["feed", "reel"])("publishes a video as %s in several chunks with its caption", async (post_type) => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const video = await uploadVideo(account, 20_500_000 / CHUNKS_DIVISOR);
    const text = "Für später: 👩‍👩‍👧 #crier\n@ada";
    const { delivery, entry } = await publish(account, channel, { text, media: [video.id], post_type });
    expect(entry).toMatchObject({ text, media: sums([video]), detail: { kind: "video" } });
    expect(delivery).toMatchObject({ ...liveDelivery, url: entry.url, url_state: null });
    // The id exceeds 2^53, and every digit must be preserved.
    expect(delivery.url).toBe(`https://www.tiktok.com/@${channel.handle}/video/${entry.id}`);
  });

  it.each(["feed", "carousel"])("publishes photos as %s in order, with title and cover", async (post_type) => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const photos = [await uploadPhoto(account, "image/jpeg"), await uploadPhoto(account, "image/webp")];
    const options = { ...PUBLIC, photo_title: "Two", photo_cover_index: 1 };
    const body = { text: "two", media: photos.map(({ id }) => id), post_type };
    const { delivery, entry } = await publish(account, channel, body, options);
    expect(entry).toMatchObject({ text: "two", media: sums(photos), detail: { cover: 1, info: { title: "Two" } } });
    expect(delivery).toMatchObject({ ...liveDelivery, url: entry.url, url_state: null });
  });

  it("publishes a photo description of 4,000 characters in place of the text, which a dry run shows", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const media = [(await uploadJpeg(account)).id];
    const description = "ö".repeat(4_000);
    const send = (photo_description: string, fields: object = {}) => ({
      text: "for other networks",
      channels: [channel.id],
      media,
      overrides: { [channel.id]: { ...PUBLIC, photo_description } },
      ...fields,
    });
    const runDry = (body: object) =>
      call("POST", "/v1/posts", { token: account.key, body: { ...body, dry_run: true } });
    const dry = await runDry(send(description));
    expect(dry.body.deliveries).toMatchObject([{ text: description, text_length: 4_000, text_limit: 4_000 }]);
    const long = await runDry(send(`${description}!`));
    const field = `/overrides/${channel.id}/photo_description`;
    expect([long.status, long.body.violations]).toMatchObject([422, [{ code: "invalid_option", field }]]);
    const video = await uploadVideo(account, 300_000);
    const withVideo = await runDry(send("only photos", { media: [video.id] }));
    expect([withVideo.status, withVideo.body.violations]).toMatchObject([422, [{ option_fault: "wrong_post", field }]]);
    const { entry } = await publish(
      account,
      channel,
      { text: "for other networks", media },
      {
        ...PUBLIC,
        photo_description: description,
      },
    );
    expect(entry).toMatchObject({ text: description, detail: { info: { description } } });
  });

  it("reports no URL for a private post, and a pending URL for a post in moderation", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 300_000);
    const privateChannel = await connect(account.key, "tiktok");
    const privatePost = await publish(account, privateChannel, { media: [video.id] }, { privacy_level: "SELF_ONLY" });
    expect(privatePost.delivery).toMatchObject({ ...liveDelivery, url: null, url_state: "not_reported" });
    const slowChannel = await connect(account.key, "tiktok", unique("slow_"));
    const moderated = await publish(account, slowChannel, { media: [video.id] });
    expect(moderated.delivery).toMatchObject({ ...liveDelivery, url: null, url_state: "pending" });
  });

  it("renews an expired token and publishes the post", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const video = await uploadVideo(account, 300_000);
    const body = JSON.stringify([{ platform: "tiktok", account: channel.handle, expire_token: true }]);
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${testEnv.SIMULATORS}/_sim/faults`, { method: "POST", headers, body })).status).toBe(201);
    expect((await publish(account, channel, { media: [video.id] })).delivery).toMatchObject(liveDelivery);
  });
});

describe("a lost answer of TikTok", () => {
  it("to the last chunk: finds the post by its publish_id, exactly once", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const video = await uploadVideo(account, 20_500_000 / CHUNKS_DIVISOR);
    await fault({ platform: "tiktok", account: channel.handle, call: "upload", do: "reset_after_accept", skip: 1 });
    const { delivery, entry } = await publish(account, channel, { text: "once", media: [video.id] });
    expect(entry.media).toMatchObject(sums([video]));
    expect(delivery).toMatchObject({ ...liveDelivery, url: entry.url });
  });

  it("to photos: finds the post by its text, exactly once", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const photo = await uploadPhoto(account, "image/jpeg");
    const call = "post/publish/content/init";
    await fault({ platform: "tiktok", account: channel.handle, call, do: "reset_after_accept" });
    const { delivery, entry } = await publish(account, channel, { text: "exactly this", media: [photo.id] });
    expect(delivery).toMatchObject({ ...liveDelivery, url: entry.url });
  });
});
