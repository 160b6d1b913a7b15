// What X answers, and what is made of an answer that is lost.
import { describe, expect, it, vi } from "vitest";
import type { NetworkIO } from "../../src/networks/network.ts";
import { CATALOGUE } from "../../src/networks/x/errors.ts";
import { x } from "../../src/networks/x/index.ts";
import { postShown } from "../../src/networks/x/timeline.ts";
import { fault, ledger, png, prepareOnce, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { account, ready, refuse } from "./x-account.ts";

withSimulators();

describe("a lost answer", () => {
  it.each([
    ["a text with links", "see https://example.com/a?b=c&d and example.org/x <3", []],
    ["a file", "with a file", [png()]],
    ["nothing but a file", "", [png()]],
  ])("of %s is found in the timeline when the post was made", async (_, text, media) => {
    const { name, context } = await account();
    const post = publication(text, { media });
    const publishKey = await ready(post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_after_accept" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, name);
    expect(await x.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it("stays unknown when it was not made, and another post is never taken for it", async () => {
    const { name, context } = await account();
    const other = publication("another");
    await x.publish(other, await prepareOnce(x, other, context), context);
    const post = publication("this one");
    const publishKey = await prepareOnce(x, post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_before" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishKey, context))?.is).toBe("unknown");
    expect(x.republishAfterMs).toBeNull();
  });

  it("is not taken for an older equal post, so nothing is called live that is not", async () => {
    const { name, context } = await account();
    const post = publication("the same words");
    // The older one was made an hour ago.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    const older = await x.publish(post, await prepareOnce(x, post, context), context);
    vi.useRealTimers();
    expect(older.is).toBe("live");
    const publishKey = await prepareOnce(x, post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_before" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    expect(await x.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown", isAbsent: true });
  });

  it("of a part of a thread is not taken for an earlier part with the same text", async () => {
    const { name, context } = await account();
    const post = publication("the same words");
    const first = await x.publish(post, await prepareOnce(x, post, context), context);
    if (first.is !== "live") throw new Error(JSON.stringify(first));
    const parent = { id: first.id, publishKey: null };
    const part = { ...post, replyTo: { root: parent, parent, before: [first.id] } };
    const publishKey = await prepareOnce(x, part, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_before" });
    expect((await x.publish(part, publishKey, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishKey, context))?.is).toBe("unknown");
  });

  it("of an article is found by its title", async () => {
    const { name, context } = await account();
    const post = publication("Body", { postType: "article", options: { title: unique("Title ") } });
    const publishKey = await ready(post, context);
    await fault(simulators, { platform: "x", account: name, call: "articles/publish", do: "reset_after_accept" });
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishKey, context))?.is).toBe("live");
  });

  it("is not taken for a post that only begins alike", () => {
    const shown = { id: "1", text: "Hello world", entities: undefined };
    expect(postShown(shown, "Hello")).toBe(false);
    expect(postShown(shown, "Hello world")).toBe(true);
  });

  it.each(["note_post", "note_tweet"] as const)("of a long post is found by the text in full: %s", async (name) => {
    const { name: handle, context } = await account();
    const post = publication("a long post");
    const publishKey = await prepareOnce(x, post, context);
    const data = [{ id: "5", text: "a long…", [name]: { text: "a long post" } }];
    await refuse(handle, "users/tweets", 200, { data });
    expect(await x.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: "5" });
  });

  it("is asked for in the names of the description, which the network answers in", async () => {
    const { context, io } = await account();
    await x.reconcile?.(await prepareOnce(x, publication("x"), context), context);
    const query = new URL(io.calls.at(-1)?.url ?? "").searchParams;
    expect([query.get("post.fields"), query.get("tweet.fields")]).toEqual([expect.stringContaining("note_post"), null]);
  });
});

describe("the catalogue", () => {
  it.each(
    CATALOGUE.map((entry) => [entry.status, entry.kind ?? entry.detail ?? entry.beginning ?? "", entry] as const),
  )("%i %s", async (status, _, { kind = "other", beginning, detail = beginning ?? "the network's words", means }) => {
    const { name, context } = await account();
    const post = publication(unique("text "));
    const publishKey = await prepareOnce(x, post, context);
    await refuse(name, "tweets/create", status, { title: "T", detail, type: `https://api.x.com/2/problems/${kind}` });
    const outcome = await x.publish(post, publishKey, context);
    expect(outcome).toMatchObject({ is: means.is, networkMessage: detail });
    if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
  });

  it("waits until the window that is used up begins anew", async () => {
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

  it("waits as long as Retry-After says where no window is used up", async () => {
    const { name, context } = await account();
    const now = Date.now();
    const still = { ...context, io: { ...context.io, now: () => now } };
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, still);
    const body = { title: "Too Many Requests", detail: "slow", type: "about:blank" };
    await refuse(name, "tweets/create", 429, body, { "retry-after": "1800" });
    expect(await x.publish(post, publishKey, still)).toMatchObject({ notBefore: now + 1_800_000 });
  });

  it("takes a wall before the API for no answer of the API: nothing was made", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, context);
    await refuse(name, "tweets/create", 403, "<title>Just a moment...</title>");
    expect((await x.publish(post, publishKey, context)).is).toBe("retryable");
  });

  it.each([500, 503])("a %i may have made the post", async (status) => {
    const { name, context } = await account();
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, context);
    await refuse(name, "tweets/create", status, "");
    expect((await x.publish(post, publishKey, context)).is).toBe("unknown");
  });

  it("a post that has an id exists, whatever else the answer complains of", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishKey = await prepareOnce(x, post, context);
    await refuse(name, "tweets/create", 201, { data: { id: "77", text: "x" }, errors: [{ title: "partial" }] });
    expect(await x.publish(post, publishKey, context)).toMatchObject({ is: "live", id: "77" });
  });
});

