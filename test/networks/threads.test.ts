// Threads: every kind of post with its options, and the meaning of its errors.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { Publication } from "../../src/networks/network.ts";
import { threads } from "../../src/networks/threads/index.ts";
import {
  buildToken,
  type ConnectedAccount,
  connectAccount,
  faultCall,
  graphError,
  prepare,
  prepareKey,
} from "./containers.ts";
import { hostFile, ledger, mp4, png, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const account = () => connectAccount(simulators, threads);
const host = (files: MediaFile[]) => Promise.all(files.map((file) => hostFile(simulators, file)));

async function publish(post: Publication<Json>, connection: ConnectedAccount) {
  const outcome = await threads.publish(post, await prepareKey(threads, post, connection), connection.context);
  expect(outcome).toMatchObject({ is: "live", urlState: "none" });
  const entries = await ledger(simulators, connection.handle);
  expect(entries).toHaveLength(1);
  expect(outcome).toMatchObject({ id: entries[0]?.id, url: entries[0]?.url });
  return entries[0] ?? expect.fail("nothing was published");
}

const computeSum = async (file: MediaFile) => {
  const bytes = Buffer.from(await new Response(await file.open()).arrayBuffer());
  return { bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") };
};

describe("a post on Threads", () => {
  it("with text is published unchanged, with all its options", async () => {
    const text = 'Grüß 👩‍👩‍👧 & "so" <b>+ %20</b>\n\n@alice #crier https://example.com/ä?a=1&b=2';
    const options = {
      topic_tag: "Brücken und mehr",
      link_attachment: "https://example.com/card?x=1&y=ü",
      reply_control: "mentioned_only",
      location_id: "1234567890123456789",
    };
    const entry = await publish(publication(text, { options }), await account());
    expect(entry).toMatchObject({ text, detail: { media_type: "TEXT", ...options } });
  });

  it("with an attached text, hidden phrases, a GIF and a quoted post has them all", async () => {
    const connection = await account();
    const quoted = await publish(publication("to be quoted"), connection);
    const options = {
      text_attachment: "long ".repeat(2_000),
      text_spoilers: ["the butler", "👩‍👩‍👧"],
      gif: "abc123XYZ",
      reply_approval: true,
      quote: quoted.url,
    };
    const post = publication("👩‍👩‍👧 It was the butler.", { options: JSON.parse(JSON.stringify(options)) });
    const publishKey = await prepareKey(threads, post, connection);
    expect((await threads.publish(post, publishKey, connection.context)).is).toBe("live");
    expect((await ledger(simulators, connection.handle))[1]?.detail).toMatchObject({
      text_attachment: options.text_attachment,
      text_spoilers: ["👩‍👩‍👧", "the butler"],
      gif: "abc123XYZ",
      quote_post_id: quoted.id,
      enable_reply_approvals: "true",
    });
  });

  it("quotes no post that the account's own list does not show", async () => {
    const quote = "https://www.threads.com/@somebody/post/DDzbnVKx57R";
    const answer = await prepare(threads, publication("x", { options: { quote } }), await account());
    expect(answer).toMatchObject({
      is: "rejected",
      error: "content_refused",
      detail: expect.stringContaining("`quote`"),
    });
  });

  it("that is a ghost post is not said to be removed once its day is over", async () => {
    const connection = await account();
    const post = publication("soon gone", { options: { ghost: true } });
    const publishKey = await prepareKey(threads, post, connection);
    const outcome = await threads.publish(post, publishKey, connection.context);
    if (outcome.is !== "live") return expect.fail(outcome.is);
    expect((await ledger(simulators, connection.handle))[0]?.detail).toMatchObject({ ghost: true });
    const other = publication("stays");
    await threads.publish(other, await prepareKey(threads, other, connection), connection.context);
    await fetch(`${simulators.url}/_sim/posts/threads/${outcome.id}`, { method: "DELETE" });
    const accepted = { text: "soon gone", files: 0, options: { ghost: true } };
    const recheck = () => threads.recheck({ id: outcome.id, publishKey }, connection.context, accepted);
    expect((await recheck()).is).toBe("gone");
    connection.pass(86_400_000);
    // Only the first recheck compares, so the later ones do not get the accepted content.
    expect(await threads.recheck({ id: outcome.id, publishKey }, connection.context)).toMatchObject({ is: "unknown" });
    expect(await recheck()).toMatchObject({ is: "unknown", detail: "a ghost post ends after 24 hours" });
  });

  it.each([
    ["a text attachment beside a file", { text_attachment: "x" }],
    ["a GIF beside a file", { gif: "x" }],
    ["a ghost post with a file", { ghost: true }],
  ])("with %s is rejected before any call", async (_, options) => {
    const connection = await account();
    const post = publication("x", { media: await host([png(0)]), options });
    expect((await threads.prepare(post, connection.context, null, async () => {})).is).not.toBe("prepared");
    expect(await ledger(simulators, connection.handle)).toEqual([]);
  });

  it.each([
    { topic_tag: "tag" },
    { link_attachment: "https://example.com" },
    { reply_control: "followers_only" },
    { quote: "12345678" },
    { gif: "abc" },
    { text_attachment: "long" },
    { first_comment: "first" },
    { reply_approval: true },
  ])("that is a ghost post has no other option than text spoilers, so %j is refused", async (options) => {
    const result = threads.options.safeParse({ ghost: true, ...options });
    expect(result.error?.issues.map(({ path }) => path[0])).toEqual(Object.keys(options));
    expect(threads.options.safeParse({ ghost: true, text_spoilers: ["x"] }).success).toBe(true);
    expect(threads.options.safeParse({ ...options }).success).toBe(true);
  });

  it("that is a ghost post has no thread", () => {
    const check = (parts: number) => threads.checkOptions?.({ ghost: true }, { postType: "feed", media: [], parts }, 0);
    expect(check(0)).toEqual([]);
    expect(check(1)).toMatchObject([{ path: ["ghost"] }]);
  });

  it("of 500 characters is accepted, and of 501 characters is rejected by the network itself", async () => {
    expect((await publish(publication(`${"x".repeat(496)}😀`), await account())).text).toHaveLength(498);
    const answer = await prepare(threads, publication("x".repeat(501)), await account());
    expect(answer).toMatchObject({
      is: "rejected",
      error: "content_refused",
      networkMessage: expect.stringContaining("500"),
    });
  });

  it.each([
    ["an image", png(0, "a gradient"), "IMAGE"],
    ["a video", mp4(300_000, { alt: "waves" }), "VIDEO"],
  ])("with %s is fetched by the network, byte for byte, with its alt text", async (_, local, media_type) => {
    const [file = local] = await host([local]);
    const entry = await publish(publication("one", { media: [file], options: { spoiler: true } }), await account());
    expect(entry).toMatchObject({ text: "one", detail: { media_type, is_spoiler_media: "true" } });
    expect(entry.media).toMatchObject([{ ...(await computeSum(file)), alt: file.alt, type: file.contentType }]);
  });

  it("with one file needs no text", async () => {
    const media = await host([png(0)]);
    expect((await publish(publication("", { media }), await account())).text).toBe("");
  });

  it("with many files is a carousel in their order, with images and videos mixed", async () => {
    const files = Array.from({ length: 20 }, (_, i) =>
      i % 4 === 3 ? mp4(1_000 + i, { position: i, alt: `video ${i}` }) : png(i, i === 5 ? null : `image ${i}`),
    );
    const media = await host(files);
    const post = publication("all", { media, postType: "carousel", options: { spoiler: true } });
    const entry = await publish(post, await account());
    expect(entry).toMatchObject({ text: "all", detail: { media_type: "CAROUSEL", is_spoiler_media: "true" } });
    const sums = await Promise.all(files.map(computeSum));
    expect(entry.media).toMatchObject(files.map(({ alt }, i) => ({ ...sums[i], alt })));
  });

  it("with the spoiler option but without files is rejected before any call", async () => {
    const connection = await account();
    const answer = await prepare(threads, publication("x", { options: { spoiler: true } }), connection);
    expect(answer).toMatchObject({ is: "rejected", error: "content_refused" });
    expect(connection.calls).toEqual([]);
  });

  it("with a location names the necessary permission if the grant lacks it, and other posts are still published", async () => {
    const scopes = ["threads_basic", "threads_content_publish"];
    const connection = await connectAccount(simulators, threads, { access_token: buildToken("no_locations", scopes) });
    const answer = await prepare(threads, publication("x", { options: { location_id: "1" } }), connection);
    expect(answer).toMatchObject({ is: "rejected", error: "permission_missing" });
    expect(answer).toMatchObject({ detail: expect.stringContaining("threads_location_tagging") });
    expect((await prepare(threads, publication("x"), connection)).is).toBe("prepared");
  });
});

describe("creating a Threads container", () => {
  it.each([
    [graphError(4), { is: "retryable", error: "network_quota", notBefore: expect.any(Number) }],
    [graphError(17), { is: "retryable", error: "network_quota" }],
    [graphError(32), { is: "retryable", error: "network_quota" }],
    [graphError(613), { is: "retryable", error: "network_quota" }],
    [
      { do: "status", status: 429, body: "slow down" },
      { is: "retryable", error: "network_quota" },
    ],
    [graphError(4, 2207051), { is: "retryable", error: "network_quota" }],
    [graphError(1), { is: "retryable", error: "network_unavailable" }],
    [graphError(2, undefined, { is_transient: true }), { is: "retryable", error: "network_unavailable" }],
    [graphError(777, undefined, { is_transient: true }), { is: "retryable", error: "network_unavailable" }],
    [
      { do: "status", status: 503, body: "<h1>sorry</h1>" },
      { is: "retryable", error: "network_unavailable" },
    ],
    [{ do: "reset_before" }, { is: "retryable", error: "network_unavailable" }],
    [graphError(190, 463, {}, 401), { is: "unauthorized" }],
    [graphError(102), { is: "unauthorized" }],
    [graphError(3), { is: "rejected", error: "permission_missing" }],
    [graphError(10), { is: "rejected", error: "permission_missing" }],
    [graphError(200), { is: "rejected", error: "permission_missing" }],
    [graphError(299), { is: "rejected", error: "permission_missing" }],
    [graphError(10, 4279013), { is: "rejected", error: "permission_missing" }],
    [graphError(100), { is: "rejected", error: "content_refused" }],
    [graphError(777), { is: "rejected", error: "content_refused" }],
  ])("is answered with %j and ends as %j", async (answer, outcome) => {
    const connection = await account();
    await faultCall(simulators, threads, connection, "threads", answer);
    expect(await threads.prepare(publication("x"), connection.context, null, async () => {})).toMatchObject(outcome);
  });

  it("is tried three more times if a file could not be fetched, and then names the file", async () => {
    const connection = await account();
    const [media] = [await host([png(0), png(1)])];
    const post = publication("x", { media });
    await faultCall(simulators, threads, connection, "threads", { ...graphError(1, 2207052), count: 3, skip: 1 });
    expect(await prepare(threads, post, connection)).toMatchObject({ is: "prepared" });
    await faultCall(simulators, threads, connection, "threads", { ...graphError(1, 2207052), count: 4, skip: 1 });
    expect(await prepare(threads, post, connection)).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: `file 2 (${media[1]?.id})`,
      networkMessage: "said (1/2207052)",
    });
  });

  it("redacts a token that Meta repeats in an error message", async () => {
    const connection = await account();
    const { access_token } = connection.context.credential as { access_token: string };
    const message = `Malformed access token ${access_token}`;
    await faultCall(simulators, threads, connection, "threads", graphError(190, undefined, { message }));
    const answer = await threads.prepare(publication("x"), connection.context, null, async () => {});
    expect(answer).toMatchObject({ is: "unauthorized", networkMessage: "Malformed access token … (190)" });
  });
});

