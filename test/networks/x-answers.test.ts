// X's answers, and what the connector makes of a lost answer.
import { describe, expect, it, vi } from "vitest";
import type { NetworkIO } from "../../src/networks/network.ts";
import { CATALOGUE } from "../../src/networks/x/errors.ts";
import { x } from "../../src/networks/x/index.ts";
import { postShown } from "../../src/networks/x/timeline.ts";
import { fault, ledger, png, prepareOnce, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { account, prepareKey, refuse } from "./x-account.ts";

withSimulators();

describe("a lost answer of X", () => {
  it.each([
    ["links", "see https://example.com/a?b=c&d and example.org/x <3", []],
    ["text and a file", "with a file", [png()]],
    ["only a file", "", [png()]],
  ])("is reconciled through the timeline if a post with %s was created", async (_, text, media) => {
    const { name, context } = await account();
    const post = publication(text, { media });
    const publishKey = await prepareKey(post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_after_accept" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, name);
    expect(await x.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it("stays unknown if the post was not created, and no other post is mistaken for it", async () => {
    const { name, context } = await account();
    const otherPost = publication("another");
    await x.publish(otherPost, await prepareOnce(x, otherPost, context), context);
    const post = publication("this one");
    const publishKey = await prepareOnce(x, post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_before" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishKey, context))?.is).toBe("unknown");
    expect(x.republishAfterMs).toBeNull();
  });

  it("is not confused with an older equal post, so the post is not reported as live", async () => {
    const { name, context } = await account();
    const post = publication("the same words");
    // The older post was published an hour ago.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    const older = await x.publish(post, await prepareOnce(x, post, context), context);
    vi.useRealTimers();
    expect(older.is).toBe("live");
    const publishKey = await prepareOnce(x, post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_before" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    expect(await x.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown", isAbsent: true });
  });

  it("to a thread part is not confused with an earlier part with the same text", async () => {
    const { name, context } = await account();
    const post = publication("the same words");
    const first = await x.publish(post, await prepareOnce(x, post, context), context);
    if (first.is !== "live") throw new Error(JSON.stringify(first));
    const parent = { id: first.id, publishKey: null };
    const threadPart = { ...post, replyTo: { root: parent, parent, before: [first.id] } };
    const publishKey = await prepareOnce(x, threadPart, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_before" });
    expect((await x.publish(threadPart, publishKey, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishKey, context))?.is).toBe("unknown");
  });

  it("to an article is reconciled by its title", async () => {
    const { name, context } = await account();
    const post = publication("Body", { postType: "article", options: { title: unique("Title ") } });
    const publishKey = await prepareKey(post, context);
    await fault(simulators, { platform: "x", account: name, call: "articles/publish", do: "reset_after_accept" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishKey, context))?.is).toBe("live");
  });

  it("is not confused with a post that has the same beginning", () => {
    const shownPost = { id: "1", text: "Hello world", entities: undefined };
    expect(postShown(shownPost, "Hello")).toBe(false);
    expect(postShown(shownPost, "Hello world")).toBe(true);
  });

  it.each(["note_post", "note_tweet"] as const)("to a long post is reconciled by its full text: %s", async (name) => {
    const { name: handle, context } = await account();
    const post = publication("a long post");
    const publishKey = await prepareOnce(x, post, context);
    const data = [{ id: "5", text: "a long…", [name]: { text: "a long post" } }];
    await refuse(handle, "users/tweets", 200, { data });
    expect(await x.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: "5" });
  });

  it("is reconciled with the field names of X's description", async () => {
    const { context, io } = await account();
    await x.reconcile?.(await prepareOnce(x, publication("x"), context), context);
    const query = new URL(io.calls.at(-1)?.url ?? "").searchParams;
    expect([query.get("post.fields"), query.get("tweet.fields")]).toEqual([expect.stringContaining("note_post"), null]);
  });
});

describe("X's error catalogue", () => {
  it.each(
    CATALOGUE.map((entry) => [entry.status, entry.kind ?? entry.detail ?? entry.beginning ?? "", entry] as const),
  )(
    "gives the documented meaning to %i %s",
    async (status, _, { kind = "other", beginning, detail = beginning ?? "the network's words", means }) => {
      const { name, context } = await account();
      const post = publication(unique("text "));
      const publishKey = await prepareOnce(x, post, context);
      await refuse(name, "tweets/create", status, { title: "T", detail, type: `https://api.x.com/2/problems/${kind}` });
      const outcome = await x.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: means.is, networkMessage: detail });
      if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
    },
  );

  it("waits until the next rate limit window if the current one is used up", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, context);
    const reset = Math.floor(Date.now() / 1000) + 500;
    const headers = { "x-rate-limit-remaining": "0", "x-rate-limit-reset": String(reset) };
    await refuse(
      name,
      "tweets/create",
      429,
      { title: "Too Many Requests", detail: "slow", type: "about:blank" },
      headers,
    );
    expect(await x.publish(post, publishKey, context)).toMatchObject({
      is: "retryable",
      error: "network_quota",
      notBefore: reset * 1000,
    });
  });

  it("waits as long as Retry-After if no window is used up", async () => {
    const { name, context } = await account();
    const now = Date.now();
    const still = { ...context, io: { ...context.io, now: () => now } };
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, still);
    const body = { title: "Too Many Requests", detail: "slow", type: "about:blank" };
    await refuse(name, "tweets/create", 429, body, { "retry-after": "1800" });
    expect(await x.publish(post, publishKey, still)).toMatchObject({ notBefore: now + 1_800_000 });
  });

  it("treats a wall in front of the API as retryable, because nothing was created", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, context);
    await refuse(name, "tweets/create", 403, "<title>Just a moment...</title>");
    expect((await x.publish(post, publishKey, context)).is).toBe("retryable");
  });

  it.each([500, 503])(
    "leaves the outcome unknown after a %i, because the post may have been created",
    async (status) => {
      const { name, context } = await account();
      const post = publication("x");
      const publishKey = await prepareOnce(x, post, context);
      await refuse(name, "tweets/create", status, "");
      expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    },
  );

  it("reports a post with an id as live, whatever errors the answer contains", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, context);
    await refuse(name, "tweets/create", 201, { data: { id: "77", text: "x" }, errors: [{ title: "partial" }] });
    expect(await x.publish(post, publishKey, context)).toMatchObject({ is: "live", id: "77" });
  });
});