describe("an account of x", () => {
  it("that is locked lacks a permission, and the network's words say what to do", async () => {
    const { context } = await account("locked");
    const post = publication("while locked");
    expect(await x.publish(post, await prepareOnce(x, post, context), context)).toMatchObject({
      is: "rejected",
      error: "permission_missing",
      detail: expect.stringContaining("Sign in at x.com"),
      networkMessage: expect.stringContaining("log in to https://x.com"),
    });
  });

  it("that may not post a kind of content is told so about the content", async () => {
    const { name, context } = await account();
    const post = publication("to the moon");
    const ready = await prepareOnce(x, post, context);
    const detail = "Crypto addresses are prohibited for the first 7 days.";
    await refuse(name, "tweets/create", 403, { title: "Forbidden", detail, type: "about:blank", status: 403 });
    expect(await x.publish(post, ready, context)).toMatchObject({ is: "rejected", error: "content_refused" });
  });

  it("is read in the other dialect where one is ignored, so no link, file or figure is missed", async () => {
    const { name, context } = await account("ignores_post_fields");
    const app = { clientId: `app-of-${name}`, clientSecret: "s", scopes: null };
    const { io, calls } = unrecorded({ ...context.io, app });
    const guided = { ...context, io };
    const text = "with a link https://example.com/page";
    const post = publication(text, { media: [png()] });
    const sent = await prepareOnce(x, post, context);
    const live = await x.publish(post, sent, guided);
    if (live.is !== "live") return expect.fail(live.is);
    expect(await x.reconcile?.(sent, guided)).toMatchObject({ is: "live", id: live.id });
    const accepted = { text, files: 1, options: {} };
    expect(await x.verify({ id: live.id, publishKey: sent }, guided, accepted)).toMatchObject({ is: "there" });
    calls.length = 0;
    expect(await x.readMetrics?.({ id: live.id, publishKey: sent }, guided)).toMatchObject({ is: "read" });
    expect(calls).toEqual([expect.stringContaining("tweet.fields=public_metrics")]);
  });

  it("is read in the other dialect where one is refused, and the one that worked is asked first from then on", async () => {
    const { name, context } = await account("guides_only");
    const app = { clientId: `app-of-${name}`, clientSecret: "s", scopes: null };
    const { io, calls } = unrecorded({ ...context.io, app });
    const guided = { ...context, io };
    const post = publication("in two dialects");
    const sent = await prepareOnce(x, post, guided);
    const live = await x.publish(post, sent, guided);
    if (live.is !== "live") return expect.fail(live.is);
    expect((await x.reconcile?.(sent, guided))?.is).toBe("live");
    calls.length = 0;
    expect(await x.readMetrics?.({ id: live.id, publishKey: sent }, guided)).toMatchObject({ is: "read" });
    expect(calls).toEqual([expect.stringContaining("tweet.fields=public_metrics")]);
  });
});

/** The same outside world, whose calls are kept and not held against the description: it has one of the dialects alone. */
function unrecorded(io: NetworkIO): { io: NetworkIO; calls: string[] } {
  const calls: string[] = [];
  const call: NetworkIO["fetch"] = (url, init) => {
    calls.push(url);
    const { pathname, search } = new URL(url);
    return fetch(`${simulators.url}/x${pathname}${search}`, init);
  };
  return { io: { ...io, fetch: call }, calls };
}