describe("a Threads container", () => {
  const prepareFailing = async (connection: ConnectedAccount, problem: string, count: number) => {
    const media = await host([mp4(1_000)]);
    const body = { id: "1", status: "ERROR", error_message: problem };
    await faultCall(simulators, threads, connection, "threads-container", { do: "status", status: 200, body, count });
    const answer = await prepare(threads, publication("x", { media }), connection);
    return {
      answer,
      rejection: {
        is: "rejected",
        error: "media_refused",
        detail: `file 1 (${media[0]?.id})`,
        networkMessage: problem,
      },
    };
  };

  it.each([
    "INVALID_ASPEC_RATIO",
    "INVALID_BIT_RATE",
    "INVALID_DURATION",
    "INVALID_FRAME_RATE",
    "INVALID_AUDIO_CHANNELS",
    "INVALID_AUDIO_CHANNEL_LAYOUT",
  ])("that fails as %s is rejected, with the file's name", async (problem) => {
    const { answer, rejection } = await prepareFailing(await account(), problem, 1);
    expect(answer).toEqual(rejection);
  });

  it.each([
    "FAILED_DOWNLOADING_VIDEO",
    "FAILED_PROCESSING_AUDIO",
    "FAILED_PROCESSING_VIDEO",
    "UNKNOWN",
    "NEVER_SEEN_BEFORE",
  ])("that fails as %s is created again once", async (problem) => {
    expect((await prepareFailing(await account(), problem, 1)).answer).toMatchObject({ is: "prepared" });
    const { answer, rejection } = await prepareFailing(await account(), problem, 2);
    expect(answer).toEqual(rejection);
  });

  it("with a file that is no video is rejected in the end", async () => {
    const media = await host([{ ...png(0), kind: "video", contentType: "video/mp4" }]);
    const answer = await prepare(threads, publication("x", { media }), await account());
    expect(answer).toMatchObject({ is: "rejected", error: "media_refused" });
  });
});

