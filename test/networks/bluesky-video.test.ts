// A large video in parts. The simulator takes videos whole, so the part calls are answered here, as the lexicons say,
// and what was assembled is handed to the simulator.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulators, startSimulators } from "../../simulators/server.ts";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/media-file.ts";
import type { ConnectorContext, NetworkIO } from "../../src/networks/network.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { file, ledger, publication, signIn } from "./network-io.ts";

const PART_BYTES = 20_000_000 / PARTS_DIVISOR;
const VIDEO = new Uint8Array(50_000_000 / PARTS_DIVISOR + 1).fill(7);
VIDEO.set(new TextEncoder().encode("\0\0\0 ftypisom"));
VIDEO.set([1, 2, 3], PART_BYTES - 1);

let simulators: Simulators;
let service: Server;
let origin = "";
/** Calls of the part service, in order, and what the next of them are answered with instead. */
let calls: string[] = [];
let refusals: Record<string, { status: number; body: object }> = {};
const parts = new Map<number, Buffer>();

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

beforeAll(async () => {
  simulators = await startSimulators({ port: 0, partsDivisor: PARTS_DIVISOR });
  service = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const name = pathname.split(".").at(-1) ?? "";
    const part = searchParams.get("partNumber");
    const call = part === null ? name : `${name} ${part}`;
    calls.push(call);
    const body = await read(request);
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const rejection = refusals[call];
    delete refusals[call];
    if (rejection !== undefined) return answer(rejection.status, rejection.body);
    if (name === "startUpload") {
      const { sizeBytes }: { sizeBytes: number } = JSON.parse(body.toString());
      const partCount = Math.ceil(sizeBytes / PART_BYTES);
      return answer(200, {
        jobId: "upload-1",
        partSizeBytes: PART_BYTES,
        partCount,
        expiresAt: "2099-01-01T00:00:00Z",
      });
    }
    if (name === "uploadPart") {
      const expected = Math.min(PART_BYTES, VIDEO.byteLength - (Number(part) - 1) * PART_BYTES);
      if (request.headers["content-length"] !== String(expected) || body.byteLength !== expected)
        return answer(400, { error: "PartSizeMismatch" });
      parts.set(Number(part), body);
      return answer(200, { partNumber: Number(part), sizeBytes: expected });
    }
    const whole = Buffer.concat([1, 2, 3].map((number) => parts.get(number) ?? Buffer.alloc(0)));
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
  await new Promise<void>((settle) => service.listen(0, "127.0.0.1", settle));
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
  parts.clear();
});

async function account(): Promise<{ handle: string; context: ConnectorContext<Json> }> {
  const { handle, context } = await signIn(simulators);
  const inParts = /\.(startUpload|uploadPart|finishUpload)(\?|$)/;
  const fetch: NetworkIO["fetch"] = (url, init) => {
    const { pathname, search } = new URL(url);
    return inParts.test(url)
      ? context.io.fetchPublic(`${origin}${pathname}${search}`, init)
      : context.io.fetch(url, init);
  };
  return { handle, context: { ...context, io: { ...context.io, fetch } } };
}
const video = (more: Partial<MediaFile> = {}) => file(VIDEO, { contentType: "video/mp4", ...more });

/** Prepares until it is ready or refused, going on with what was saved last; returns every answer but the polls. */
async function prepareAll(media: MediaFile, context: ConnectorContext<Json>, saved: Json[]) {
  const answers = [];
  for (let round = 0; round < 10; round++) {
    const publishKey = saved.at(-1) ?? null;
    const answer = await bluesky.prepare(
      publication("large", { media: [media] }),
      context,
      publishKey,
      async (next) => {
        saved.push(next);
      },
    );
    if (answer.is === "retryable" && answer.detail?.includes("being processed")) continue;
    answers.push(answer);
    if (answer.is !== "retryable") break;
  }
  return answers;
}

describe("the name of a video", () => {
  it.each([
    ["video/mp4", /^med_\d+\.mp4$/],
    ["video/quicktime", /^med_\d+\.mov$/],
    ["video/webm", /^med_\d+\.webm$/],
    ["video/mpeg", /^med_\d+$/],
  ])("ends as its type %s does", async (contentType, name) => {
    const { context } = await signIn(simulators);
    const made: string[] = [];
    const fetch: NetworkIO["fetch"] = (url, init) => {
      made.push(url);
      return context.io.fetch(url, init);
    };
    const media = [file(new Uint8Array(1_000), { contentType })];
    await bluesky.prepare(
      publication("x", { media }),
      { ...context, io: { ...context.io, fetch } },
      null,
      async () => {},
    );
    const upload = made.find((url) => url.includes("uploadVideo")) ?? "";
    expect(new URL(upload).searchParams.get("name")).toMatch(name);
  });
});

describe("a video over 50 MB", () => {
  it("goes up in parts of known length, each a checkpoint, and comes together again", async () => {
    const { handle, context } = await account();
    const saved: Json[] = [];
    const [prepared] = await prepareAll(video(), context, saved);
    if (prepared?.is !== "prepared") throw new Error(JSON.stringify(prepared));
    expect(calls).toEqual(["startUpload", "uploadPart 1", "uploadPart 2", "uploadPart 3", "finishUpload"]);
    expect(saved.map((publishKey) => (publishKey as { sent?: number }).sent)).toEqual([0, 1, 2, 3, undefined]);
    const sent = await bluesky.publish(publication("large", { media: [video()] }), prepared.publishKey, context);
    expect(sent).toMatchObject({ is: "live" });
    const sha256 = createHash("sha256").update(VIDEO).digest("hex");
    expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ bytes: VIDEO.byteLength, sha256 }] }]);
  });

  it.each([
    [50_000_000, false],
    [50_000_001, true],
  ])("of %i bytes goes up in parts: %s", async (bytes, inParts) => {
    const { context } = await account();
    refusals = { startUpload: { status: 503, body: {} } };
    const open: MediaFile["open"] = async () => new Blob([]).stream();
    const usual = { ...context, io: { ...context.io, partsDivisor: 1 } };
    const post = publication("large", { media: [video({ bytes, open })] });
    expect(await bluesky.prepare(post, usual, null, async () => {})).toMatchObject({ is: "retryable" });
    expect(calls.includes("startUpload")).toBe(inParts);
  });

  it("goes on after the last part that arrived", async () => {
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

  it("is uploaded anew when the service has lost it", async () => {
    const { context } = await account();
    refusals["uploadPart 3"] = { status: 400, body: { error: "UploadExpired" } };
    const answers = await prepareAll(video(), context, []);
    expect(answers).toMatchObject([{ is: "retryable" }, { is: "prepared" }]);
    expect(calls.filter((call) => call === "startUpload")).toHaveLength(2);
  });

  it("is only closed again when the service was not ready to close it", async () => {
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
  ])("that the service will not start is, for %i %s, %j", async (status, error, outcome) => {
    const { context } = await account();
    refusals.startUpload = { status, body: { error } };
    const answer = await bluesky.prepare(publication("no", { media: [video()] }), context, null, async () => {});
    expect(answer).toMatchObject(outcome);
    expect(calls).toEqual(["startUpload"]);
  });

  it("goes up whole where the service has no parts, or the file cannot be read in parts", async () => {
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
