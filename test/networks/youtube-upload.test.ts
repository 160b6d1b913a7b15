// A resumable upload that breaks, anywhere: it goes on where it was, and there is never a second video.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/media-file.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { ledger } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { connectNew, faultCall, listUploads, MIB, prepare, prepareOnce, rejection } from "./youtube-driver.ts";
import { buildLarge, CHUNK_BYTES, LARGE_FILE, publishPrepared, scriptStatus } from "./youtube-parts.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });

const received = (publishKey: Json) => Object(publishKey).received;

describe("a large video", () => {
  it("has a session that is durable before its first byte, and a checkpoint after each part but the last", async () => {
    const at = await connectNew();
    const before: string[][] = [];
    const answer = await youtube.prepare(buildLarge(), at.context, null, async () => {
      before.push(listUploads(at.calls));
    });
    expect(before).toEqual([["start"], ["start", "put"], ["start", "put", "put"]]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    expect(received(answer.publishKey)).toBe(2 * CHUNK_BYTES);
    expect(await ledger(simulators, at.handle)).toEqual([]);
    await publishPrepared(answer.publishKey, at);
  });

  it("goes up in parts of 8 MiB where nothing asks for smaller ones", async () => {
    const { context } = await connectNew();
    const ranges: unknown[] = [];
    const open: MediaFile["open"] = (range) => {
      ranges.push(range);
      return Promise.reject(new MediaUnavailable("enough", true));
    };
    const post = buildLarge({ bytes: 16 * MIB, open });
    const usual = { ...context, io: { ...context.io, partsDivisor: 1 } };
    await expect(prepare(post, usual)).rejects.toThrow("enough");
    expect(ranges).toEqual([{ offset: 0, length: 8 * MIB }]);
  });

  it.each([0, 1, 2])("goes on from checkpoint %i after a crash, in the same session", async (checkpoint) => {
    const at = await connectNew();
    const { saved } = await prepare(buildLarge(), at.context);
    expect(saved.map(received)).toEqual([0, CHUNK_BYTES, 2 * CHUNK_BYTES]);
    const { answer } = await prepare(buildLarge(), at.context, saved[checkpoint]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    // What the network has already is not sent again: one question, and nothing more.
    expect(listUploads(at.calls)).toEqual(["start", "put", "put", "put"]);
    await publishPrepared(answer.publishKey, at);
  });

  it.each([
    ["the answer to a part is lost", { do: "reset_after_accept" }],
    ["a part does not arrive", { do: "reset_before" }],
    ["the network is in trouble", { do: "status", status: 503, body: "x" }],
    ["a part arrived, and the answer is an error", { do: "status_after_accept", status: 500, body: "x" }],
    ["the answer makes no sense", scriptStatus(308, { range: "bytes=0-999999999999" })],
    ["the answer says that nothing was taken", scriptStatus(308)],
  ])("goes on when %s", async (_, what) => {
    const at = await connectNew();
    await faultCall(simulators, at, "upload.part", what);
    const { answer: first, saved } = await prepare(buildLarge(), at.context);
    expect(first).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(saved.map(received)).toEqual([0]);
    const { answer } = await prepare(buildLarge(), at.context, saved[0]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    expect(listUploads(at.calls).filter((call) => call === "start")).toHaveLength(1);
    await publishPrepared(answer.publishKey, at);
  });

  it("goes on where a part broke off on the network's side", async () => {
    const at = await connectNew("slow_");
    const { answer, saved } = await prepare(buildLarge(), at.context);
    expect(saved.map((publishKey) => received(publishKey) / CHUNK_BYTES)).toEqual([0, 0.5, 1, 1.5]);
    if (answer.is !== "prepared") throw new Error(answer.is);
    await publishPrepared(answer.publishKey, at);
  });

  it("begins anew only when the session is gone", async () => {
    const at = await connectNew();
    const { saved } = await prepare(buildLarge(), at.context);
    await faultCall(simulators, at, "upload.status", scriptStatus(410));
    const resumed = await prepare(buildLarge(), at.context, saved[1]);
    expect(resumed.saved.map(received)).toEqual([0, CHUNK_BYTES, 2 * CHUNK_BYTES]);
    if (resumed.answer.is !== "prepared") throw new Error(resumed.answer.is);
    await publishPrepared(resumed.answer.publishKey, at);
  });

  it("begins anew when the session goes in the middle", async () => {
    const at = await connectNew();
    await faultCall(simulators, at, "upload.part", scriptStatus(404, {}));
    const first = await prepare(buildLarge(), at.context);
    expect(first.answer).toMatchObject({ is: "retryable" });
    expect(first.saved).toMatchObject([{ step: "upload" }, { step: "start" }]);
    const { answer } = await prepare(buildLarge(), at.context, { step: "start" });
    if (answer.is !== "prepared") throw new Error(answer.is);
    await publishPrepared(answer.publishKey, at);
  });

  it.each([
    [{ do: "reset_before" }, { is: "retryable" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    [scriptStatus(308, { range: "bytes=5-9" }), { is: "retryable" }],
  ])("does not begin anew for an answer that says nothing of the session: %j", async (what, outcome) => {
    const at = await connectNew();
    const { saved } = await prepare(buildLarge(), at.context);
    await faultCall(simulators, at, "upload.status", what);
    expect((await prepare(buildLarge(), at.context, saved[1])).answer).toMatchObject(outcome);
    expect(listUploads(at.calls).filter((call) => call === "start")).toHaveLength(1);
  });

  it("at an address that has no parts goes out in one call, and its rest when some is there", async () => {
    const open: MediaFile["open"] = (range) =>
      range === undefined ? LARGE_FILE.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
    const whole = await connectNew();
    const publishKey = await prepareOnce(buildLarge({ open }), whole.context);
    expect(received(publishKey)).toBe(0);
    await publishPrepared(publishKey, whole, buildLarge({ open }));
    expect(listUploads(whole.calls)).toEqual(["start", "put", "put"]);

    const rest = await connectNew();
    const { saved } = await prepare(buildLarge(), rest.context);
    await publishPrepared(saved[1] ?? null, rest, buildLarge({ open }));
  });

  it("that cannot be read for now waits", async () => {
    const at = await connectNew();
    const open = () => Promise.reject(new MediaUnavailable("later", true));
    await expect(prepare(buildLarge({ open }), at.context)).rejects.toThrow("later");
  });
});
