// A first comment is written under the post once, and its failure affects nothing else.

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
  const finishedPost = await finished(account.key, id);
  expect(finishedPost.deliveries[0]).toMatchObject({ status: "live" });
  return id;
}
const comments = async (channel: ChannelBody) =>
  (await ledger(channel.handle)).filter(({ detail }) => detail.comment_on !== undefined);
/** Waits until the network has put a first comment off, or has not shown it, once. */
const waitForOneTry = (id: string) =>
  eventually(async () => {
    const row = await testEnv.DB.prepare("SELECT tries FROM follow_ups WHERE post_id = ?").bind(id).first();
    expect(row?.tries).toBe(1);
  });
const getCommentState = async (key: string, id: string) => (await getPost(key, id)).deliveries[0]?.first_comment;

describe.each(PLATFORMS)("first comments on %s", (platform) => {
  it("writes the comment under the post once, exactly as given", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const id = await publish(account, channel, "Grüße #eins <b>");
    // A reply on Threads is prepared first, and published at its next check.
    await eventually(async () => {
      const { results } = await testEnv.DB.prepare("SELECT tries FROM follow_ups WHERE post_id = ?").bind(id).all();
      const waits = results.some(({ tries }) => Number(tries) > 0);
      expect((await getCommentState(account.key, id)) === "posted" || waits).toBe(true);
    });
    if (platform === "threads") await check(account.key, id);
    expect(await getCommentState(account.key, id)).toBe("posted");
    const [entry, ...otherEntries] = await comments(channel);
    const [published] = (await ledger(channel.handle)).filter(({ detail }) => detail.comment_on === undefined);
    expect(otherEntries).toEqual([]);
    expect(entry).toMatchObject({ text: "Grüße #eins <b>", detail: { comment_on: published?.id } });
    await check(account.key, id);
    expect(await comments(channel)).toHaveLength(1);
  });

  const isShown = platform === "instagram";
  it(`handles a lost answer: ${isShown ? "finds the comment under the post" : "marks the comment as unknown"}, and does not write it again`, async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    // On Threads, the post itself is published by the same call.
    const before = platform === "threads" ? [{ ...buildFaultTarget(channel), do: "delay", delay_ms: 0 }] : [];
    await fault(...before, { ...buildFaultTarget(channel), do: "reset_after_accept" });
    const id = await publish(account, channel);
    const expectedState = isShown ? "posted" : "unknown";
    await eventually(async () =>
      expect((await check(account.key, id)).deliveries[0]?.first_comment).toBe(expectedState),
    );
    const { deliveries, status } = await check(account.key, id);
    expect(status).toBe("published");
    expect(deliveries[0]).toMatchObject({ status: "live", error: null, first_comment: expectedState });
    if (!isShown) expect(deliveries[0]?.hint).toContain("the first comment may not be there");
    expect(await comments(channel)).toHaveLength(1);
  });
});

const buildFaultTarget = ({ platform, handle }: ChannelBody) => ({ platform, account: handle, call: CALLS[platform] });

it("keeps the post live if the comment is refused, and explains the reason in the hint", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "instagram");
  const body = { error: { message: "(#10) Application does not have permission", code: 10 } };
  await fault({ ...buildFaultTarget(channel), do: "status", status: 400, body });
  const id = await publish(account, channel);
  await eventually(async () => expect(await getCommentState(account.key, id)).toBe("failed"));
  const { deliveries, status } = await getPost(account.key, id);
  expect(status).toBe("published");
  expect(deliveries[0]?.network_message).toContain("(#10) Application does not have permission");
  expect(await comments(channel)).toEqual([]);
});

it("keeps the post live if the account did not allow commenting on YouTube", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube", unique("uploads_"));
  const id = await publish(account, channel);
  await eventually(async () => expect(await getCommentState(account.key, id)).toBe("failed"));
  expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", error: null });
  expect(await comments(channel)).toEqual([]);
});

it("writes the comment later if the network is busy", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...buildFaultTarget(channel), do: "status", status: 400, body });
  const id = await publish(account, channel);
  await waitForOneTry(id);
  expect(await getCommentState(account.key, id)).toBe("pending");
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ first_comment: "posted" });
  expect(await comments(channel)).toHaveLength(1);
});

it("marks the comment as unknown if its object ended while sending it, and does not write it again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const id = await publish(account, channel);
  await eventually(async () => expect(await getCommentState(account.key, id)).toBe("posted"));
  await testEnv.DB.prepare("UPDATE follow_ups SET state = 'sending' WHERE post_id = ?").bind(id).run();
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "unknown" });
  expect(await comments(channel)).toHaveLength(1);
});

it("writes the comment once even if several sessions run at once", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...buildFaultTarget(channel), do: "status", status: 400, body });
  const id = await publish(account, channel);
  await waitForOneTry(id);
  await Promise.all(Array.from({ length: 5 }, () => check(account.key, id)));
  expect(await comments(channel)).toHaveLength(1);
});

it("finds a comment on X whose answer was lost, and does not write it again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  // The post itself is published by the same call. The timeline is not available at first.
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
  await waitForOneTry(id);
  expect(await getCommentState(account.key, id)).toBe("pending");
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "posted" });
  const replies = (await ledger(channel.handle)).filter(({ detail }) => detail.reply_to !== undefined);
  expect(replies.map(({ text }) => text)).toEqual(["#found"]);
});

it("marks a comment on X as unknown if several checks do not find it", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  const call = { platform: "x", account: channel.handle, call: "tweets/create" };
  await fault({ ...call, do: "delay", delay_ms: 0 }, { ...call, do: "reset_before" });
  const id = await publish(account, channel, "#lost");
  await waitForOneTry(id);
  for (let i = 0; i < 5; i++) await check(account.key, id);
  expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "unknown" });
  expect((await ledger(channel.handle)).filter(({ detail }) => detail.reply_to !== undefined)).toEqual([]);
});
