// Quotes on Bluesky, and who may reply to a post and quote it: written with the post, never twice, and never after it.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { account } from "./bluesky-account.ts";
import { fault, ledger, png, prepareOnce, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

type Account = Awaited<ReturnType<typeof account>>;

async function publish(connection: Account, text: string, options: Json, media = [png(0)]) {
  const post = publication(text, { options, media });
  const publishKey = await prepareOnce(bluesky, post, connection.context);
  const outcome = await bluesky.publish(post, publishKey, connection.context);
  if (outcome.is !== "live") return expect.fail(JSON.stringify(outcome));
  const entry = (await ledger(simulators, connection.handle)).find(({ id }) => id === outcome.id);
  return { post, publishKey, outcome, entry: entry ?? expect.fail("nothing was published") };
}

const LIST = "https://bsky.app/profile/alice.bsky.social/lists/3kabc";
const GATES = { reply_rules: ["mentioned", "followers", LIST], quote_rules: "nobody" };

describe("a quote on Bluesky", () => {
  it("is embedded alone, beside a file, and with the version of the quoted post", async () => {
    const connection = await account();
    const quoted = await publish(connection, "to be quoted", {});
    const alone = await publish(connection, "look", { quote: quoted.outcome.url ?? "", link_card: "off" }, []);
    const ref = { uri: quoted.outcome.id, cid: expect.any(String) };
    expect(alone.entry.detail.embed).toMatchObject({ $type: "app.bsky.embed.record", record: ref });
    const beside = await publish(connection, "look twice", { quote: quoted.outcome.id });
    expect(beside.entry).toMatchObject({
      media: [{ type: "image/png" }],
      detail: {
        embed: {
          $type: "app.bsky.embed.recordWithMedia",
          record: { record: ref },
          media: { $type: "app.bsky.embed.images" },
        },
      },
    });
    const accepted = { text: "look twice", files: 1, options: {} };
    const { outcome, publishKey } = beside;
    const found = await bluesky.recheck({ id: outcome.id, publishKey }, connection.context, accepted);
    expect(found).toMatchObject({ is: "there", altered: [] });
  });

  it.each([
    ["does not exist", "https://bsky.app/profile/alice.bsky.social/post/3knobody", "does not exist"],
    ["is of an unknown account", "https://bsky.app/profile/nobody.bsky.social/post/3k", "does not know"],
  ])("is rejected before anything is published if the post %s", async (_, quote, detail) => {
    const { context } = await account();
    const answer = await bluesky.prepare(publication("x", { options: { quote } }), context, null, async () => {});
    expect(answer).toMatchObject({ is: "rejected", error: "content_refused", detail: expect.stringContaining(detail) });
  });

  it("is rejected if the author of the post has turned quotes off", async () => {
    const connection = await account();
    const { outcome } = await publish(connection, "not to be quoted", { quote_rules: "nobody" });
    const post = publication("x", { options: { quote: outcome.id } });
    const answer = await bluesky.prepare(post, connection.context, null, async () => {});
    expect(answer).toMatchObject({ is: "rejected", detail: expect.stringContaining("turned quotes off") });
  });
});

describe("the gates of a post on Bluesky", () => {
  it("say who may reply and quote, in the commit of the post", async () => {
    const { entry } = await publish(await account(), "gated", GATES);
    expect(entry.detail.notes).toEqual([
      expect.stringMatching(/^Replies: mentionRule, followerRule, at:\/\/did:plc:.+\/app\.bsky\.graph\.list\/3kabc$/),
      "Quotes are turned off",
    ]);
    const closed = await publish(await account(), "closed", { reply_rules: ["nobody"] });
    expect(closed.entry.detail.notes).toEqual(["Nobody can reply"]);
  });

  it("are neither doubled nor left out after a lost answer", async () => {
    const { handle, context } = await account();
    const post = publication("once", { options: GATES });
    const publishKey = await prepareOnce(bluesky, post, context);
    const call = "com.atproto.repo.applyWrites";
    await fault(simulators, { platform: "bluesky", account: handle, call, do: "reset_after_accept" });
    const outcome = await bluesky.publish(post, publishKey, context);
    // The record is read at once, so the outcome is known in spite of the lost answer.
    expect(outcome).toMatchObject({ is: "live" });
    expect(await bluesky.reconcile?.(publishKey, context)).toMatchObject({ is: "live" });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "live" });
    const entries = await ledger(simulators, handle);
    expect(entries.map(({ detail }) => Object(detail.notes).length)).toEqual([2]);
  });

  it("are not published without their post", async () => {
    const { handle, context } = await account();
    const post = publication("refused", { options: GATES });
    const publishKey = await prepareOnce(bluesky, post, context);
    const call = "com.atproto.repo.applyWrites";
    await fault(simulators, { platform: "bluesky", account: handle, call, do: "reset_before" });
    expect((await bluesky.publish(post, publishKey, context)).is).toBe("unknown");
    expect(await bluesky.reconcile?.(publishKey, context)).toEqual({ is: "not_published" });
    expect(await ledger(simulators, handle)).toEqual([]);
  });

  it("are taken down with the post", async () => {
    const connection = await account();
    const { outcome, publishKey } = await publish(connection, "gone", GATES);
    expect(await bluesky.takeDown?.({ id: outcome.id, publishKey }, connection.context)).toEqual({ is: "taken_down" });
    const [entry] = await ledger(simulators, connection.handle);
    expect(entry?.deleted).toBe(true);
  });

  it("are refused by their schema if they contradict each other", () => {
    const check = (reply_rules: string[]) => bluesky.options.safeParse({ reply_rules }).success;
    expect(check(["nobody"])).toBe(true);
    expect(check(["nobody", "mentioned"])).toBe(false);
    expect(check(["mentioned", "mentioned"])).toBe(false);
    expect(check(["https://bsky.app/profile/x/post/3k"])).toBe(false);
    expect(check([LIST, "following", "followers", "mentioned", `${LIST}d`, `${LIST}e`])).toBe(false);
  });
});
