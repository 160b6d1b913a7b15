// Every kind of post that the networks offer is published with every byte.
import { describe, expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { call, connect, fault, finished, ledger, post, signUp, uploadImage, uploadVideo } from "../../support/world.ts";
import { publish, sums } from "./published.ts";

describe("posts on Bluesky", () => {
  it("publishes text with links, mentions of existing accounts, tags, languages and labels", async () => {
    const text = "Grüß @alice.bsky.social und @nobody.bsky.social: https://example.com #crier";
    const entry = await publish(
      await signUp(),
      "bluesky",
      { text },
      { link_card: "off", langs: ["de"], labels: ["nudity"] },
    );
    expect(entry).toMatchObject({ text, detail: { langs: ["de"], embed: null } });
    const facets = entry.detail.facets as { features: { $type: string }[] }[];
    expect(facets.map(({ features }) => features[0]?.$type.split("#")[1])).toEqual(["mention", "link", "tag"]);
  });

  it("adds a link card for the linked page", async () => {
    const link = `${testEnv.SIMULATORS}/`;
    const entry = await publish(await signUp(), "bluesky", { text: `look: ${link}` });
    expect(entry.detail.embed).toMatchObject({
      $type: "app.bsky.embed.external",
      external: { uri: link, title: "Published posts" },
    });
  });

  it("omits the card if the linked page offers nothing useful", async () => {
    const entry = await publish(await signUp(), "bluesky", { text: `look: ${testEnv.SIMULATORS}/_sim/ledger` });
    expect(entry.detail.embed).toBeNull();
  });

  it("publishes four images in order, with alt text and size", async () => {
    const account = await signUp();
    const images = [];
    for (let i = 0; i < 4; i++)
      images.push(await uploadImage(account, { width: 40 + i, height: 30, alt: `image ${i}` }));
    const entry = await publish(account, "bluesky", { text: "four", media: images.map(({ id }) => id) });
    expect(entry.media).toMatchObject(sums(images).map((sum, i) => ({ ...sum, alt: `image ${i}` })));
    expect(entry.detail.embed).toMatchObject({
      $type: "app.bsky.embed.images",
      images: [{ aspectRatio: { width: 40, height: 30 } }, {}, {}, {}],
    });
  });

  it("publishes seven images as a gallery", async () => {
    const account = await signUp();
    const images = [];
    for (let i = 0; i < 7; i++) images.push(await uploadImage(account));
    const entry = await publish(account, "bluesky", { media: images.map(({ id }) => id), post_type: "carousel" });
    expect(entry.detail.embed).toMatchObject({ $type: "app.bsky.embed.gallery" });
    expect(entry.media).toMatchObject(sums(images));
  });

  it("publishes a video after the service has processed it", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 300_000);
    const entry = await publish(account, "bluesky", { text: "moving", media: [video.id] });
    expect(entry.detail.embed).toMatchObject({ $type: "app.bsky.embed.video" });
    expect(entry.media).toMatchObject(sums([video]));
  });

  it("uploads blobs again that the server has deleted", async () => {
    const account = await signUp();
    const image = await uploadImage(account);
    const channel = await connect(account.key, "bluesky");
    const body = { error: "BlobNotFound", message: "Could not find blob" };
    await fault({
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "status",
      status: 400,
      body,
    });
    const { id } = await post(account.key, { media: [image.id], channels: [channel.id] });
    expect((await finished(account.key, id)).status).toBe("published");
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("posts on Telegram", () => {
  it("publishes text unchanged, with buttons and without a preview", async () => {
    const entry = await publish(
      await signUp(),
      "telegram",
      { text: "<b>not bold</b> *nor this*" },
      { link_preview: "off", buttons: [{ text: "Go", url: "https://example.com/" }] },
    );
    expect(entry).toMatchObject({ text: "<b>not bold</b> *nor this*", detail: { preview: { is_disabled: true } } });
  });

  it("publishes a video with a caption", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 2_000_000);
    const entry = await publish(account, "telegram", { text: "moving", media: [video.id] });
    expect(entry).toMatchObject({ text: "moving", media: sums([video]), detail: { method: "video" } });
  });

  it("publishes an album of images and a video as one post, in order", async () => {
    const account = await signUp();
    const files = [await uploadImage(account), await uploadVideo(account, 100_000), await uploadImage(account)];
    const entry = await publish(account, "telegram", { text: "album", media: files.map(({ id }) => id) });
    expect(entry).toMatchObject({ text: "album", media: sums(files), detail: { album: 3 } });
  });

  it("gives a private channel's post a URL for its members", async () => {
    const { key } = await signUp();
    const credentials = { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@private_club" };
    const channel = await call<{ id: string }>("POST", "/v1/channels", {
      token: key,
      body: { platform: "telegram", handle: "club", credentials },
    });
    const { id } = await post(key, { text: "x", channels: [channel.body.id] });
    expect((await finished(key, id)).deliveries[0]?.url).toMatch(/^https:\/\/t\.me\/c\/\d+\/\d+$/);
  });
});

it("reads a file that was registered by URL when the post is published", async () => {
  const account = await signUp();
  const image = await uploadImage(account, { width: 50, height: 40 });
  await publish(account, "telegram", { media: [image.id] });
  const url = `${testEnv.SIMULATORS}/_sim/media/${image.sha256}`;
  const registered = await call<{ id: string }>("POST", "/v1/media", {
    token: account.key,
    body: { url, kind: "image", alt: "by address" },
  });
  const entry = await publish(account, "bluesky", { text: "x", media: [registered.body.id] });
  expect(entry.media).toMatchObject([{ ...sums([image])[0], alt: "by address" }]);
});
