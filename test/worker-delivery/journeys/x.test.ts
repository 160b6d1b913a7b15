import { expect, it } from "vitest";
import { CHUNKS_DIVISOR } from "../../support/small-chunks.ts";
import { connect, fault, finished, ledger, post, signUp, uploadImage, uploadVideo } from "../../support/world.ts";

it("publishes a text with an image and alt text, counting characters as X does", async () => {
  const account = await signUp();
  const image = await uploadImage(account, { alt: "a gradient" });
  const channel = await connect(account.key, "x");
  const text = `${"中".repeat(128)} https://example.com/${"a".repeat(100)}`;
  const { id } = await post(account.key, { text, media: [image.id], channels: [channel.id] });
  const finishedPost = await finished(account.key, id);
  const [entry] = await ledger(channel.handle);
  expect(finishedPost.deliveries).toMatchObject([{ status: "live", attempts: 1, url: entry?.url }]);
  expect(entry).toMatchObject({ text, media: [{ bytes: image.bytes, sha256: image.sha256, alt: "a gradient" }] });
});

it("uploads a video in segments, and publishes it after processing", async () => {
  const account = await signUp();
  const video = await uploadVideo(account, 5_000_000 / CHUNKS_DIVISOR);
  const channel = await connect(account.key, "x");
  const { id } = await post(account.key, { text: "moving", media: [video.id], channels: [channel.id] });
  expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
  expect(await ledger(channel.handle)).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
});

it("publishes an article with its title", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "x");
  const { id } = await post(key, {
    text: "Line one\nLine two",
    post_type: "article",
    channels: [channel.id],
    overrides: { [channel.id]: { title: "News" } },
  });
  expect((await finished(key, id)).status).toBe("published");
  expect(await ledger(channel.handle)).toMatchObject([{ text: "Line one\nLine two", detail: { article: "News" } }]);
});

it("finds a post in the timeline whose answer was lost, and does not publish it again", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "x");
  await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "reset_after_accept" });
  const { id } = await post(key, { text: "only once, see example.com", channels: [channel.id] });
  const finishedPost = await finished(key, id);
  const entries = await ledger(channel.handle);
  expect(entries).toHaveLength(1);
  expect(finishedPost.deliveries).toMatchObject([{ status: "live", attempts: 1, url: entries[0]?.url }]);
});

it("renews an expired token before publishing the post", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "x");
  await fault({ platform: "x", account: channel.handle, expire_token: true });
  const { id } = await post(key, { text: "after the renewal", channels: [channel.id] });
  expect((await finished(key, id)).deliveries).toMatchObject([{ status: "live" }]);
  expect(await ledger(channel.handle)).toHaveLength(1);
});
