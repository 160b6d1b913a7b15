// First comments on networks with one call for them: written as given, rejected in the network's words, and never
// claimed without an answer.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { findNetwork } from "../../src/networks/index.ts";
import { buildPost, disconnect, prepareKey, rateLimit, readAccepted, startSession, waitUntilLive } from "./harness.ts";
import { fault, makeIO } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const CALLS: Record<string, string> = {
  youtube: "commentThreads.insert",
  linkedin: "socialActions/comments",
  x: "tweets/create",
};
const TEXT = "Exactly this: 中 👩‍👩‍👧 #crier & more";

async function publishPost(platform: string, options: Record<string, Json> = {}) {
  const network = findNetwork(platform) ?? expect.fail("no such network");
  const session = await startSession(simulators, network);
  const least = await buildPost(session, "feed", platform === "youtube" ? "video" : "image", 1);
  const post = { ...least, options: { ...Object(least.options), ...options } };
  const publishKey = await prepareKey(session, post);
  const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
  const comment = network.firstComment ?? expect.fail("no first comment");
  return {
    session,
    live,
    write: (text = TEXT, context = session.context) =>
      comment.publish({ id: live.id, publishKey }, text, null, context),
  };
}

describe.each(Object.keys(CALLS))("a first comment on %s", (platform) => {
  it("is written under the post, exactly as given", async () => {
    const { session, live, write } = await publishPost(platform);
    expect(await write()).toEqual({ is: "commented" });
    const [, comment, ...otherEntries] = await readAccepted(session);
    expect(otherEntries).toEqual([]);
    const under = platform === "x" ? { reply_to: live.id } : { comment_on: live.id };
    expect(comment).toMatchObject({ text: TEXT, detail: under, media: [] });
  });

  it("is unknown if its answer is lost, and waits if the network asks to wait", async () => {
    const { session, write } = await publishPost(platform);
    await fault(simulators, { platform, call: CALLS[platform], do: "reset_after_accept" });
    expect((await write()).is).toBe("unknown");
    expect(await readAccepted(session)).toHaveLength(2);
    expect((await write(TEXT, disconnect(session))).is).toBe("unknown");
    // A body that X itself cannot have sent says nothing about the post.
    const bare = platform === "x" ? { is: "unknown" } : { is: "retryable", error: "network_quota" };
    expect(await write(TEXT, rateLimit(session, 600))).toMatchObject(bare);
  });

  it("is unknown if the network reports an internal error, because it may have been written", async () => {
    const { session, write } = await publishPost(platform);
    const body = { error: { code: 503, message: "Backend Error", errors: [{ reason: "backendError" }] } };
    await fault(simulators, { platform, call: CALLS[platform], do: "status", status: 503, body });
    expect((await write()).is).toBe("unknown");
    expect(await readAccepted(session)).toHaveLength(1);
  });

  it("is rejected if the post no longer exists", async () => {
    const { session, live, write } = await publishPost(platform);
    await fetch(`${simulators.url}/_sim/posts/${platform}/${encodeURIComponent(live.id)}`, { method: "DELETE" });
    expect((await write()).is).toBe("rejected");
    expect(await readAccepted(session)).toHaveLength(1);
  });
});

it("is rejected under a YouTube video that does not allow comments", async () => {
  for (const [name, value] of Object.entries({ privacy: "private", made_for_kids: true })) {
    const { write } = await publishPost("youtube", { [name]: value });
    expect(await write()).toMatchObject({
      is: "rejected",
      networkMessage: expect.stringContaining("commentsDisabled"),
    });
  }
});

it("is found in the timeline of X after a lost answer, and not claimed if it is not there", async () => {
  const { session, live, write } = await publishPost("x");
  const comment = session.network.firstComment ?? expect.fail("no first comment");
  const preparation = await comment.prepare?.(
    { id: live.id, publishKey: null },
    TEXT,
    session.context,
    null,
    async () => {},
  );
  const publishKey = preparation?.is === "prepared" ? preparation.publishKey : expect.fail("it is not ready");
  expect((await comment.find?.({ id: live.id, publishKey: null }, TEXT, publishKey, session.context))?.is).toBe(
    "unknown",
  );
  await fault(simulators, { platform: "x", call: "tweets/create", do: "reset_after_accept" });
  expect((await write()).is).toBe("unknown");
  expect(await comment.find?.({ id: live.id, publishKey: null }, TEXT, publishKey, session.context)).toEqual({
    is: "commented",
  });
  const busy = rateLimit(session, 600);
  expect(await comment.find?.({ id: live.id, publishKey: null }, TEXT, publishKey, busy)).toMatchObject({
    is: "unknown",
    notBefore: busy.io.now() + 600_000,
  });
});

it("is found under an Instagram post that answered with an error after writing it", async () => {
  const { session, live, write } = await publishPost("instagram");
  const { find } = session.network.firstComment ?? expect.fail("no first comment");
  const findComment = (text: string, context = session.context) =>
    find?.({ id: live.id, publishKey: null }, text, null, context);
  expect(await findComment(TEXT)).toMatchObject({ is: "unknown", detail: "the post does not show the comment" });
  const error = { message: "said", code: 20, error_subcode: 1_772_107 };
  await fault(simulators, {
    ...{ platform: "instagram", account: session.account, call: "comments" },
    ...{ do: "status_after_accept", status: 400, body: { error } },
  });
  expect((await write()).is).toBe("unknown");
  expect(await findComment(TEXT)).toEqual({ is: "commented" });
  expect((await findComment("another text"))?.is).toBe("unknown");
  expect((await findComment(TEXT, rateLimit(session, 600)))?.is).toBe("unknown");
});

it("is unknown and not written again if Instagram answers with 20/1772107, because it may be there", async () => {
  const network = findNetwork("instagram") ?? expect.fail("no network");
  const error = { message: "said", code: 20, error_subcode: 1_772_107 };
  const io = { ...makeIO(simulators, "instagram"), fetch: async () => Response.json({ error }, { status: 400 }) };
  const credential = { user_id: "1", access_token: "t", issued_at: 0, expires_at: null };
  const outcome = await network.firstComment?.publish({ id: "2", publishKey: null }, "first", null, { credential, io });
  expect(outcome).toMatchObject({ is: "unknown" });
});
