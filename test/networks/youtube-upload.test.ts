// A resumable upload that breaks, anywhere: it goes on where it was, and there is never a second video.
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/network.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { ledger, mp4 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import {
  type Channel,
  fresh,
  MIB,
  onCall,
  prepare,
  prepared,
  processed,
  rejection,
  uploads,
  video,
} from "./youtube-driver.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });

const PART = (8 * MIB) / PARTS_DIVISOR;
/** Three parts. */
const BYTES = 2 * PART + 1_000;
const LARGE = mp4(BYTES);
let sum = "";
beforeAll(async () => {
  sum = createHash("sha256")
    .update(Buffer.from(await new Response(await LARGE.open()).arrayBuffer()))
    .digest("hex");
});
const large = (more: Partial<MediaFile> = {}) => video("large", { media: [{ ...LARGE, ...more }] });
const received = (publishHandle: Json) => Object(publishHandle).received;
const script = (status: number, headers: object = {}) => ({ do: "status", status, body: "", headers });

/** Publishes a prepared video and follows it to its end: exactly one, with every byte. */
async function finish(publishHandle: Json, { handle, context }: Channel, post = large()) {
  expect(await processed(await youtube.publish(post, publishHandle, context), context)).toMatchObject({ is: "live" });
  expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ bytes: BYTES, sha256: sum }] }]);
}

