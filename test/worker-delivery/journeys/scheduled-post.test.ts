import { expect, it } from "vitest";
import { findNetwork } from "../../../src/networks/index.ts";
import { eventually } from "../../support/eventually.ts";
import {
  connect,
  FINISHED,
  getPost,
  ledger,
  PLATFORMS,
  post,
  requiredOverrides,
  signUp,
  uploadImage,
} from "../../support/world.ts";

const TAKES_PNG = PLATFORMS.filter((platform) => findNetwork(platform)?.rule.image?.types.includes("image/png"));

it("publishes a scheduled post with an image at its time on every network, exactly as written", async () => {
  const account = await signUp();
  const channels = await Promise.all(TAKES_PNG.map((platform) => connect(account.key, platform)));
  const image = await uploadImage(account, { width: 240, height: 160, alt: "A gradient" });
  const dueAt = new Date(Date.now() + 2_000).toISOString();

  const text = "Für später: 👩‍👩‍👧 https://example.com/ä #crier";
  const created = await post(account.key, {
    text,
    media: [image.id],
    channels: channels.map(({ id }) => id),
    overrides: requiredOverrides(channels),
    publish_at: dueAt,
  });
  expect(created).toMatchObject({ status: "scheduled", publish_at: dueAt });
  expect(created.deliveries.map(({ status }) => status)).toEqual(channels.map(() => "pending"));

  // The post is published without any help: the test does not move its time.
  const finishedPost = await eventually(async () => {
    const currentPost = await getPost(account.key, created.id);
    expect(FINISHED).toContain(currentPost.status);
    return currentPost;
  });
  expect(finishedPost.status).toBe("published");
  for (const delivery of finishedPost.deliveries) {
    expect(delivery).toMatchObject({
      status: "live",
      attempts: 1,
      url_state: null,
      error: null,
      scheduled_for: dueAt,
    });
    expect(delivery.url).toMatch(/^https:\/\//);
    expect(Date.parse(delivery.published_at ?? "")).toBeGreaterThanOrEqual(Date.parse(dueAt));
  }
  for (const channel of channels) {
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(published[0]).toMatchObject({
      text,
      media: [{ bytes: image.bytes, sha256: image.sha256, type: "image/png" }],
    });
    expect(published[0]?.at_ms).toBeGreaterThanOrEqual(Date.parse(dueAt));
    expect(finishedPost.deliveries.find(({ channel: id }) => id === channel.id)?.url).toBe(published[0]?.url);
  }
  expect(await getPost(account.key, created.id)).toEqual(finishedPost);
});
