// Posts are published on Instagram through the API, with every byte.

import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { age } from "../../support/lanes.ts";
import {
  type Account,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  uploadJpeg,
  uploadVideo,
} from "../../support/world.ts";
import { publish as publishOn, sums } from "./published.ts";

const publish = (account: Account, body: object, override?: object) =>
  publishOn(account, "instagram", body, override, { guarantee: "exactly_once" });

describe.concurrent("posts on Instagram", () => {
  it("publishes an image with alt text, collaborators and location", async () => {
    const account = await signUp();
    const image = await uploadJpeg(account, { alt: "plain grey" });
    const override = { collaborators: ["alice"], location_id: "123", ai_generated: true };
    const entry = await publish(account, { text: "Grüß <b>&</b> 😀 #crier", media: [image.id] }, override);
    expect(entry).toMatchObject({
      text: "Grüß <b>&</b> 😀 #crier",
      media: [{ ...sums([image])[0], alt: "plain grey" }],
      detail: { media_type: "IMAGE", collaborators: '["alice"]', location_id: "123", is_ai_generated: "true" },
    });
  });

  it("publishes a reel with its cover", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 300_000);
    const body = { text: "moving", media: [video.id], post_type: "reel" };
    const entry = await publish(account, body, { thumb_offset_ms: 500, share_to_feed: false });
    expect(entry).toMatchObject({
      text: "moving",
      media: sums([video]),
      detail: { media_type: "REELS", thumb_offset: "500", share_to_feed: "false" },
    });
  });

  it.each(["image", "video"])("publishes a story with one %s", async (kind) => {
    const account = await signUp();
    const file = kind === "image" ? await uploadJpeg(account) : await uploadVideo(account, 100_000);
    const entry = await publish(account, { media: [file.id], post_type: "story" });
    expect(entry).toMatchObject({ text: "", media: sums([file]), detail: { media_type: "STORIES" } });
  });

  it("publishes a single feed video as a reel", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 100_000);
    const entry = await publish(account, { text: "feed", media: [video.id] });
    expect(entry).toMatchObject({ detail: { media_type: "REELS", share_to_feed: "true" } });
  });

  it("publishes a carousel of images and a video in order", async () => {
    const account = await signUp();
    const files = [await uploadJpeg(account), await uploadVideo(account, 100_000), await uploadJpeg(account)];
    const entry = await publish(account, { text: "album", media: files.map(({ id }) => id), post_type: "carousel" });
    expect(entry).toMatchObject({ text: "album", detail: { media_type: "CAROUSEL" }, media: sums(files) });
  });

  it("reports a post live exactly once if its answer is lost", async () => {
    const account = await signUp();
    const { key } = account;
    const channel = await connect(key, "instagram");
    const image = await uploadJpeg(account);
    await fault({
      platform: "instagram",
      account: channel.handle,
      call: "media_publish",
      do: "reset_after_accept",
    });
    const { id } = await post(key, { text: "once", media: [image.id], channels: [channel.id] });
    const finishedPost = await finished(key, id);
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 1, url: published[0]?.url });
  });

  it("publishes the same container again once the lost first call can no longer arrive", async () => {
    const account = await signUp();
    const { key } = account;
    const channel = await connect(key, "instagram");
    const image = await uploadJpeg(account);
    await fault({ platform: "instagram", account: channel.handle, call: "media_publish", do: "reset_before" });
    const { id } = await post(key, { text: "never arrived", media: [image.id], channels: [channel.id] });
    await eventually(async () =>
      expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "publishing", attempts: 1 }),
    );
    await age(id, 4 * 60_000);
    const finishedPost = await finished(key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 2 });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});
