// Uploads a large video in chunks. The simulator accepts videos only as a whole, so a server in this file answers the
// chunk calls as the lexicons describe, and passes the assembled video to the simulator.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulators, startSimulators } from "../../simulators/server.ts";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/media-file.ts";
import type { ConnectorContext, NetworkIO } from "../../src/networks/network.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { file, ledger, publication, signIn } from "./network-io.ts";

const CHUNK_BYTES = 20_000_000 / CHUNKS_DIVISOR;
const VIDEO = new Uint8Array(50_000_000 / CHUNKS_DIVISOR + 1).fill(7);
VIDEO.set(new TextEncoder().encode("\0\0\0 ftypisom"));
VIDEO.set([1, 2, 3], CHUNK_BYTES - 1);

let simulators: Simulators;
let service: Server;
let origin = "";
/** The calls of the chunk service in order, and the rejections for later calls. */
let calls: string[] = [];
let refusals: Record<string, { status: number; body: object }> = {};
const chunks = new Map<number, Buffer>();

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const buffers: Buffer[] = [];
  for await (const chunk of request) buffers.push(chunk);
  return Buffer.concat(buffers);
}

beforeAll(async () => {
  simulators = await startSimulators({ port: 0, chunksDivisor: CHUNKS_DIVISOR });
  service = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const name = pathname.split(".").at(-1) ?? "";
    const partNumber = searchParams.get("partNumber");
    const call = partNumber === null ? name : `${name} ${partNumber}`;
    calls.push(call);
    const body = await readBody(request);
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const rejection = refusals[call];
    delete refusals[call];
    if (rejection !== undefined) return answer(rejection.status, rejection.body);
    if (name === "startUpload") {
      const { sizeBytes }: { sizeBytes: number } = JSON.parse(body.toString());
      const partCount = Math.ceil(sizeBytes / CHUNK_BYTES);
      return answer(200, {
        jobId: "upload-1",
        partSizeBytes: CHUNK_BYTES,
        partCount,
        expiresAt: "2099-01-01T00:00:00Z",
      });
    }
    if (name === "uploadPart") {
      const expected = Math.min(CHUNK_BYTES, VIDEO.byteLength - (Number(partNumber) - 1) * CHUNK_BYTES);
      if (request.headers["content-length"] !== String(expected) || body.byteLength !== expected)
        return answer(400, { error: "PartSizeMismatch" });
      chunks.set(Number(partNumber), body);
      return answer(200, { partNumber: Number(partNumber), sizeBytes: expected });
    }
    const whole = Buffer.concat([1, 2, 3].map((number) => chunks.get(number) ?? Buffer.alloc(0)));
    const claims = Buffer.from(request.headers.authorization?.split(".")[1] ?? "", "base64url");
    const { iss }: { iss: string } = JSON.parse(claims.toString());
    const job = await fetch(`${simulators.url}/bluesky/xrpc/app.bsky.video.uploadVideo?did=${iss}`, {
      method: "POST",
      headers: { authorization: String(request.headers.authorization), "content-type": "video/mp4" },
      body: new Uint8Array(whole),
    });
    const jobStatus: { jobId: string } = await job.json();
    return answer(200, { completedJobId: jobStatus.jobId, jobStatus });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const address = service.address();
  origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(async () => {
  service.close();
  await simulators.close();
});
beforeEach(() => {
  calls = [];
  refusals = {};
  chunks.clear();
});

async function account(): Promise<{ handle: string; context: ConnectorContext<Json> }> {
  const { handle, context } = await signIn(simulators);
  const isChunkCall = /\.(startUpload|uploadPart|finishUpload)(\?|$)/;
  const fetch: NetworkIO["fetch"] = (url, init) => {
    const { pathname, search } = new URL(url);
    return isChunkCall.test(url)
      ? context.io.fetchPublic(`${origin}${pathname}${search}`, init)
      : context.io.fetch(url, init);
  };
  return { handle, context: { ...context, io: { ...context.io, fetch } } };
}
const video = (fields: Partial<MediaFile> = {}) => file(VIDEO, { contentType: "video/mp4", ...fields });

/**
 * Prepares until the post is prepared or rejected, each time from the last saved publish key. Returns every answer
 * except those of polling.
 */
async function prepareAll(media: MediaFile, context: ConnectorContext<Json>, savedKeys: Json[]) {
  const answers = [];
  for (let round = 0; round < 10; round++) {
    const publishKey = savedKeys.at(-1) ?? null;
    const answer = await bluesky.prepare(
      publication("large", { media: [media] }),
      context,
      publishKey,
      async (next) => {
        savedKeys.push(next);
      },
    );
    if (answer.is === "retryable" && answer.detail?.includes("being processed")) continue;
    answers.push(answer);
    if (answer.is !== "retryable") break;
  }
  return answers;
}

describe("the name of an uploaded video", () => {
  it.each([
    ["video/mp4", /^med_\d+\.mp4$/],
    ["video/quicktime", /^med_\d+\.mov$/],
    ["video/webm", /^med_\d+\.webm$/],
    ["video/mpeg", /^med_\d+$/],
  ])("has the extension of its type %s", async (contentType, name) => {
    const { context } = await signIn(simulators);
    const urls: string[] = [];
    const fetch: NetworkIO["fetch"] = (url, init) => {
      urls.push(url);
      return context.io.fetch(url, init);
    };
    const media = [file(new Uint8Array(1_000), { contentType })];
    await bluesky.prepare(
      publication("x", { media }),
      { ...context, io: { ...context.io, fetch } },
      null,
      async () => {},
    );
    const upload = urls.find((url) => url.includes("uploadVideo")) ?? "";
    expect(new URL(upload).searchParams.get("name")).toMatch(name);
  });
});

describe("a video over 50 MB", () => {
  it("is uploaded in chunks of known length, each a checkpoint, and is assembled again", async () => {
    const { handle, context } = await account();
    const saved: Json[] = [];
    const [prepared] = await prepareAll(video(), context, saved);
    if (prepared?.is !== "prepared") throw new Error(JSON.stringify(prepared));
    expect(calls).toEqual(["startUpload", "uploadPart 1", "uploadPart 2", "uploadPart 3", "finishUpload"]);
    expect(saved.map((publishKey) => (publishKey as { sent?: number }).sent)).toEqual([0, 1, 2, 3, undefined]);
    const outcome = await bluesky.publish(publication("large", { media: [video()] }), prepared.publishKey, context);
    expect(outcome).toMatchObject({ is: "live" });
    const sha256 = createHash("sha256").update(VIDEO).digest("hex");
    expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ bytes: VIDEO.byteLength, sha256 }] }]);
  });

  it.each([
    [50_000_000, false],
    [50_000_001, true],
  ])("of %i bytes is uploaded in chunks: %s", async (bytes, isChunked) => {
    const { context } = await account();
    refusals = { startUpload: { status: 503, body: {} } };
    const open: MediaFile["open"] = async () => new Blob([]).stream();
    const undividedContext = { ...context, io: { ...context.io, chunksDivisor: 1 } };
    const post = publication("large", { media: [video({ bytes, open })] });
    expect(await bluesky.prepare(post, undividedContext, null, async () => {})).toMatchObject({ is: "retryable" });
    expect(calls.includes("startUpload")).toBe(isChunked);
  });

  it("continues after the last chunk that arrived", async () => {
    const { context } = await account();
    refusals["uploadPart 2"] = { status: 503, body: { error: "ServiceOverloaded" } };
    const answers = await prepareAll(video(), context, []);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(calls).toEqual([
      "startUpload",
      "uploadPart 1",
      "uploadPart 2",
      "uploadPart 2",
      "uploadPart 3",
      "finishUpload",
    ]);
  });

  it("is uploaded again if the service has lost it", async () => {
    const { context } = await account();
    refusals["uploadPart 3"] = { status: 400, body: { error: "UploadExpired" } };
    const answers = await prepareAll(video(), context, []);
    expect(answers).toMatchObject([{ is: "retryable" }, { is: "prepared" }]);
    expect(calls.filter((call) => call === "startUpload")).toHaveLength(2);
  });

  it("only repeats the last step if the service was not ready for it", async () => {
    const { context } = await account();
    refusals.finishUpload = { status: 409, body: { error: "UploadNotReady" } };
    const answers = await prepareAll(video(), context, []);
    expect(answers).toMatchObject([{ is: "retryable", retryAt: expect.any(Number) }, { is: "prepared" }]);
    expect(calls.filter((call) => call.startsWith("uploadPart"))).toHaveLength(3);
  });

  it.each([
    [400, "VideoTooLong", { is: "rejected", error: "media_refused" }],
    [403, "UploadForbidden", { is: "rejected", error: "permission_missing" }],
    [400, "DailyLimitExceeded", { is: "retryable", error: "network_quota" }],
    [503, "ServiceOverloaded", { is: "retryable", error: "network_unavailable" }],
    [400, "InvalidToken", { is: "retryable", error: "network_unavailable" }],
  ])("cannot start its upload and ends, for %i %s, as %j", async (status, error, outcome) => {
    const { context } = await account();
    refusals.startUpload = { status, body: { error } };
    const answer = await bluesky.prepare(publication("no", { media: [video()] }), context, null, async () => {});
    expect(answer).toMatchObject(outcome);
    expect(calls).toEqual(["startUpload"]);
  });

  it("is uploaded as a whole if the service has no chunks, or the file cannot be read in chunks", async () => {
    const { handle, context } = await account();
    refusals.startUpload = { status: 501, body: { error: "MethodNotImplemented" } };
    expect(await prepareAll(video(), context, [])).toMatchObject([{ is: "prepared" }]);
    const whole = video();
    const open: MediaFile["open"] = (range) =>
      range === undefined ? whole.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
    expect(await prepareAll({ ...whole, open }, context, [])).toMatchObject([{ is: "prepared" }]);
    expect(calls).toEqual(["startUpload"]);
    expect(await ledger(simulators, handle)).toEqual([]);
  });
});
