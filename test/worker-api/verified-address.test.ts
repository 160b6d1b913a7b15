// A file that is given by its address and verified is checked like an uploaded one, and few of its bytes are read.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { DEPLOYED, testEnv } from "../support/env.ts";
import { jpeg, mp4 } from "../support/media-files.ts";
import { stubInternet } from "../support/stubbed-internet.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";

afterEach(() => vi.unstubAllGlobals());

const URL_OF_FILE = "https://cdn.example.net/file";

/** Puts one file on the internet. Returns the ranges that were requested. */
function hostFile(file: Uint8Array<ArrayBuffer>, type: string, { hasRanges = true, status = 0 } = {}): string[] {
  const ranges: string[] = [];
  stubInternet(async (input, init) => {
    const url = new URL(input);
    if (url.hostname === "cloudflare-dns.com") {
      const isA = url.searchParams.get("type") === "A";
      return Response.json({ Answer: isA ? [{ name: url.hostname, type: 1, data: "93.184.215.14" }] : [] });
    }
    const range = new Headers(init?.headers).get("range") ?? "";
    ranges.push(range);
    if (status !== 0) return new Response(null, { status });
    if (!hasRanges) return new Response(file, { headers: { "content-type": type } });
    const [from = 0, to = 0] = range.replace("bytes=", "").split("-").map(Number);
    const slice = file.slice(from, to + 1);
    const headers = {
      "content-type": type,
      "content-range": `bytes ${from}-${from + slice.length - 1}/${file.length}`,
    };
    return new Response(slice, { status: 206, headers });
  });
  return ranges;
}

async function register(account: Account, kind: string) {
  const request = new Request<unknown, IncomingRequestCfProperties>("http://crier.test/v1/media", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${account.key}` },
    body: JSON.stringify({ url: URL_OF_FILE, kind, verify: true }),
  });
  const execution = createExecutionContext();
  const response = await worker.fetch(request, { ...testEnv, ...DEPLOYED, BASE_URL: "https://crier.test" }, execution);
  await waitOnExecutionContext(execution);
  const body: Record<string, unknown> = await response.json();
  return { status: response.status, body };
}

it("an image is identified by its own bytes, whatever its host calls it", async () => {
  const account = await signUp();
  const file = jpeg(640, 480);
  const ranges = hostFile(file, "application/octet-stream");
  expect(await register(account, "image")).toMatchObject({
    status: 201,
    body: { content_type: "image/jpeg", bytes: file.length, width: 640, height: 480, seconds: null },
  });
  expect(ranges).toEqual(["bytes=0-262143"]);
});

it("a video is identified by its headers, also at its end, and most of it is never read", async () => {
  const account = await signUp();
  const file = mp4({ width: 1_280, height: 720, seconds: 12 }, { first: false, bytes: 2_000_000 });
  const ranges = hostFile(file, "video/mp4");
  expect(await register(account, "video")).toMatchObject({
    status: 201,
    body: { content_type: "video/mp4", bytes: file.length, width: 1_280, height: 720, seconds: 12 },
  });
  expect(ranges.length).toBeLessThanOrEqual(9);
  const read = ranges.map((range) => range.replace("bytes=", "").split("-").map(Number));
  expect(read.reduce((sum, [from = 0, to = 0]) => sum + to - from + 1, 0)).toBeLessThan(1_000_000);
});

it("a file whose host does not serve ranges is known as far as its beginning shows", async () => {
  const account = await signUp();
  hostFile(mp4({ width: 1_280, height: 720, seconds: 12 }, { first: false, bytes: 2_000_000 }), "video/mp4", {
    hasRanges: false,
  });
  expect(await register(account, "video")).toMatchObject({
    status: 201,
    body: { content_type: "video/mp4", width: null, seconds: null },
  });
});

it("a file of the other kind is refused, and so is an expired address", async () => {
  const account = await signUp();
  hostFile(jpeg(640, 480), "video/mp4");
  expect(await register(account, "video")).toMatchObject({
    status: 422,
    body: { error: "content_type_not_allowed", field: "/kind" },
  });
  hostFile(jpeg(640, 480), "image/jpeg", { status: 403 });
  expect(await register(account, "image")).toMatchObject({ status: 422, body: { error: "url_expired" } });
});

it("a dry run refuses a file that the delivery would refuse", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  hostFile(jpeg(2_100, 100), "image/jpeg");
  const { body } = await register(account, "image");
  vi.unstubAllGlobals();
  const answer = await call("POST", "/v1/posts", {
    token: account.key,
    body: { media: [body.id], channels: [channel.id], dry_run: true },
  });
  expect(answer).toMatchObject({ status: 422, body: { error: "media_dimensions_not_allowed", field: "/media/0" } });
});
