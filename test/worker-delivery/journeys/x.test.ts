import { expect, it } from "vitest";
import { PARTS_DIVISOR } from "../../support/small-parts.ts";
import { connect, fault, finished, ledger, post, signUp, uploadImage, uploadVideo } from "../../support/world.ts";

it("a text with an image and its alt text goes out, counted as the network counts", async () => {
  const account = await signUp();
  const image = await uploadImage(account, { alt: "a gradient" });
  const channel = await connect(account.key, "x");
  const text = `${"中".repeat(128)} https://example.com/${"a".repeat(100)}`;
  const { id } = await post(account.key, { text, media: [image.id], channels: [channel.id] });
  const done = await finished(account.key, id);
  const [entry] = await ledger(channel.handle);
  expect(done.deliveries).toMatchObject([{ status: "live", attempts: 1, url: entry?.url }]);
  expect(entry).toMatchObject({ text, media: [{ bytes: image.bytes, sha256: image.sha256, alt: "a gradient" }] });
});

it("a video goes up in segments and out once the network has worked on it", async () => {
  const account = await signUp();
  const video = await uploadVideo(account, 5_000_000 / PARTS_DIVISOR);
  const channel = await connect(account.key, "x");
  const { id } = await post(account.key, { text: "moving", media: [video.id], channels: [channel.id] });
  expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
  expect(await ledger(channel.handle)).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
});

it("an article goes out with its title", async () => {
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

it("a post whose answer was lost is found in the timeline, and not made again", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "x");
  await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "reset_after_accept" });
  const { id } = await post(key, { text: "only once, see example.com", channels: [channel.id] });
  const done = await finished(key, id);
  const made = await ledger(channel.handle);
  expect(made).toHaveLength(1);
  expect(done.deliveries).toMatchObject([{ status: "live", attempts: 1, url: made[0]?.url }]);
});

it("a token that has expired is renewed before the post goes out", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "x");
  await fault({ platform: "x", account: channel.handle, expire_token: true });
  const { id } = await post(key, { text: "after the renewal", channels: [channel.id] });
  expect((await finished(key, id)).deliveries).toMatchObject([{ status: "live" }]);
  expect(await ledger(channel.handle)).toHaveLength(1);
});
