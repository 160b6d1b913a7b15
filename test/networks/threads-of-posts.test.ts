// A part of a thread is a reply to the one before, on each network that has threads: made ready, sent, looked for, taken down.
import { describe, expect, it } from "vitest";
import type { Live } from "../../src/domain/delivery/outcome.ts";
import type { Json } from "../../src/domain/json.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network, Publication, ReplyTo } from "../../src/networks/network.ts";
import {
  attempt,
  getPublishCall,
  media,
  prepareKey,
  readAccepted,
  type Session,
  startSession,
  waitUntilLive,
} from "./harness.ts";
import { fault, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const WITH_THREADS = networks.filter(({ rule }) => rule.thread !== undefined);
/** Options that the first post decides for all of its thread, or that are of it alone. */
const OF_FIRST: Record<string, Json> = {
  x: { reply_settings: "following", community_id: "1", share_with_followers: true },
  bluesky: { hashtags: ["crier"], link_card: { url: "https://example.com/", title: "A card" } },
  threads: { topic_tag: "crier", reply_control: "followers_only", link_attachment: "https://example.com/" },
};

const publish = async (at: Session, post: Publication<Json>): Promise<Live> => {
  const publishKey = await prepareKey(at, post);
  return waitUntilLive(at, await at.network.publish(post, publishKey, at.context), publishKey);
};
const behind = (...lives: Live[]): ReplyTo<Json> => {
  const published = lives.map(({ id }) => ({ id, publishKey: null }));
  const [root, parent] = [published[0], published.at(-1)];
  if (root === undefined || parent === undefined) throw new Error("there is nothing to reply to");
  return { root, parent, before: lives.map(({ id }) => id) };
};

it("are X, Threads and Bluesky", () => {
  expect(WITH_THREADS.map(({ rule }) => rule.platform)).toEqual(["x", "threads", "bluesky"]);
});

describe.each(WITH_THREADS.map((network): [string, Network] => [network.rule.platform, network]))(
  "%s",
  (platform, network) => {
    it("replies with the network's own ids, with files, and without what is of the first post", async () => {
      const at = await startSession(simulators, network);
      const options = OF_FIRST[platform] ?? {};
      const one = await publish(at, publication("one", { options }));
      const image = await media(at, "image", 0, "what it shows");
      const two = await publish(at, publication("two", { options, media: [image], replyTo: behind(one) }));
      const three = await publish(at, publication("three", { options, replyTo: behind(one, two) }));
      const entries = await readAccepted(at);
      expect(entries.map(({ id, text, media: files, detail }) => [id, text, files.length, detail.reply_to])).toEqual([
        [one.id, "one", 0, undefined],
        [two.id, "two", 1, one.id],
        [three.id, "three", 0, two.id],
      ]);
      expect(await network.verify({ id: two.id, publishKey: null }, at.context)).toMatchObject({
        is: "there",
        url: two.url,
      });
      if (platform === "bluesky") {
        const reply = (entry: (typeof entries)[number] | undefined) => Object(entry?.detail.record).reply;
        expect(reply(entries[2])).toMatchObject({ root: { uri: one.id }, parent: { uri: two.id } });
        expect(entries[0]?.detail.record).toMatchObject({ tags: ["crier"] });
        expect(entries[2]?.detail.record).not.toHaveProperty("tags");
      }
      const kept = Object.keys(options).filter((name) => entries[2]?.detail[name] !== undefined);
      expect(kept).toEqual([]);
    });

    it("a lost answer is looked for, and a part of the same text is no answer to it", async () => {
      const at = await startSession(simulators, network);
      const one = await publish(at, publication("one"));
      const post = publication("two", { replyTo: behind(one) });
      const publishKey = await prepareKey(at, post);
      await fault(simulators, {
        platform,
        account: at.account,
        call: getPublishCall(at, post),
        do: "reset_after_accept",
      });
      expect(await network.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
      const [, two] = await readAccepted(at);
      expect(await network.reconcile?.(publishKey, at.context)).toMatchObject({
        is: "live",
        id: two?.id,
        url: two?.url,
      });
      const again = publication("two", {
        replyTo: behind(one, { is: "live", id: two?.id ?? "", url: null, urlState: "none" }),
      });
      const unsent = await prepareKey(at, again);
      expect(await network.reconcile?.(unsent, at.context)).not.toMatchObject({ is: "live" });
    });

    it("a reply to what is gone is refused", async () => {
      const at = await startSession(simulators, network);
      const one = await publish(at, publication("one"));
      expect(await network.takeDown?.({ id: one.id, publishKey: null }, at.context)).toEqual({ is: "taken_down" });
      expect(await attempt(at, publication("two", { replyTo: behind(one) }))).toMatchObject({
        is: "rejected",
        error: "content_refused",
      });
      expect((await readAccepted(at)).map(({ text }) => text)).toEqual(["one"]);
    });
  },
);

describe("threads", () => {
  const threads = () => WITH_THREADS.find(({ rule }) => rule.platform === "threads") ?? expect.fail("no Threads");

  it("replies to a post whose id it never said, once it finds that", async () => {
    const network = threads();
    const at = await startSession(simulators, network);
    const post = publication("one");
    const publishKey = await prepareKey(at, post);
    await fault(simulators, {
      platform: "threads",
      account: at.account,
      call: "threads_publish",
      do: "reset_after_accept",
    });
    await network.publish(post, publishKey, at.context);
    const [one] = await readAccepted(at);
    const unnamed = { id: `container:${Object(publishKey).id}`, publishKey };
    const place = { root: unnamed, parent: unnamed, before: [unnamed.id] };
    await publish(at, publication("two", { replyTo: place }));
    expect((await readAccepted(at))[1]?.detail.reply_to).toBe(one?.id);
    const list = { platform: "threads", account: at.account, call: "threads-list" };
    await fault(simulators, { ...list, do: "status", status: 429, body: {}, headers: { "retry-after": "90" } });
    const asked = await attempt(at, publication("three", { replyTo: place }));
    expect(asked).toMatchObject({ is: "retryable", error: "network_quota", notBefore: expect.any(Number) });
    await fault(simulators, { platform: "threads", account: at.account, expire_token: true });
    expect(await attempt(at, publication("three", { replyTo: place }))).toMatchObject({ is: "unauthorized" });
    const lost = { ...unnamed, publishKey: null };
    expect(
      await attempt(at, publication("three", { replyTo: { root: lost, parent: lost, before: [] } })),
    ).toMatchObject({
      is: "retryable",
    });
  });

  it("waits when the replies of a day are used up, which posts do not use", async () => {
    const network = threads();
    const at = await startSession(simulators, network);
    const one = await publish(at, publication("one"));
    const full = { data: [{ reply_quota_usage: 1_000, reply_config: { quota_total: 1_000, quota_duration: 86_400 } }] };
    const call = { platform: "threads", account: at.account, call: "threads_publishing_limit" };
    await fault(simulators, { ...call, do: "status", status: 200, body: full });
    expect(await attempt(at, publication("two", { replyTo: behind(one) }))).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await publish(at, publication("three", { replyTo: behind(one) }));
  });
});
