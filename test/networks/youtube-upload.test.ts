// A resumable upload that breaks off at any point continues where it was, and there is never a second video.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/media-file.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { ledger } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { buildLarge, CHUNK_BYTES, LARGE_FILE, publishPrepared, scriptStatus } from "./youtube-chunks.ts";
import { connectNew, faultCall, listUploads, MIB, prepare, prepareOnce, rejection } from "./youtube-driver.ts";

withSimulators({ chunksDivisor: CHUNKS_DIVISOR });

const getReceived = (publishKey: Json) => Object(publishKey).received;

describe("a large YouTube video", () => {
  it("has a stored session before its first byte, and a checkpoint after each chunk except the last", async () => {
    const testChannel = await connectNew();
    const uploadsBySave: string[][] = [];
    const answer = await youtube.prepare(buildLarge(), testChannel.context, null, async () => {
      uploadsBySave.push(listUploads(testChannel.calls));
    });
    expect(uploadsBySave).toEqual([["start"], ["start", "put"], ["start", "put", "put"]]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    expect(getReceived(answer.publishKey)).toBe(2 * CHUNK_BYTES);
    expect(await ledger(simulators, testChannel.handle)).toEqual([]);
    await publishPrepared(answer.publishKey, testChannel);
  });

  it("is uploaded in chunks of 8 MiB by default", async () => {
    const { context } = await connectNew();
    const ranges: unknown[] = [];
    const open: MediaFile["open"] = (range) => {
      ranges.push(range);
      return Promise.reject(new MediaUnavailable("enough", true));
    };
    const post = buildLarge({ bytes: 16 * MIB, open });
    const undividedContext = { ...context, io: { ...context.io, chunksDivisor: 1 } };
    await expect(prepare(post, undividedContext)).rejects.toThrow("enough");
    expect(ranges).toEqual([{ offset: 0, length: 8 * MIB }]);
  });

  it.each([0, 1, 2])("continues at checkpoint %i after a crash, in the same session", async (checkpoint) => {
    const testChannel = await connectNew();
    const { saved } = await prepare(buildLarge(), testChannel.context);
    expect(saved.map(getReceived)).toEqual([0, CHUNK_BYTES, 2 * CHUNK_BYTES]);
    const { answer } = await prepare(buildLarge(), testChannel.context, saved[checkpoint]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    // Bytes that the network has are not sent again: there is one status call and nothing more.
    expect(listUploads(testChannel.calls)).toEqual(["start", "put", "put", "put"]);
    await publishPrepared(answer.publishKey, testChannel);
  });

  it.each([
    ["the answer to a chunk is lost", { do: "reset_after_accept" }],
    ["a chunk does not arrive", { do: "reset_before" }],
    ["the network fails", { do: "status", status: 503, body: "x" }],
    ["a chunk arrived and the answer is an error", { do: "status_after_accept", status: 500, body: "x" }],
    ["the answer has an impossible range", scriptStatus(308, { range: "bytes=0-999999999999" })],
    ["the answer says that nothing arrived", scriptStatus(308)],
  ])("continues if %s", async (_, scriptedAnswer) => {
    const testChannel = await connectNew();
    await faultCall(simulators, testChannel, "upload.part", scriptedAnswer);
    const { answer: first, saved } = await prepare(buildLarge(), testChannel.context);
    expect(first).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(saved.map(getReceived)).toEqual([0]);
    const { answer } = await prepare(buildLarge(), testChannel.context, saved[0]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    expect(listUploads(testChannel.calls).filter((call) => call === "start")).toHaveLength(1);
    await publishPrepared(answer.publishKey, testChannel);
  });

  it("continues in the middle of a chunk that broke off on the network's side", async () => {
    const testChannel = await connectNew("slow_");
    const { answer, saved } = await prepare(buildLarge(), testChannel.context);
    expect(saved.map((publishKey) => getReceived(publishKey) / CHUNK_BYTES)).toEqual([0, 0.5, 1, 1.5]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    await publishPrepared(answer.publishKey, testChannel);
  });

  it("starts again only if the session no longer exists", async () => {
    const testChannel = await connectNew();
    const { saved } = await prepare(buildLarge(), testChannel.context);
    await faultCall(simulators, testChannel, "upload.status", scriptStatus(410));
    const resumed = await prepare(buildLarge(), testChannel.context, saved[1]);
    expect(resumed.saved.map(getReceived)).toEqual([0, CHUNK_BYTES, 2 * CHUNK_BYTES]);
    if (resumed.answer.is !== "prepared") throw new Error(resumed.answer.is);
    await publishPrepared(resumed.answer.publishKey, testChannel);
  });

  it("starts again if the session disappears during the upload", async () => {
    const testChannel = await connectNew();
    await faultCall(simulators, testChannel, "upload.part", scriptStatus(404, {}));
    const first = await prepare(buildLarge(), testChannel.context);
    expect(first.answer).toMatchObject({ is: "retryable" });
    expect(first.saved).toMatchObject([{ step: "upload" }, { step: "start" }]);
    const { answer } = await prepare(buildLarge(), testChannel.context, { step: "start" });
    if (answer.is !== "prepared") throw new Error(answer.is);
    await publishPrepared(answer.publishKey, testChannel);
  });

  it.each([
    [{ do: "reset_before" }, { is: "retryable" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    [scriptStatus(308, { range: "bytes=5-9" }), { is: "retryable" }],
  ])("does not start again after an answer that says nothing about the session: %j", async (answer, outcome) => {
    const testChannel = await connectNew();
    const { saved } = await prepare(buildLarge(), testChannel.context);
    await faultCall(simulators, testChannel, "upload.status", answer);
    expect((await prepare(buildLarge(), testChannel.context, saved[1])).answer).toMatchObject(outcome);
    expect(listUploads(testChannel.calls).filter((call) => call === "start")).toHaveLength(1);
  });

  it("is sent in one call if its file cannot be read in chunks, and only the missing bytes if some have arrived", async () => {
    const open: MediaFile["open"] = (range) =>
      range === undefined ? LARGE_FILE.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
    const whole = await connectNew();
    const publishKey = await prepareOnce(buildLarge({ open }), whole.context);
    expect(getReceived(publishKey)).toBe(0);
    await publishPrepared(publishKey, whole, buildLarge({ open }));
    expect(listUploads(whole.calls)).toEqual(["start", "put", "put"]);

    const partlyUploaded = await connectNew();
    const { saved } = await prepare(buildLarge(), partlyUploaded.context);
    await publishPrepared(saved[1] ?? null, partlyUploaded, buildLarge({ open }));
  });

  it("is retried if it cannot be read for now", async () => {
    const testChannel = await connectNew();
    const open = () => Promise.reject(new MediaUnavailable("later", true));
    await expect(prepare(buildLarge({ open }), testChannel.context)).rejects.toThrow("later");
  });
});
