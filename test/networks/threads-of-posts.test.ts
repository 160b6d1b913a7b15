// On each network with threads, a part of a thread is a reply to the previous part: preparing, publishing, reconciling
// and taking down.
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
/** Options that the first post decides for its whole thread, or that only the first post may have. */
const FIRST_POST_OPTIONS: Record<string, Json> = {
  x: { reply_settings: "following", community_id: "1", share_with_followers: true },
  bluesky: { hashtags: ["crier"], link_card: { url: "https://example.com/", title: "A card" } },
  threads: { topic_tag: "crier", reply_control: "followers_only", link_attachment: "https://example.com/" },
};

const publish = async (session: Session, post: Publication<Json>): Promise<Live> => {
  const publishKey = await prepareKey(session, post);
  return waitUntilLive(session, await session.network.publish(post, publishKey, session.context), publishKey);
};
const replyTo = (...lives: Live[]): ReplyTo<Json> => {
  const published = lives.map(({ id }) => ({ id, publishKey: null }));
  const [root, parent] = [published[0], published.at(-1)];
  if (root === undefined || parent === undefined) throw new Error("there is nothing to reply to");
  return { root, parent, before: lives.map(({ id }) => id) };
};

it("lists X, Threads and Bluesky as networks with threads", () => {
  expect(WITH_THREADS.map(({ rule }) => rule.platform)).toEqual(["x", "threads", "bluesky"]);
});

describe.each(WITH_THREADS.map((network): [string, Network] => [network.rule.platform, network]))(
  "a thread on %s",
  (platform, network) => {
    it("replies with the network's own ids and with files, and without the options of the first post", async () => {
      const session = await startSession(simulators, network);
      const options = FIRST_POST_OPTIONS[platform] ?? {};
      const first = await publish(session, publication("one", { options }));
      const image = await media(session, "image", 0, "what it shows");
      const second = await publish(session, publication("two", { options, media: [image], replyTo: replyTo(first) }));
      const third = await publish(session, publication("three", { options, replyTo: replyTo(first, second) }));
      const entries = await readAccepted(session);
      expect(entries.map(({ id, text, media: files, detail }) => [id, text, files.length, detail.reply_to])).toEqual([
        [first.id, "one", 0, undefined],
        [second.id, "two", 1, first.id],
        [third.id, "three", 0, second.id],
      ]);
      expect(await network.recheck({ id: second.id, publishKey: null }, session.context)).toMatchObject({
        is: "there",
        url: second.url,
      });
      if (platform === "bluesky") {
        const reply = (entry: (typeof entries)[number] | undefined) => Object(entry?.detail.record).reply;
        expect(reply(entries[2])).toMatchObject({ root: { uri: first.id }, parent: { uri: second.id } });
        expect(entries[0]?.detail.record).toMatchObject({ tags: ["crier"] });
        expect(entries[2]?.detail.record).not.toHaveProperty("tags");
      }
      const keptOptions = Object.keys(options).filter((name) => entries[2]?.detail[name] !== undefined);
      expect(keptOptions).toEqual([]);
    });

    it("reconciles a lost answer, and does not mistake an equal text for the part", async () => {
      const session = await startSession(simulators, network);
      const first = await publish(session, publication("one"));
      const post = publication("two", { replyTo: replyTo(first) });
      const publishKey = await prepareKey(session, post);
      await fault(simulators, {
        platform,
        account: session.account,
        call: getPublishCall(session, post),
        do: "reset_after_accept",
      });
      expect(await network.publish(post, publishKey, session.context)).toMatchObject({ is: "unknown" });
      const [, second] = await readAccepted(session);
      expect(await network.reconcile?.(publishKey, session.context)).toMatchObject({
        is: "live",
        id: second?.id,
        url: second?.url,
      });
      const again = publication("two", {
        replyTo: replyTo(first, { is: "live", id: second?.id ?? "", url: null, urlState: "none" }),
      });
      const unsent = await prepareKey(session, again);
      expect(await network.reconcile?.(unsent, session.context)).not.toMatchObject({ is: "live" });
    });

    it("is rejected if the parent post no longer exists", async () => {
      const session = await startSession(simulators, network);
      const first = await publish(session, publication("one"));
      expect(await network.takeDown?.({ id: first.id, publishKey: null }, session.context)).toEqual({
        is: "taken_down",
      });
      expect(await attempt(session, publication("two", { replyTo: replyTo(first) }))).toMatchObject({
        is: "rejected",
        error: "content_refused",
      });
      expect((await readAccepted(session)).map(({ text }) => text)).toEqual(["one"]);
    });
  },
);

describe("a thread on Threads", () => {
  const findThreads = () => WITH_THREADS.find(({ rule }) => rule.platform === "threads") ?? expect.fail("no Threads");

  it("replies to a post whose id is unknown at first, once it is found", async () => {
    const network = findThreads();
    const session = await startSession(simulators, network);
    const post = publication("one");
    const publishKey = await prepareKey(session, post);
    await fault(simulators, {
      platform: "threads",
      account: session.account,
      call: "threads_publish",
      do: "reset_after_accept",
    });
    await network.publish(post, publishKey, session.context);
    const [first] = await readAccepted(session);
    const unnamed = { id: `container:${Object(publishKey).id}`, publishKey };
    const target = { root: unnamed, parent: unnamed, before: [unnamed.id] };
    await publish(session, publication("two", { replyTo: target }));
    expect((await readAccepted(session))[1]?.detail.reply_to).toBe(first?.id);
    const list = { platform: "threads", account: session.account, call: "threads-list" };
    await fault(simulators, { ...list, do: "status", status: 429, body: {}, headers: { "retry-after": "90" } });
    const outcome = await attempt(session, publication("three", { replyTo: target }));
    expect(outcome).toMatchObject({ is: "retryable", error: "network_quota", notBefore: expect.any(Number) });
    await fault(simulators, { platform: "threads", account: session.account, expire_token: true });
    expect(await attempt(session, publication("three", { replyTo: target }))).toMatchObject({ is: "unauthorized" });
    const withoutKey = { ...unnamed, publishKey: null };
    expect(
      await attempt(session, publication("three", { replyTo: { root: withoutKey, parent: withoutKey, before: [] } })),
    ).toMatchObject({
      is: "retryable",
    });
  });

  it("waits if the daily quota of replies is used up, which posts do not use", async () => {
    const network = findThreads();
    const session = await startSession(simulators, network);
    const first = await publish(session, publication("one"));
    const full = { data: [{ reply_quota_usage: 1_000, reply_config: { quota_total: 1_000, quota_duration: 86_400 } }] };
    const call = { platform: "threads", account: session.account, call: "threads_publishing_limit" };
    await fault(simulators, { ...call, do: "status", status: 200, body: full });
    expect(await attempt(session, publication("two", { replyTo: replyTo(first) }))).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await publish(session, publication("three", { replyTo: replyTo(first) }));
  });
});