describe("publishing a Threads container", () => {
  it.each([
    [graphError(4), { is: "retryable", error: "network_quota" }],
    [
      { do: "status", status: 429, body: {}, headers: { "retry-after": "90" } },
      { is: "retryable", error: "network_quota" },
    ],
    [graphError(190, 460, {}, 401), { is: "unauthorized" }],
    [graphError(10), { is: "rejected", error: "permission_missing" }],
    [graphError(10, 4279013), { is: "rejected", error: "permission_missing" }],
    [graphError(100), { is: "rejected", error: "content_refused" }],
    [graphError(24, 4279009), { is: "retryable", error: "network_unavailable", retryAt: expect.any(Number) }],
    [graphError(1), { is: "unknown" }],
    [graphError(2), { is: "unknown" }],
    [graphError(4, 2207051), { is: "unknown" }],
    [graphError(777), { is: "unknown" }],
    [graphError(10, undefined, {}, 500), { is: "unknown" }],
    [{ do: "status", status: 502, body: "<h1>Bad Gateway</h1>" }, { is: "unknown" }],
    [{ do: "status", status: 200, body: "<h1>Welcome</h1>" }, { is: "unknown" }],
    [{ do: "status", status: 200, body: { id: 17_912 } }, { is: "unknown" }],
    [{ do: "status", status: 400, body: "<h1>Bad Request</h1>" }, { is: "unknown" }],
  ])("is answered with %j and leads to the outcome %j", async (answer, outcome) => {
    const connection = await account();
    const post = publication("answered");
    const publishKey = await prepareKey(threads, post, connection);
    await faultCall(simulators, threads, connection, "threads_publish", answer);
    expect(await threads.publish(post, publishKey, connection.context)).toMatchObject(outcome);
    expect(await ledger(simulators, connection.handle)).toEqual([]);
  });
});

it("reads the metrics of a post under their usual names, and reports unknown without insights", async () => {
  const connection = await account();
  const entry = await publish(publication("measured"), connection);
  const published = { id: entry.id, publishKey: null };
  const measured = await threads.readMetrics?.(published, connection.context);
  expect(measured).toEqual({
    is: "read",
    metrics: Object.fromEntries(
      ["views", "likes", "comments", "reposts", "quotes", "shares"].map((name) => [name, expect.any(Number)]),
    ),
  });
  await faultCall(simulators, threads, connection, "insights", graphError(10));
  expect(await threads.readMetrics?.(published, connection.context)).toMatchObject({ is: "unknown" });
});
