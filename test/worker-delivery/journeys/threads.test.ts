// Posts are published on Threads through the API, with every byte.

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
  uploadImage,
  uploadVideo,
} from "../../support/world.ts";
import { publish as publishOn, sums } from "./published.ts";

const publish = (account: Account, body: object, override?: object) =>
  publishOn(account, "threads", body, override, { guarantee: "exactly_once" });

describe.concurrent("posts on Threads", () => {
  it("publishes text with a link card, a topic and a restriction on replies", async () => {
    const options = { topic_tag: "crier", link_attachment: "https://example.com/", reply_control: "followers_only" };
    const entry = await publish(await signUp(), { text: "Grüß <b>&</b> 😀" }, options);
    expect(entry).toMatchObject({ text: "Grüß <b>&</b> 😀", detail: { media_type: "TEXT", ...options } });
  });

  it("publishes an image with its alt text", async () => {
    const account = await signUp();
    const image = await uploadImage(account, { alt: "a gradient" });
    const entry = await publish(account, { text: "one", media: [image.id] });
    expect(entry).toMatchObject({ text: "one", media: [{ ...sums([image])[0], alt: "a gradient" }] });
  });

  it("publishes a video", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 300_000);
    const entry = await publish(account, { text: "moving", media: [video.id] });
    expect(entry).toMatchObject({ detail: { media_type: "VIDEO" }, media: sums([video]) });
  });

  it("publishes a carousel of images and a video in order", async () => {
    const account = await signUp();
    const files = [await uploadImage(account), await uploadVideo(account, 100_000), await uploadImage(account)];
    const entry = await publish(account, { text: "album", media: files.map(({ id }) => id), post_type: "carousel" });
    expect(entry).toMatchObject({ text: "album", detail: { media_type: "CAROUSEL" }, media: sums(files) });
  });

  it("reports a post live exactly once if its answer is lost", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "threads");
    await fault({
      platform: "threads",
      account: channel.handle,
      call: "threads_publish",
      do: "reset_after_accept",
    });
    const { id } = await post(key, { text: "once", channels: [channel.id] });
    const finishedPost = await finished(key, id);
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 1, url: published[0]?.url });
  });

  it("publishes the same container again once the lost first call can no longer arrive", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "threads");
    await fault({ platform: "threads", account: channel.handle, call: "threads_publish", do: "reset_before" });
    const { id } = await post(key, { text: "never arrived", channels: [channel.id] });
    await eventually(async () =>
      expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "publishing", attempts: 1 }),
    );
    await age(id, 4 * 60_000);
    const finishedPost = await finished(key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 2 });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});
