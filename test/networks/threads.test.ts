// Threads: every shape of a post, its options, and what its errors mean.
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

async function publish(post: Publication<Json>, signed: ConnectedAccount) {
  const outcome = await threads.publish(post, await prepareKey(threads, post, signed), signed.context);
  expect(outcome).toMatchObject({ is: "live", urlState: "none" });
  const entries = await ledger(simulators, signed.handle);
  expect(entries).toHaveLength(1);
  expect(outcome).toMatchObject({ id: entries[0]?.id, url: entries[0]?.url });
  return entries[0] ?? expect.fail("nothing was published");
}

const sumOf = async (file: MediaFile) => {
  const bytes = Buffer.from(await new Response(await file.open()).arrayBuffer());
  return { bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") };
};

describe("a post", () => {
  it("of text goes out as it is, with all that belongs to it", async () => {
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

  it("of 500 characters is taken, and of 501 refused by the network itself", async () => {
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
  ])("of %s is fetched by the network, byte for byte, with its alt text", async (_, local, media_type) => {
    const [file = local] = await host([local]);
    const entry = await publish(publication("one", { media: [file], options: { spoiler: true } }), await account());
    expect(entry).toMatchObject({ text: "one", detail: { media_type, is_spoiler_media: "true" } });
    expect(entry.media).toMatchObject([{ ...(await sumOf(file)), alt: file.alt, type: file.contentType }]);
  });

  it("of one file needs no text", async () => {
    const media = await host([png(0)]);
    expect((await publish(publication("", { media }), await account())).text).toBe("");
  });

  it("of many files is a carousel in their order, images and videos mixed", async () => {
    const files = Array.from({ length: 20 }, (_, i) =>
      i % 4 === 3 ? mp4(1_000 + i, { position: i, alt: `video ${i}` }) : png(i, i === 5 ? null : `image ${i}`),
    );
    const media = await host(files);
    const post = publication("all", { media, postType: "carousel", options: { spoiler: true } });
    const entry = await publish(post, await account());
    expect(entry).toMatchObject({ text: "all", detail: { media_type: "CAROUSEL", is_spoiler_media: "true" } });
    const sums = await Promise.all(files.map(sumOf));
    expect(entry.media).toMatchObject(files.map(({ alt }, i) => ({ ...sums[i], alt })));
  });

  it("that blurs files but has none is refused before anything is asked", async () => {
    const signed = await account();
    const answer = await prepare(threads, publication("x", { options: { spoiler: true } }), signed);
    expect(answer).toMatchObject({ is: "rejected", error: "content_refused" });
    expect(signed.calls).toEqual([]);
  });

  it("with a location names the permission that it needs when the grant lacks it; others still go out", async () => {
    const scopes = ["threads_basic", "threads_content_publish"];
    const signed = await connectAccount(simulators, threads, { access_token: buildToken("no_locations", scopes) });
    const answer = await prepare(threads, publication("x", { options: { location_id: "1" } }), signed);
    expect(answer).toMatchObject({ is: "rejected", error: "permission_missing" });
    expect(answer).toMatchObject({ detail: expect.stringContaining("threads_location_tagging") });
    expect((await prepare(threads, publication("x"), signed)).is).toBe("prepared");
  });
});

describe("making a container, answered", () => {
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
  ])("%j is %j", async (what, outcome) => {
    const signed = await account();
    await faultCall(simulators, threads, signed, "threads", what);
    expect(await threads.prepare(publication("x"), signed.context, null, async () => {})).toMatchObject(outcome);
  });

  it("that a file could not be fetched is tried three times more, then the file is named", async () => {
    const signed = await account();
    const [media] = [await host([png(0), png(1)])];
    const post = publication("x", { media });
    await faultCall(simulators, threads, signed, "threads", { ...graphError(1, 2207052), count: 3, skip: 1 });
    expect(await prepare(threads, post, signed)).toMatchObject({ is: "prepared" });
    await faultCall(simulators, threads, signed, "threads", { ...graphError(1, 2207052), count: 4, skip: 1 });
    expect(await prepare(threads, post, signed)).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: `file 2 (${media[1]?.id})`,
      networkMessage: "said (1/2207052)",
    });
  });

  it("a token that Meta repeats appears nowhere", async () => {
    const signed = await account();
    const { access_token } = signed.context.credential as { access_token: string };
    const message = `Malformed access token ${access_token}`;
    await faultCall(simulators, threads, signed, "threads", graphError(190, undefined, { message }));
    const answer = await threads.prepare(publication("x"), signed.context, null, async () => {});
    expect(answer).toMatchObject({ is: "unauthorized", networkMessage: "Malformed access token … (190)" });
  });
});

describe("a container", () => {
  const failsAs = async (signed: ConnectedAccount, problem: string, count: number) => {
    const media = await host([mp4(1_000)]);
    const body = { id: "1", status: "ERROR", error_message: problem };
    await faultCall(simulators, threads, signed, "threads-container", { do: "status", status: 200, body, count });
    const answer = await prepare(threads, publication("x", { media }), signed);
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
  ])("that fails as %s is refused, and the file named", async (problem) => {
    const { answer, rejection } = await failsAs(await account(), problem, 1);
    expect(answer).toEqual(rejection);
  });

  it.each([
    "FAILED_DOWNLOADING_VIDEO",
    "FAILED_PROCESSING_AUDIO",
    "FAILED_PROCESSING_VIDEO",
    "UNKNOWN",
    "NEVER_SEEN_BEFORE",
  ])("that fails as %s is made anew once", async (problem) => {
    expect((await failsAs(await account(), problem, 1)).answer).toMatchObject({ is: "prepared" });
    const { answer, rejection } = await failsAs(await account(), problem, 2);
    expect(answer).toEqual(rejection);
  });

  it("of a file that is no video is refused in the end", async () => {
    const media = await host([{ ...png(0), kind: "video", contentType: "video/mp4" }]);
    const answer = await prepare(threads, publication("x", { media }), await account());
    expect(answer).toMatchObject({ is: "rejected", error: "media_refused" });
  });
});

describe("publishing, answered", () => {
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
  ])("%j is %j", async (what, outcome) => {
    const signed = await account();
    const post = publication("answered");
    const publishKey = await prepareKey(threads, post, signed);
    await faultCall(simulators, threads, signed, "threads_publish", what);
    expect(await threads.publish(post, publishKey, signed.context)).toMatchObject(outcome);
    expect(await ledger(simulators, signed.handle)).toEqual([]);
  });
});

it("metrics of a post are read under their usual names; without them nothing is claimed", async () => {
  const signed = await account();
  const entry = await publish(publication("measured"), signed);
  const published = { id: entry.id, publishKey: null };
  const measured = await threads.readMetrics?.(published, signed.context);
  expect(measured).toEqual({
    is: "read",
    metrics: Object.fromEntries(
      ["views", "likes", "comments", "reposts", "quotes", "shares"].map((name) => [name, expect.any(Number)]),
    ),
  });
  await faultCall(simulators, threads, signed, "insights", graphError(10));
  expect(await threads.readMetrics?.(published, signed.context)).toMatchObject({ is: "unknown" });
});
