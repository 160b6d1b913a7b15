// A first comment: under the post, once, and never a reason for anything else to go wrong.

import { describe, expect, it } from "vitest";
import { check } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import {
  type Account,
  type ChannelBody,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

const CALLS: Record<string, string> = {
  instagram: "comments",
  facebook: "comments",
  threads: "threads_publish",
  youtube: "commentThreads.insert",
  linkedin: "socialActions/comments",
};
const PLATFORMS = Object.keys(CALLS);

async function publish(account: Account, channel: ChannelBody, first_comment = "#one #two") {
  const { platform } = channel;
  const media = platform === "instagram" ? [(await uploadJpeg(account)).id] : [];
  if (platform === "youtube") media.push((await uploadVideo(account, 300_000)).id);
  const options = platform === "youtube" ? { title: "A title", made_for_kids: false } : {};
  const { id } = await post(account.key, {
    text: unique("post "),
    media,
    channels: [channel.id],
    overrides: { [channel.id]: { ...options, first_comment } },
  });
  const done = await finished(account.key, id);
  expect(done.deliveries[0]).toMatchObject({ status: "live" });
  return id;
}
const comments = async (channel: ChannelBody) =>
  (await ledger(channel.handle)).filter(({ detail }) => detail.comment_on !== undefined);
/** When the network has put a first comment off, or not shown it, once. */
const putOffOnce = (id: string) =>
  eventually(async () => {
    const row = await testEnv.DB.prepare("SELECT tries FROM follow_ups WHERE post_id = ?").bind(id).first();
    expect(row?.tries).toBe(1);
  });
const commentOf = async (key: string, id: string) => (await getPost(key, id)).deliveries[0]?.first_comment;

describe.each(PLATFORMS)("on %s", (platform) => {
  it("it is written under the post by itself, exactly as given, once", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const id = await publish(account, channel, "Grüße #eins <b>");
    // A reply on Threads is made ready first; the rest comes with its next check.
    await eventually(async () => {
      const { results } = await testEnv.DB.prepare("SELECT tries FROM follow_ups WHERE post_id = ?").bind(id).all();
      const waits = results.some(({ tries }) => Number(tries) > 0);
      expect((await commentOf(account.key, id)) === "posted" || waits).toBe(true);
    });
    if (platform === "threads") await check(account.key, id);
    expect(await commentOf(account.key, id)).toBe("posted");
    const [entry, ...others] = await comments(channel);
    const [published] = (await ledger(channel.handle)).filter(({ detail }) => detail.comment_on === undefined);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ text: "Grüße #eins <b>", detail: { comment_on: published?.id } });
    await check(account.key, id);
    expect(await comments(channel)).toHaveLength(1);
  });

  const isShown = platform === "instagram";
  it(`its answer is lost: ${isShown ? "it is found under the post" : "nobody claims that it is there"}, and it is not made again`, async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    // On Threads the post itself is published by the same call.
    const before = platform === "threads" ? [{ ...faultOf(channel), do: "delay", delay_ms: 0 }] : [];
    await fault(...before, { ...faultOf(channel), do: "reset_after_accept" });
    const id = await publish(account, channel);
    const ended = isShown ? "posted" : "unknown";
    await eventually(async () => expect((await check(account.key, id)).deliveries[0]?.first_comment).toBe(ended));
    const { deliveries, status } = await check(account.key, id);
    expect(status).toBe("published");
    expect(deliveries[0]).toMatchObject({ status: "live", error: null, first_comment: ended });
    if (!isShown) expect(deliveries[0]?.hint).toContain("the first comment may not be there");
    expect(await comments(channel)).toHaveLength(1);
  });
});

const faultOf = ({ platform, handle }: ChannelBody) => ({ platform, account: handle, call: CALLS[platform] });

it("it is refused: the post is live all the same, and the hint says why", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "instagram");
  const body = { error: { message: "(#10) Application does not have permission", code: 10 } };
  await fault({ ...faultOf(channel), do: "status", status: 400, body });
  const id = await publish(account, channel);
  await eventually(async () => expect(await commentOf(account.key, id)).toBe("failed"));
  const { deliveries, status } = await getPost(account.key, id);
  expect(status).toBe("published");
  expect(deliveries[0]?.network_message).toContain("(#10) Application does not have permission");
  expect(await comments(channel)).toEqual([]);
});

it("the account did not grant commenting on YouTube: the post is live, and what is missing is said", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube", unique("uploads_"));
  const id = await publish(account, channel);
  await eventually(async () => expect(await commentOf(account.key, id)).toBe("failed"));
  expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", error: null });
  expect(await comments(channel)).toEqual([]);
});

it("the network has no time for it: it is made later", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...faultOf(channel), do: "status", status: 400, body });
  const id = await publish(account, channel);
  await putOffOnce(id);
  expect(await commentOf(account.key, id)).toBe("pending");
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ first_comment: "posted" });
  expect(await comments(channel)).toHaveLength(1);
});

it("the object that was about to make it ended: nobody knows, and it is not made again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const id = await publish(account, channel);
  await eventually(async () => expect(await commentOf(account.key, id)).toBe("posted"));
  await testEnv.DB.prepare("UPDATE follow_ups SET state = 'sending' WHERE post_id = ?").bind(id).run();
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "unknown" });
  expect(await comments(channel)).toHaveLength(1);
});

it("several sessions at once make it once", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...faultOf(channel), do: "status", status: 400, body });
  const id = await publish(account, channel);
  await putOffOnce(id);
  await Promise.all(Array.from({ length: 5 }, () => check(account.key, id)));
  expect(await comments(channel)).toHaveLength(1);
});

it("its answer is lost on X: it is looked for, and never written again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  // The post itself is published by the same call. The timeline is not to be had at first.
  const call = { platform: "x", account: channel.handle, call: "tweets/create" };
  const timeline = {
    platform: "x",
    account: channel.handle,
    call: "users/tweets",
    do: "status",
    status: 500,
    body: {},
  };
  await fault({ ...call, do: "delay", delay_ms: 0 }, { ...call, do: "reset_after_accept" }, timeline);
  const id = await publish(account, channel, "#found");
  await putOffOnce(id);
  expect(await commentOf(account.key, id)).toBe("pending");
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "posted" });
  const replies = (await ledger(channel.handle)).filter(({ detail }) => detail.reply_to !== undefined);
  expect(replies.map(({ text }) => text)).toEqual(["#found"]);
});

it("one that X never shows is said to be unknown when it was looked for often enough", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  const call = { platform: "x", account: channel.handle, call: "tweets/create" };
  await fault({ ...call, do: "delay", delay_ms: 0 }, { ...call, do: "reset_before" });
  const id = await publish(account, channel, "#lost");
  await putOffOnce(id);
  for (let look = 0; look < 5; look++) await check(account.key, id);
  expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "unknown" });
  expect((await ledger(channel.handle)).filter(({ detail }) => detail.reply_to !== undefined)).toEqual([]);
});
