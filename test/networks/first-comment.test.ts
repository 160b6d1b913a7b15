// A first comment where it is one call: written as given, refused in the network's words, and never claimed without an answer.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { findNetwork } from "../../src/networks/index.ts";
import { accepted, begin, cutOff, finish, limited, postOf, ready } from "./harness.ts";
import { fault, makeIO } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const CALLS: Record<string, string> = {
  youtube: "commentThreads.insert",
  linkedin: "socialActions/comments",
  x: "tweets/create",
};
const TEXT = "Exactly this: 中 👩‍👩‍👧 #crier & more";

async function published(platform: string, options: Record<string, Json> = {}) {
  const network = findNetwork(platform) ?? expect.fail("no such network");
  const at = await begin(simulators, network);
  const least = await postOf(at, "feed", platform === "youtube" ? "video" : "image", 1);
  const post = { ...least, options: { ...Object(least.options), ...options } };
  const publishKey = await ready(at, post);
  const live = await finish(at, await network.publish(post, publishKey, at.context), publishKey);
  const comment = network.firstComment ?? expect.fail("no first comment");
  return {
    at,
    live,
    write: (text = TEXT, context = at.context) => comment.publish({ id: live.id, publishKey }, text, null, context),
  };
}

describe.each(Object.keys(CALLS))("on %s", (platform) => {
  it("is written under the post, exactly as given", async () => {
    const { at, live, write } = await published(platform);
    expect(await write()).toEqual({ is: "commented" });
    const [, comment, ...others] = await accepted(at);
    expect(others).toEqual([]);
    const under = platform === "x" ? { reply_to: live.id } : { comment_on: live.id };
    expect(comment).toMatchObject({ text: TEXT, detail: under, media: [] });
  });

  it("is unknown when its answer is lost, and waits when the network says so", async () => {
    const { at, write } = await published(platform);
    await fault(simulators, { platform, call: CALLS[platform], do: "reset_after_accept" });
    expect((await write()).is).toBe("unknown");
    expect(await accepted(at)).toHaveLength(2);
    expect((await write(TEXT, cutOff(at))).is).toBe("unknown");
    // What is no answer of X itself says nothing of the post.
    const bare = platform === "x" ? { is: "unknown" } : { is: "retryable", error: "network_quota" };
    expect(await write(TEXT, limited(at, 600))).toMatchObject(bare);
  });

  it("is unknown when the network fails, also in its own words: it may have been written", async () => {
    const { at, write } = await published(platform);
    const body = { error: { code: 503, message: "Backend Error", errors: [{ reason: "backendError" }] } };
    await fault(simulators, { platform, call: CALLS[platform], do: "status", status: 503, body });
    expect((await write()).is).toBe("unknown");
    expect(await accepted(at)).toHaveLength(1);
  });

  it("is refused where the post is not there any more", async () => {
    const { at, live, write } = await published(platform);
    await fetch(`${simulators.url}/_sim/posts/${platform}/${encodeURIComponent(live.id)}`, { method: "DELETE" });
    expect((await write()).is).toBe("rejected");
    expect(await accepted(at)).toHaveLength(1);
  });
});

it("is refused under a video that takes no comments", async () => {
  for (const [name, value] of Object.entries({ privacy: "private", made_for_kids: true })) {
    const { write } = await published("youtube", { [name]: value });
    expect(await write()).toMatchObject({
      is: "rejected",
      networkMessage: expect.stringContaining("commentsDisabled"),
    });
  }
});

it("is found on the timeline of X when its answer was lost, and is not claimed when it is not there", async () => {
  const { at, live, write } = await published("x");
  const comment = at.network.firstComment ?? expect.fail("no first comment");
  const made = await comment.prepare?.({ id: live.id, publishKey: null }, TEXT, at.context, null, async () => {});
  const ready = made?.is === "prepared" ? made.publishKey : expect.fail("it is not ready");
  expect((await comment.find?.({ id: live.id, publishKey: null }, TEXT, ready, at.context))?.is).toBe("unknown");
  await fault(simulators, { platform: "x", call: "tweets/create", do: "reset_after_accept" });
  expect((await write()).is).toBe("unknown");
  expect(await comment.find?.({ id: live.id, publishKey: null }, TEXT, ready, at.context)).toEqual({ is: "commented" });
  const busy = limited(at, 600);
  expect(await comment.find?.({ id: live.id, publishKey: null }, TEXT, ready, busy)).toMatchObject({
    is: "unknown",
    notBefore: busy.io.now() + 600_000,
  });
});

it("is found under the post of Instagram that answered with an error after it had made the comment", async () => {
  const { at, live, write } = await published("instagram");
  const { find } = at.network.firstComment ?? expect.fail("no first comment");
  const look = (text: string, to = at.context) => find?.({ id: live.id, publishKey: null }, text, null, to);
  expect(await look(TEXT)).toMatchObject({ is: "unknown", detail: "the post does not show the comment" });
  const error = { message: "said", code: 20, error_subcode: 1_772_107 };
  await fault(simulators, {
    ...{ platform: "instagram", account: at.account, call: "comments" },
    ...{ do: "status_after_accept", status: 400, body: { error } },
  });
  expect((await write()).is).toBe("unknown");
  expect(await look(TEXT)).toEqual({ is: "commented" });
  expect((await look("another text"))?.is).toBe("unknown");
  expect((await look(TEXT, limited(at, 600)))?.is).toBe("unknown");
});

it("a comment of Instagram that is answered with 20/1772107 may be there: it is unknown, and not written again", async () => {
  const network = findNetwork("instagram") ?? expect.fail("no network");
  const error = { message: "said", code: 20, error_subcode: 1_772_107 };
  const io = { ...makeIO(simulators, "instagram"), fetch: async () => Response.json({ error }, { status: 400 }) };
  const credential = { user_id: "1", access_token: "t", issued_at: 0, expires_at: null };
  const said = await network.firstComment?.publish({ id: "2", publishKey: null }, "first", null, { credential, io });
  expect(said).toMatchObject({ is: "unknown" });
});