describe("an X account", () => {
  it("that is locked lacks a permission, and the network's words name the remedy", async () => {
    const { context } = await account("locked");
    const post = publication("while locked");
    expect(await x.publish(post, await prepareOnce(x, post, context), context)).toMatchObject({
      is: "rejected",
      error: "permission_missing",
      detail: expect.stringContaining("Sign in at x.com"),
      networkMessage: expect.stringContaining("log in to https://x.com"),
    });
  });

  it("that may not post a kind of content gets the post rejected for its content", async () => {
    const { name, context } = await account();
    const post = publication("to the moon");
    const publishKey = await prepareOnce(x, post, context);
    const detail = "Crypto addresses are prohibited for the first 7 days.";
    await refuse(name, "tweets/create", 403, { title: "Forbidden", detail, type: "about:blank", status: 403 });
    expect(await x.publish(post, publishKey, context)).toMatchObject({ is: "rejected", error: "content_refused" });
  });

  it("that ignores one set of field names is read with the other, without missing a link, file or metric", async () => {
    const { name, context } = await account("ignores_post_fields");
    const app = { clientId: `app-of-${name}`, clientSecret: "s", scopes: null };
    const { io, calls } = withoutComparison({ ...context.io, app });
    const recordedContext = { ...context, io };
    const text = "with a link https://example.com/page";
    const post = publication(text, { media: [png()] });
    const publishKey = await prepareOnce(x, post, context);
    const live = await x.publish(post, publishKey, recordedContext);
    if (live.is !== "live") return expect.fail(live.is);
    expect(await x.reconcile?.(publishKey, recordedContext)).toMatchObject({ is: "live", id: live.id });
    const accepted = { text, files: 1, options: {} };
    expect(await x.recheck({ id: live.id, publishKey: publishKey }, recordedContext, accepted)).toMatchObject({
      is: "there",
    });
    calls.length = 0;
    expect(await x.readMetrics?.({ id: live.id, publishKey: publishKey }, recordedContext)).toMatchObject({
      is: "read",
    });
    expect(calls).toEqual([expect.stringContaining("tweet.fields=public_metrics")]);
  });

  it("that rejects one set of field names is read with the other, which is then used first", async () => {
    const { name, context } = await account("guides_only");
    const app = { clientId: `app-of-${name}`, clientSecret: "s", scopes: null };
    const { io, calls } = withoutComparison({ ...context.io, app });
    const recordedContext = { ...context, io };
    const post = publication("in two dialects");
    const publishKey = await prepareOnce(x, post, recordedContext);
    const live = await x.publish(post, publishKey, recordedContext);
    if (live.is !== "live") return expect.fail(live.is);
    expect((await x.reconcile?.(publishKey, recordedContext))?.is).toBe("live");
    calls.length = 0;
    expect(await x.readMetrics?.({ id: live.id, publishKey: publishKey }, recordedContext)).toMatchObject({
      is: "read",
    });
    expect(calls).toEqual([expect.stringContaining("tweet.fields=public_metrics")]);
  });
});

/**
 * The same `NetworkIO`, whose calls are recorded but not compared with the description, because the description has
 * only one set of field names.
 */
function withoutComparison(io: NetworkIO): { io: NetworkIO; calls: string[] } {
  const calls: string[] = [];
  const call: NetworkIO["fetch"] = (url, init) => {
    calls.push(url);
    const { pathname, search } = new URL(url);
    return fetch(`${simulators.url}/x${pathname}${search}`, init);
  };
  return { io: { ...io, fetch: call }, calls };
}
