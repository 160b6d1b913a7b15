// What each network shows of a post is compared with what was accepted: a change is found, and nothing else is called one.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { buildPost, getPublishCall, media, prepareKey, startSession, toAccepted, waitUntilLive } from "./harness.ts";
import { fault, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

/** The call whose answer shows a post; null: that of its publishing. */
const SHOWN_BY: Record<string, string | null> = {
  x: "tweets/lookup",
  pinterest: "pins/get",
  instagram: "ig-media",
  tiktok: "video/query",
  linkedin: "posts/get",
  youtube: "videos.list",
  facebook: "node",
  threads: "threads-media",
  bluesky: "com.atproto.repo.getRecord",
  telegram: null,
};
/** Networks that show how many files a post has, or which. */
const SHOW_FILES = ["x", "instagram", "linkedin", "facebook", "threads", "bluesky", "telegram"];

/** Publishes a post and verifies it; `change`: what the network makes of it. */
async function seen(network: Network, { text, files = 0, options, change }: Seen) {
  const at = await startSession(simulators, network);
  const { platform } = network.rule;
  const kind = network.rule.image === null ? "video" : "image";
  const least = await buildPost(at, "feed", kind, Math.max(files, network.rule.min_media));
  const post = { ...least, ...(text === undefined ? {} : { text }), options: { ...Object(least.options), ...options } };
  const publishKey = await prepareKey(at, post);
  const sent = files > 1 ? { ...post, postType: "carousel" as const } : post;
  const call = SHOWN_BY[platform] ?? null;
  if (change !== undefined && call === null)
    await fault(simulators, { platform, call: getPublishCall(at, sent), do: change });
  const live = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
  if (change !== undefined && call !== null) await fault(simulators, { platform, call, do: change });
  return network.verify({ id: live.id, publishKey: live.publishKey ?? publishKey }, at.context, toAccepted(post));
}
interface Seen {
  text?: string;
  files?: number;
  options?: Record<string, Json>;
  change?: "alter_text" | "drop_file";
}

describe.each(networks.map((network) => ({ platform: network.rule.platform, network })))("$platform", ({ network }) => {
  it("shows another text: the text is altered", async () => {
    expect(await seen(network, { change: "alter_text" })).toMatchObject({ is: "there", altered: ["text"] });
  });

  const { platform, text_without: without = [] } = network.rule;
  it.each([
    "Links https://Example.com and https://example.com/a?b=c&d=e#f, then www.example.org/ (a third)",
    "#tag at the start, <b>signs</b> & more: * _ ~ ` [x](y) {z} | \\ @nobody",
    "e\u0301 and \u00e9, then a space at the end of the line \r\nand one of the text ",
    `${"a word ".repeat(20)}and more, so that it is cut where texts are cut, at a hundred and fifty or near it`,
  ])("is not called altered for how it writes %j", async (text) => {
    const allowed = without.reduce((rest, sign) => rest.replaceAll(sign, ""), text);
    expect(await seen(network, { text: allowed })).toMatchObject({ is: "there", altered: [] });
  });

  it("shows one file fewer: their number is altered", async () => {
    if (!SHOW_FILES.includes(platform)) return;
    expect(await seen(network, { files: 3 })).toMatchObject({ is: "there", altered: [] });
    expect(await seen(network, { files: 3, change: "drop_file" })).toMatchObject({ altered: ["media_count"] });
  });
});

describe("files in another order", () => {
  it.each(["x", "linkedin", "facebook", "bluesky"])("%s: their order is altered", async (platform) => {
    const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail("no such network");
    const at = await startSession(simulators, network);
    const files = await Promise.all([0, 1].map((position) => media(at, "image", position, null)));
    const post = publication("In order", { media: files });
    const publishKey = await prepareKey(at, post);
    const live = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
    const turned: Json = JSON.parse(JSON.stringify(publishKey));
    for (const list of listsIn(turned)) list.reverse();
    const found = await network.verify({ id: live.id, publishKey: turned }, at.context, toAccepted(post));
    // Two equal pictures have one name on Bluesky.
    expect(found).toMatchObject({ is: "there", altered: platform === "bluesky" ? [] : ["media_order"] });
  });
});

/** All lists of a value that have several members. */
function listsIn(value: Json): Json[][] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.values(value).flatMap(listsIn);
  return Array.isArray(value) && value.length > 1 ? [value, ...below] : below;
}

describe("an option that is shown", () => {
  it.each(["youtube", "pinterest"])("%s: a title that is another one is altered", async (platform) => {
    const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail("no such network");
    const at = await startSession(simulators, network);
    const post = await buildPost(at, "feed", platform === "youtube" ? "video" : "image", 1);
    const publishKey = await prepareKey(at, post);
    const live = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
    const other = { ...toAccepted(post), options: { title: "Another" } };
    const found = await network.verify({ id: live.id, publishKey }, at.context, other);
    expect(found).toMatchObject({ is: "there", altered: ["title"] });
  });
});
