// Instagram: every kind of post with its options, from publishing to removal.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { Publication } from "../../src/networks/network.ts";
import { type ConnectedAccount, prepare, prepareKey } from "./containers.ts";
import { account, post } from "./instagram-post.ts";
import { computeSum, jpeg, ledger, mp4, png, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const DAY_MS = 86_400_000;
const story = { postType: "story" } as const;

async function publish(newPost: Publication<Json>, connection: ConnectedAccount) {
  const outcome = await instagram.publish(
    newPost,
    await prepareKey(instagram, newPost, connection),
    connection.context,
  );
  expect(outcome).toMatchObject({ is: "live", urlState: "none" });
  const entries = await ledger(simulators, connection.handle);
  expect(entries).toHaveLength(1);
  expect(outcome).toMatchObject({ id: entries[0]?.id, url: entries[0]?.url });
  return entries[0] ?? expect.fail("nothing was published");
}

describe("an Instagram post", () => {
  it("with an image is published as written, byte for byte, with its alt text and options", async () => {
    const text = 'Grüß 👩‍👩‍👧 & "so" <b>+ %20</b>\n\n@alice #crier https://example.com/ä?a=1&b=2';
    const image = jpeg(0, "grey & plain");
    const options = { collaborators: ["alice", "bob"], location_id: "1234567890123456789", ai_generated: true };
    const entry = await publish(await post([image], { options }, text), await account());
    expect(entry).toMatchObject({
      text,
      url: expect.stringContaining("/p/"),
      media: [{ ...(await computeSum(image)), type: "image/jpeg", alt: "grey & plain" }],
      detail: {
        media_type: "IMAGE",
        collaborators: '["alice","bob"]',
        location_id: options.location_id,
        is_ai_generated: "true",
      },
    });
  });

  it.each(["feed", "reel"] as const)("with a video is published as a reel in the feed, as a %s", async (postType) => {
    const video = mp4(300_000);
    const entry = await publish(await post([video], { postType }, "moving"), await account());
    expect(entry).toMatchObject({
      text: "moving",
      url: expect.stringContaining("/reel/"),
      media: [await computeSum(video)],
      detail: { media_type: "REELS", share_to_feed: "true" },
    });
  });

  it.each([
    ["manual", "MANUAL"],
    ["performance", "SS_PERFORMANCE"],
  ])("that is a reel has its cover, its place and its trial mode: %s", async (trial_reel, graduation_strategy) => {
    const options = { share_to_feed: false, thumb_offset_ms: 1_500, trial_reel };
    const entry = await publish(await post([mp4(1_000)], { postType: "reel", options }), await account());
    expect(entry.detail).toMatchObject({
      share_to_feed: "false",
      thumb_offset: "1500",
      trial_params: JSON.stringify({ graduation_strategy }),
    });
  });

  it.each([jpeg(0, "unused"), mp4(2_000)])("with one file can be a story without text: $contentType", async (file) => {
    const entry = await publish(await post([file], story), await account());
    expect(entry).toMatchObject({
      text: "",
      url: expect.stringContaining("/stories/"),
      media: [{ ...(await computeSum(file)), alt: null }],
      detail: { media_type: "STORIES" },
    });
  });

  it("with ten files is a carousel in their order, with images and videos mixed, and the caption once", async () => {
    const files = Array.from({ length: 10 }, (_, i) =>
      i % 4 === 3 ? mp4(1_000 + i, { position: i }) : jpeg(i, i === 5 ? null : `image ${i}`),
    );
    const options = { location_id: "1", ai_generated: true };
    const entry = await publish(await post(files, { postType: "carousel", options }, "all #ten"), await account());
    expect(entry).toMatchObject({ text: "all #ten", detail: { media_type: "CAROUSEL", is_ai_generated: "true" } });
    const sums = await Promise.all(files.map(computeSum));
    expect(entry.media).toMatchObject(
      files.map(({ kind, alt }, i) => ({ ...sums[i], alt: kind === "image" ? alt : null })),
    );
  });

  it.each([
    ["share_to_feed", false, [jpeg()], "feed"],
    ["thumb_offset_ms", 0, [jpeg(), mp4(1_000)], "carousel"],
    ["trial_reel", "manual", [mp4(1_000)], "story"],
    ["collaborators", ["alice"], [jpeg()], "story"],
    ["location_id", "1", [mp4(1_000)], "story"],
  ] as const)("is rejected before any call if its option %s does not fit it", async (name, value, media, postType) => {
    const connection = await account();
    const newPost = publication("", { media: [...media], postType, options: { [name]: value } as Json });
    expect(await prepare(instagram, newPost, connection)).toMatchObject({
      is: "rejected",
      error: "content_refused",
      detail: expect.stringContaining(`\`${name}\``),
    });
    expect(connection.calls).toEqual([]);
  });

  it("is rejected by the network itself if the text is too long or an image has another type", async () => {
    const long = await post([jpeg()], {}, "x".repeat(2_201));
    expect(await prepare(instagram, long, await account())).toMatchObject({ is: "rejected", error: "content_refused" });
    const wide = await post([{ ...png(0), contentType: "image/jpeg" }]);
    expect(await prepare(instagram, wide, await account())).toMatchObject({ is: "rejected", error: "media_refused" });
  });
});

describe("a published Instagram post", () => {
  it.each([
    ["an image", jpeg(), "feed", ["views", "reach", "likes", "comments", "saves", "shares"]],
    ["a reel", mp4(1_000), "reel", ["views", "reach", "likes", "comments", "saves", "shares"]],
    ["a story", jpeg(), "story", ["views", "reach", "comments", "shares"]],
  ] as const)("has the metrics of its kind: %s", async (_, file, postType, names) => {
    const connection = await account();
    const newPost = await post([file], { postType });
    const publishKey = await prepareKey(instagram, newPost, connection);
    const outcome = await instagram.publish(newPost, publishKey, connection.context);
    const id = outcome.is === "live" ? outcome.id : "";
    expect(await instagram.readMetrics?.({ id, publishKey }, connection.context)).toEqual({
      is: "read",
      metrics: Object.fromEntries(names.map((name) => [name, expect.any(Number)])),
    });
  });

  it("that is a story expires after a day, and only before that its absence means removal", async () => {
    const connection = await account();
    const older = await post([jpeg()], {});
    await instagram.publish(older, await prepareKey(instagram, older, connection), connection.context);
    const newPost = await post([jpeg()], story);
    const publishKey = await prepareKey(instagram, newPost, connection);
    const outcome = await instagram.publish(newPost, publishKey, connection.context);
    const id = outcome.is === "live" ? outcome.id : "";
    await fetch(`${simulators.url}/_sim/posts/instagram/${id}`, { method: "DELETE" });
    expect(await instagram.recheck({ id, publishKey }, connection.context)).toMatchObject({ is: "gone" });
    connection.pass(DAY_MS);
    expect(await instagram.recheck({ id, publishKey }, connection.context)).toMatchObject({ is: "unknown" });
  });
});