describe("a large video", () => {
  it("has a session that is durable before its first byte, and a checkpoint after each part but the last", async () => {
    const at = await fresh();
    const before: string[][] = [];
    const answer = await youtube.prepare(large(), at.context, null, async () => {
      before.push(uploads(at.calls));
    });
    expect(before).toEqual([["start"], ["start", "put"], ["start", "put", "put"]]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    expect(received(answer.handle)).toBe(2 * PART);
    expect(await ledger(simulators, at.handle)).toEqual([]);
    await finish(answer.handle, at);
  });

  it("goes up in parts of 8 MiB where nothing asks for smaller ones", async () => {
    const { context } = await fresh();
    const ranges: unknown[] = [];
    const open: MediaFile["open"] = (range) => {
      ranges.push(range);
      return Promise.reject(new MediaUnavailable("enough", true));
    };
    const post = large({ bytes: 16 * MIB, open });
    const usual = { ...context, io: { ...context.io, partsDivisor: 1 } };
    await expect(prepare(post, usual)).rejects.toThrow("enough");
    expect(ranges).toEqual([{ offset: 0, length: 8 * MIB }]);
  });

  it.each([0, 1, 2])("goes on from checkpoint %i after a crash, in the same session", async (checkpoint) => {
    const at = await fresh();
    const { saved } = await prepare(large(), at.context);
    expect(saved.map(received)).toEqual([0, PART, 2 * PART]);
    const { answer } = await prepare(large(), at.context, saved[checkpoint]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    // What the network has already is not sent again: one question, and nothing more.
    expect(uploads(at.calls)).toEqual(["start", "put", "put", "put"]);
    await finish(answer.handle, at);
  });

  it.each([
    ["the answer to a part is lost", { do: "reset_after_accept" }],
    ["a part does not arrive", { do: "reset_before" }],
    ["the network is in trouble", { do: "status", status: 503, body: "x" }],
    ["a part arrived, and the answer is an error", { do: "status_after_accept", status: 500, body: "x" }],
    ["the answer makes no sense", script(308, { range: "bytes=0-999999999999" })],
    ["the answer says that nothing was taken", script(308)],
  ])("goes on when %s", async (_, what) => {
    const at = await fresh();
    await onCall(simulators, at, "upload.part", what);
    const { answer: first, saved } = await prepare(large(), at.context);
    expect(first).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(saved.map(received)).toEqual([0]);
    const { answer } = await prepare(large(), at.context, saved[0]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    expect(uploads(at.calls).filter((call) => call === "start")).toHaveLength(1);
    await finish(answer.handle, at);
  });

  it("goes on where a part broke off on the network's side", async () => {
    const at = await fresh("slow_");
    const { answer, saved } = await prepare(large(), at.context);
    expect(saved.map((publishHandle) => received(publishHandle) / PART)).toEqual([0, 0.5, 1, 1.5]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    await finish(answer.handle, at);
  });

  it("begins anew only when the session is gone", async () => {
    const at = await fresh();
    const { saved } = await prepare(large(), at.context);
    await onCall(simulators, at, "upload.status", script(410));
    const resumed = await prepare(large(), at.context, saved[1]);
    expect(resumed.saved.map(received)).toEqual([0, PART, 2 * PART]);
    if (resumed.answer.is !== "prepared") throw new Error(resumed.answer.is);
    await finish(resumed.answer.handle, at);
  });

  it("begins anew when the session goes in the middle", async () => {
    const at = await fresh();
    await onCall(simulators, at, "upload.part", script(404, {}));
    const first = await prepare(large(), at.context);
    expect(first.answer).toMatchObject({ is: "retryable" });
    expect(first.saved).toMatchObject([{ step: "upload" }, { step: "start" }]);
    const { answer } = await prepare(large(), at.context, { step: "start" });
    if (answer.is !== "prepared") throw new Error(answer.is);
    await finish(answer.handle, at);
  });

  it.each([
    [{ do: "reset_before" }, { is: "retryable" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    [script(308, { range: "bytes=5-9" }), { is: "retryable" }],
  ])("does not begin anew for an answer that says nothing of the session: %j", async (what, outcome) => {
    const at = await fresh();
    const { saved } = await prepare(large(), at.context);
    await onCall(simulators, at, "upload.status", what);
    expect((await prepare(large(), at.context, saved[1])).answer).toMatchObject(outcome);
    expect(uploads(at.calls).filter((call) => call === "start")).toHaveLength(1);
  });

  it("at an address that has no parts goes out in one call, and its rest when some is there", async () => {
    const open: MediaFile["open"] = (range) =>
      range === undefined ? LARGE.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
    const whole = await fresh();
    const publishHandle = await prepared(large({ open }), whole.context);
    expect(received(publishHandle)).toBe(0);
    await finish(publishHandle, whole, large({ open }));
    expect(uploads(whole.calls)).toEqual(["start", "put", "put"]);

    const rest = await fresh();
    const { saved } = await prepare(large(), rest.context);
    await finish(saved[1] ?? null, rest, large({ open }));
  });

  it("that cannot be read for now waits", async () => {
    const at = await fresh();
    const open = () => Promise.reject(new MediaUnavailable("later", true));
    await expect(prepare(large({ open }), at.context)).rejects.toThrow("later");
  });
});

describe("the last part", () => {
  it.each([
    ["reset", { do: "reset_after_accept" }],
    ["an error", { do: "status_after_accept", status: 500, body: "x" }],
    ["a proxy's word", { do: "status_after_accept", status: 502, body: "<h1>Bad Gateway</h1>" }],
    ["half an answer", { do: "status_after_accept", status: 200, body: { kind: "youtube#video" } }],
  ])("whose answer is lost (%s) made one video, and the session names it", async (_, what) => {
    const at = await fresh();
    const publishHandle = await prepared(video("once"), at.context);
    await onCall(simulators, at, "upload.last", what);
    expect(await youtube.publish(video("once"), publishHandle, at.context)).toMatchObject({ is: "unknown" });
    const resolved = await youtube.reconcile?.(publishHandle, at.context);
    expect(resolved).toMatchObject({ is: "processing" });
    const [entry, ...others] = await ledger(simulators, at.handle);
    expect(others).toEqual([]);
    expect(await processed(resolved ?? { is: "none" }, at.context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it.each([
    ["reset", { do: "reset_before" }],
    ["an error", { do: "status", status: 503, body: "x" }],
  ])("that never arrived (%s) is sent again in the same session", async (_, what) => {
    const at = await fresh();
    const publishHandle = await prepared(large(), at.context);
    await onCall(simulators, at, "upload.last", what);
    expect(await youtube.publish(large(), publishHandle, at.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.reconcile?.(publishHandle, at.context)).toEqual({ is: "not_published" });
    expect(await ledger(simulators, at.handle)).toEqual([]);
    await finish(publishHandle, at);
    expect(uploads(at.calls).filter((call) => call === "start")).toHaveLength(1);
  });

  it("sent twice, one after the other or at once, makes one video", async () => {
    const at = await fresh();
    const publishHandle = await prepared(video("once"), at.context);
    const publish = () => youtube.publish(video("once"), publishHandle, at.context);
    const together = await Promise.all([publish(), publish()]);
    const ids = new Set(
      [...together, await publish()].map((outcome) => outcome.is === "processing" && Object(outcome.handle).id),
    );
    expect(await ledger(simulators, at.handle)).toHaveLength(1);
    expect(ids.size).toBe(1);
  });

  it("sends what the network lacks, be it more or less than was last known", async () => {
    for (const checkpoint of [0, 1]) {
      const at = await fresh();
      const { saved } = await prepare(large(), at.context);
      await finish(saved[checkpoint] ?? null, at);
    }

    // This handle says more than the network has.
    const at = await fresh();
    const publishHandle = { ...Object(await prepared(video("x"), at.context)), received: 50_000 };
    expect(await youtube.publish(video("x"), publishHandle, at.context)).toMatchObject({ is: "processing" });
    expect(await ledger(simulators, at.handle)).toMatchObject([{ media: [{ bytes: 100_000 }] }]);
  });

  it("of which a part is still missing published nothing", async () => {
    const at = await fresh();
    const publishHandle = await prepared(video("x"), at.context);
    await onCall(simulators, at, "upload.last", script(308, { range: "bytes=0-65535" }));
    expect(await youtube.publish(video("x"), publishHandle, at.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(await ledger(simulators, at.handle)).toEqual([]);
  });

  it("of a file that ends too soon published nothing, and the session says so", async () => {
    const at = await fresh();
    const clip = mp4(100_000);
    const short: MediaFile = { ...clip, open: async () => await mp4(60_000).open() };
    const post = video("x", { media: [short] });
    const publishHandle = await prepared(post, at.context);
    expect(await youtube.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.reconcile?.(publishHandle, at.context)).toEqual({ is: "not_published" });
    expect(await ledger(simulators, at.handle)).toEqual([]);
  });

  it.each([
    [401, "authError", { is: "unauthorized" }],
    [403, "quotaExceeded", { is: "retryable", error: "network_quota" }],
    [403, "forbidden", { is: "rejected", error: "permission_missing" }],
    [400, "invalidVideoMetadata", { is: "rejected", error: "content_refused" }],
    [413, "uploadTooLarge", { is: "rejected", error: "media_refused" }],
    [503, "backendError", { is: "unknown" }],
    [404, "notFound", { is: "unknown" }],
    [410, "gone", { is: "unknown" }],
  ])("answered %i %s is %j", async (status, reason, outcome) => {
    const at = await fresh();
    const post = video("x");
    const publishHandle = await prepared(post, at.context);
    await onCall(simulators, at, "upload.last", rejection(status, reason));
    const answer = await youtube.publish(post, publishHandle, at.context);
    expect(answer).toMatchObject(outcome);
    if (status === 413)
      expect(answer).toMatchObject({ detail: `file 1 (${post.media[0]?.id}): said so (uploadTooLarge)` });
  });

  it.each([
    [{ do: "reset_before" }, { is: "retryable", error: "network_unavailable" }],
    [
      { do: "status", status: 500, body: "x" },
      { is: "retryable", error: "network_unavailable" },
    ],
    [script(404), { is: "retryable", error: "network_unavailable" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    [script(308, { range: "bytes=0-99999" }), { is: "unknown" }],
  ])("is not sent when the question before it is answered with %j", async (what, outcome) => {
    const at = await fresh();
    const publishHandle = await prepared(video("x"), at.context);
    await onCall(simulators, at, "upload.status", what);
    expect(await youtube.publish(video("x"), publishHandle, at.context)).toMatchObject(outcome);
    expect(uploads(at.calls)).toEqual(["start", "put"]);
    expect(await ledger(simulators, at.handle)).toEqual([]);
  });
});

describe("reconciling a session", () => {
  it.each([
    [{ do: "reset_before" }, { is: "unknown" }],
    [script(404), { is: "unknown" }],
    [script(410), { is: "unknown" }],
    [{ do: "status", status: 500, body: "x" }, { is: "unknown" }],
    [rejection(403, "forbidden"), { is: "unknown" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "rateLimitExceeded"), { is: "retryable", error: "network_quota" }],
    [script(308, { range: "nonsense" }), { is: "unknown" }],
    [script(308), { is: "not_published" }],
  ])("after %j is %j", async (what, outcome) => {
    const at = await fresh();
    const publishHandle = await prepared(video("x"), at.context);
    await onCall(simulators, at, "upload.status", what);
    expect(await youtube.reconcile?.(publishHandle, at.context)).toMatchObject(outcome);
  });

  it("may be sent again when no earlier call can still arrive", () => {
    expect(youtube).toMatchObject({ publishTimeoutMs: 270_000, republishAfterMs: 390_000 });
  });
});
