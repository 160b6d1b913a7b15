// Videos and shorts go out to YouTube whole, and exactly once.

import { describe, expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { age } from "../../support/lanes.ts";
import { publishNow } from "../../support/machine.ts";
import { PARTS_DIVISOR } from "../../support/small-parts.ts";
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

const PART = (8 * 1024 * 1024) / PARTS_DIVISOR;
const OPTIONS = { title: "A title", made_for_kids: false };

async function scene(): Promise<{ account: Account; channel: ChannelBody }> {
  const account = await signUp();
  return { account, channel: await connect(account.key, "youtube") };
}
const body = (channel: ChannelBody, video: { id: string }, more: object = {}) => ({
  text: "moving",
  media: [video.id],
  channels: [channel.id],
  overrides: { [channel.id]: OPTIONS },
  ...more,
});
const onCall = (channel: ChannelBody, name: string, what: object) =>
  fault({ platform: "youtube", account: channel.handle, call: name, ...what });
async function delivery(key: string, id: string) {
  const found = await finished(key, id);
  return found.deliveries[0] ?? expect.fail("no delivery");
}

describe("a video", () => {
  it("goes out with its options, byte for byte", async () => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 300_000);
    const overrides = { [channel.id]: { ...OPTIONS, privacy: "unlisted", tags: ["a", "b c"] } };
    const { id } = await post(account.key, body(channel, video, { overrides }));
    const done = await delivery(account.key, id);
    expect(done).toMatchObject({ status: "live", attempts: 1, error: null, guarantee: "exactly_once" });
    const [entry, ...others] = await ledger(channel.handle);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      text: "moving",
      media: [{ bytes: video.bytes, sha256: video.sha256 }],
      detail: { title: "A title", privacyStatus: "unlisted", selfDeclaredMadeForKids: false, tags: ["a", "b c"] },
    });
    expect(done.url).toBe(entry?.url);
  });

  it("as a short has the address of a short", async () => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 100_000);
    const { id } = await post(account.key, body(channel, video, { post_type: "short" }));
    const done = await delivery(account.key, id);
    const published = await ledger(channel.handle);
    expect(published).toMatchObject([{ media: [{ sha256: video.sha256 }] }]);
    expect(done).toMatchObject({ status: "live", url: `https://www.youtube.com/shorts/${published[0]?.id}` });
  });

  it("that the network made private is live, and the delivery says so", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube", unique("locked_"));
    const { id } = await post(account.key, body(channel, await uploadVideo(account, 50_000)));
    expect(await delivery(account.key, id)).toMatchObject({
      status: "live",
      error: null,
      hint: expect.stringContaining("private, not public"),
    });
  });

  it("in three parts goes on after the part that arrived when the connection breaks", async () => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 2 * PART + 5);
    await onCall(channel, "upload.part", { do: "reset_before", skip: 1 });
    const { id } = await post(account.key, body(channel, video));
    await eventually(async () => expect((await getPost(account.key, id)).deliveries[0]?.status).toBe("retrying"));
    await age(id, 60_000);
    await publishNow(account.workspace, channel.id);
    expect(await delivery(account.key, id)).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
  });

  it("whose last answer is lost is found by its session, and exists exactly once", async () => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 200_000);
    await onCall(channel, "upload.last", { do: "reset_after_accept" });
    const { id } = await post(account.key, body(channel, video));
    const done = await delivery(account.key, id);
    expect(done).toMatchObject({ status: "live", attempts: 1 });
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(done.url).toBe(published[0]?.url);
  });

  it("that the network cannot process fails, and says which file", async () => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 100_000);
    const status = { uploadStatus: "failed", failureReason: "codec" };
    await onCall(channel, "videos.list", { do: "status", status: 200, body: { items: [{ status }] } });
    const { id } = await post(account.key, body(channel, video));
    expect(await delivery(account.key, id)).toMatchObject({
      status: "failed",
      error: "media_refused",
      action: "replace_media",
      hint: expect.stringContaining(`file 1 (${video.id})`),
    });
  });

  it("goes out with a token that is renewed on the way", async () => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 100_000);
    await fault({ platform: "youtube", account: channel.handle, expire_token: true });
    const { id } = await post(account.key, body(channel, video));
    expect(await delivery(account.key, id)).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("a post that YouTube does not take is refused at once", () => {
  it.each([
    ["no title", { made_for_kids: true }, "/overrides/CH/title"],
    ["no word on children", { title: "x" }, "/overrides/CH/made_for_kids"],
    ["brackets in the title", { ...OPTIONS, title: "a < b" }, "/overrides/CH/title"],
  ])("%s", async (_, options, field) => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 10_000);
    const overrides = { [channel.id]: options };
    const answer = await call("POST", "/v1/posts", { token: account.key, body: body(channel, video, { overrides }) });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(field.replace("CH", channel.id));
  });

  it("a short that is too long or too wide, an image, and text alone", async () => {
    const { account, channel } = await scene();
    const video = await uploadVideo(account, 10_000);
    const image = await uploadImage(account);
    const answered = async (more: object) =>
      (await call("POST", "/v1/posts", { token: account.key, body: body(channel, video, more) })).status;
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await answered({ media: [image.id] })).toBe(422);
    expect(await answered({ media: [] })).toBe(422);
    // From its first use on, what a file is said to be is not read again.
    expect(await answered({ publish_at: later })).toBe(201);
    for (const [seconds, width, height, status] of [
      [181, 720, 1280, 422],
      [180, 1280, 720, 422],
      [180, 720, 720, 201],
    ] as const) {
      await testEnv.DB.prepare("UPDATE media SET duration_ms = ?1, width = ?2, height = ?3 WHERE id = ?4")
        .bind(seconds * 1_000, width, height, video.id)
        .run();
      expect(await answered({ post_type: "feed", publish_at: later })).toBe(201);
      expect(await answered({ post_type: "short", publish_at: later })).toBe(status);
    }
    expect(await ledger(channel.handle)).toEqual([]);
  });
});
