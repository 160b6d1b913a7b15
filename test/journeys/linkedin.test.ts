import { expect, it } from "vitest";
import { connect, fault, finished, ledger, post, signUp, uploadImage, uploadVideo } from "../support/world.ts";

it("a text full of reserved characters with two images and their alt text goes out as it is", async () => {
  const account = await signUp();
  const images = [await uploadImage(account, { alt: "first" }), await uploadImage(account, { alt: "second" })];
  const channel = await connect(account.key, "linkedin");
  const text = "We (really) do *this* @ work_place: #crier {x} [y] <z> ~ 100% | \\o/";
  const { id } = await post(account.key, { text, media: images.map(({ id }) => id), channels: [channel.id] });
  const done = await finished(account.key, id);
  const [entry] = await ledger(channel.handle);
  expect(done.deliveries).toMatchObject([{ status: "live", attempts: 1, url: entry?.url }]);
  expect(entry).toMatchObject({
    text,
    media: images.map(({ sha256 }, i) => ({ sha256, alt: ["first", "second"][i] })),
  });
});

it("a video goes up in parts and out once the network has worked on it", async () => {
  const account = await signUp();
  const video = await uploadVideo(account, 5_000_000);
  const channel = await connect(account.key, "linkedin");
  const { id } = await post(account.key, { text: "moving", media: [video.id], channels: [channel.id] });
  expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
  expect(await ledger(channel.handle)).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
});

it("an article goes out as a card", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "linkedin");
  const article = { source: "https://example.com/a", title: "An article" };
  const { id } = await post(key, {
    text: "Read this",
    post_type: "article",
    channels: [channel.id],
    overrides: { [channel.id]: { article } },
  });
  expect((await finished(key, id)).status).toBe("published");
  expect(await ledger(channel.handle)).toMatchObject([{ detail: { article } }]);
});

it("a member's post whose answer was lost is said to be unknown, and never sent again", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "linkedin");
  await fault({ platform: "linkedin", account: channel.handle, call: "posts/create", do: "reset_after_accept" });
  const { id } = await post(key, { text: "only once", channels: [channel.id] });
  expect((await finished(key, id)).deliveries).toMatchObject([
    { status: "failed", error: "outcome_unknown", action: "check_network_before_reposting", attempts: 1 },
  ]);
  expect(await ledger(channel.handle)).toHaveLength(1);
});
