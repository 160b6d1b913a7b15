// Each network's view of a post is compared with the accepted post: a change is found, and nothing else counts as one.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { buildPost, getPublishCall, media, prepareKey, startSession, toAccepted, waitUntilLive } from "./harness.ts";
import { fault, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

/** The call whose answer shows a post. Null stands for the publish call itself. */
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
/** Networks that show the number or the identity of a post's files. */
const SHOW_FILES = ["x", "instagram", "linkedin", "facebook", "threads", "bluesky", "telegram"];

/** Publishes a post and rechecks it. `change` is applied to the post by the network. */
async function publishAndRecheck(network: Network, { text, files = 0, options, change }: Changes) {
  const session = await startSession(simulators, network);
  const { platform } = network.rule;
  const kind = network.rule.image === null ? "video" : "image";
  const least = await buildPost(session, "feed", kind, Math.max(files, network.rule.min_media));
  const post = { ...least, ...(text === undefined ? {} : { text }), options: { ...Object(least.options), ...options } };
  const publishKey = await prepareKey(session, post);
  const carousel = files > 1 ? { ...post, postType: "carousel" as const } : post;
  const call = SHOWN_BY[platform] ?? null;
  if (change !== undefined && call === null)
    await fault(simulators, { platform, call: getPublishCall(session, carousel), do: change });
  const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
  if (change !== undefined && call !== null) await fault(simulators, { platform, call, do: change });
  return network.recheck({ id: live.id, publishKey: live.publishKey ?? publishKey }, session.context, toAccepted(post));
}
interface Changes {
  text?: string;
  files?: number;
  options?: Record<string, Json>;
  change?: "alter_text" | "drop_file";
}

describe.each(networks.map((network) => ({ platform: network.rule.platform, network })))(
  "the comparison of a live post on $platform",
  ({ network }) => {
    it("finds a changed text", async () => {
      expect(await publishAndRecheck(network, { change: "alter_text" })).toMatchObject({
        is: "there",
        altered: ["text"],
      });
    });

    const { platform, text_without: without = [] } = network.rule;
    it.each([
      "Links https://Example.com and https://example.com/a?b=c&d=e#f, then www.example.org/ (a third)",
      "#tag at the start, <b>signs</b> & more: * _ ~ ` [x](y) {z} | \\ @nobody",
      "e\u0301 and \u00e9, then a space at the end of the line \r\nand one of the text ",
      `${"a word ".repeat(20)}and more, so that it is cut where texts are cut, at a hundred and fifty or near it`,
    ])("accepts the network's own way of writing %j", async (text) => {
      const allowed = without.reduce((remaining, sign) => remaining.replaceAll(sign, ""), text);
      expect(await publishAndRecheck(network, { text: allowed })).toMatchObject({ is: "there", altered: [] });
    });

    it("finds a missing file", async () => {
      if (!SHOW_FILES.includes(platform)) return;
      expect(await publishAndRecheck(network, { files: 3 })).toMatchObject({ is: "there", altered: [] });
      expect(await publishAndRecheck(network, { files: 3, change: "drop_file" })).toMatchObject({
        altered: ["media_count"],
      });
    });
  },
);

describe("the comparison of files in another order", () => {
  it.each(["x", "linkedin", "facebook", "bluesky"])("finds the changed order on %s", async (platform) => {
    const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail("no such network");
    const session = await startSession(simulators, network);
    const files = await Promise.all([0, 1].map((position) => media(session, "image", position, null)));
    const post = publication("In order", { media: files });
    const publishKey = await prepareKey(session, post);
    const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
    const reversed: Json = JSON.parse(JSON.stringify(publishKey));
    for (const list of findLists(reversed)) list.reverse();
    const finding = await network.recheck({ id: live.id, publishKey: reversed }, session.context, toAccepted(post));
    // Two equal pictures have the same name on Bluesky.
    expect(finding).toMatchObject({ is: "there", altered: platform === "bluesky" ? [] : ["media_order"] });
  });
});

/** All lists inside a value that have several members. */
function findLists(value: Json): Json[][] {
  if (typeof value !== "object" || value === null) return [];
  const nested = Object.values(value).flatMap(findLists);
  return Array.isArray(value) && value.length > 1 ? [value, ...nested] : nested;
}

describe("the comparison of a visible option", () => {
  it.each(["youtube", "pinterest"])("finds a changed title on %s", async (platform) => {
    const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail("no such network");
    const session = await startSession(simulators, network);
    const post = await buildPost(session, "feed", platform === "youtube" ? "video" : "image", 1);
    const publishKey = await prepareKey(session, post);
    const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
    const withOtherTitle = { ...toAccepted(post), options: { title: "Another" } };
    const finding = await network.recheck({ id: live.id, publishKey }, session.context, withOtherTitle);
    expect(finding).toMatchObject({ is: "there", altered: ["title"] });
  });
});
