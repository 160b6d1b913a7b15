// Runs a connector over real HTTP with the simulators, without any other part of Crier.
import { createHash } from "node:crypto";
import { makeJpeg } from "../../scripts/local/jpeg.ts";
import { makePng } from "../../scripts/local/png.ts";
import type { LedgerEntry } from "../../simulators/ledger.ts";
import type { Simulators } from "../../simulators/server.ts";
import { BlockedAddress } from "../../src/domain/blocked-address.ts";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/media-file.ts";
import type { ConnectorContext, Network, NetworkIO, Publication } from "../../src/networks/network.ts";
import { joinPieces } from "../support/joined.ts";
import { record } from "./descriptions/recorder.ts";

export interface Call {
  url: string;
  body: string | null;
}

/**
 * A `NetworkIO` in Node. Addresses named by a server must be on loopback. `calls` lists all calls, without streamed
 * bodies. Each call is compared with the network's description when the test ends.
 */
export function makeIO(simulators: Simulators, platform: string): NetworkIO & { calls: Call[] } {
  const calls: Call[] = [];
  const root = `${simulators.url}/${platform}`;
  const go = (url: string, init: RequestInit = {}, host: string | null = null) => {
    calls.push({ url, body: typeof init.body === "string" ? init.body : null });
    const call = (request: RequestInit) => {
      const duplex = request.body instanceof ReadableStream ? { duplex: "half" } : {};
      return fetch(url, { ...request, ...duplex, redirect: "manual" });
    };
    if (!url.startsWith(`${root}/`)) return call(init);
    const { pathname, search } = new URL(`http://network${url.slice(root.length)}`);
    return record({ platform, host, pathname, search }, init, call);
  };
  return {
    calls,
    app: { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null },
    fetch(url, init) {
      // The simulator itself named this address.
      if (url.startsWith(`${root}/`)) return go(url, init);
      const { host, pathname, search } = new URL(url);
      return go(`${root}${pathname}${search}`, init, host);
    },
    async fetchPublic(url, init) {
      if (new URL(url).hostname === "127.0.0.1") return go(url, init);
      throw new BlockedAddress("url_not_public");
    },
    chunksDivisor: simulators.chunksDivisor,
    now: Date.now,
    // No test sleeps: tests move the clock past the network's processing time.
    wait: () => Promise.resolve(),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sized: joinPieces,
  };
}

let count = 0;
/** A name that no other test of the file uses. */
export const unique = (prefix: string) => `${prefix}${++count}`;

export const APP_PASSWORD = "abcd-efgh-ijkl-mnop";

/** A new Bluesky account, signed in. */
export async function signIn(simulators: Simulators): Promise<{ handle: string; context: ConnectorContext<Json> }> {
  const handle = `${unique("user")}.bsky.social`;
  const io = makeIO(simulators, "bluesky");
  const connected = await bluesky.connect({ identifier: handle, app_password: APP_PASSWORD }, io);
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  return { handle, context: { credential: connected.credential, io } };
}

export async function fault(simulators: Simulators, ...faults: object[]): Promise<void> {
  const answer = await fetch(`${simulators.url}/_sim/faults`, { method: "POST", body: JSON.stringify(faults) });
  if (answer.status !== 201) throw new Error(await answer.text());
}

export async function ledger(simulators: Simulators, account: string): Promise<LedgerEntry[]> {
  const answer = await fetch(`${simulators.url}/_sim/ledger?account=${encodeURIComponent(account)}`);
  const { ledger }: { ledger: LedgerEntry[] } = await answer.json();
  return ledger;
}

/** A file of a post with the given bytes. */
export function file(bytes: Uint8Array<ArrayBuffer>, fields: Partial<MediaFile> & { contentType: string }): MediaFile {
  return {
    id: unique("med_"),
    position: 0,
    kind: fields.contentType.startsWith("video/") ? "video" : "image",
    bytes: bytes.byteLength,
    width: null,
    height: null,
    seconds: null,
    alt: null,
    url: "",
    open: async (range) =>
      new Blob([range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length)]).stream(),
    ...fields,
  };
}

export function png(position = 0, alt: string | null = null): MediaFile {
  const [width, height] = [40 + position, 30];
  const bytes = new Uint8Array(makePng(width, height, 40 * position));
  return file(bytes, { contentType: "image/png", position, width, height, alt });
}

export function jpeg(position = 0, alt: string | null = null): MediaFile {
  const [width, height] = [80 + position, 80];
  return file(makeJpeg(width, height, position), { contentType: "image/jpeg", position, width, height, alt });
}

/** The bytes that fill a video. */
const PATTERN = Uint8Array.from({ length: 251 * 256 }, (_, i) => i % 251);

export function mp4(bytes: number, fields: Partial<MediaFile> = {}): MediaFile {
  const whole = new Uint8Array(bytes);
  for (let offset = 0; offset < bytes; offset += PATTERN.length) whole.set(PATTERN.subarray(0, bytes - offset), offset);
  whole.set(new TextEncoder().encode("\0\0\0 ftypisom"));
  return file(whole, { contentType: "video/mp4", ...fields });
}

/** The length of a file, and its SHA-256 in hexadecimal. */
export async function computeSum(media: MediaFile): Promise<{ bytes: number; sha256: string }> {
  const bytes = new Uint8Array(await new Response(await media.open()).arrayBuffer());
  return { bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") };
}
export const sha256 = async (media: MediaFile): Promise<string> => (await computeSum(media)).sha256;

/** The same file at a public URL from which networks can fetch it. */
export async function hostFile(simulators: Simulators, media: MediaFile): Promise<MediaFile> {
  const url = `https://media.crier.test/${media.id}`;
  const answer = await fetch(`${simulators.url}/_sim/files?url=${encodeURIComponent(url)}`, {
    method: "PUT",
    headers: { "content-type": media.contentType },
    body: await new Response(await media.open()).arrayBuffer(),
  });
  if (answer.status !== 204) throw new Error(await answer.text());
  return { ...media, url };
}

/** The same file, which cannot be opened. */
export function makeUnreadable(media: MediaFile, retry: boolean): MediaFile {
  return {
    ...media,
    open: () => Promise.reject(new MediaUnavailable(`file ${media.position + 1} cannot be read`, retry)),
  };
}

export const publication = (text: string, fields: Partial<Publication<Json>> = {}): Publication<Json> => ({
  text,
  media: [],
  postType: "feed",
  options: {},
  ...fields,
});

/** Prepares a post in one step, and returns its publish key. */
export async function prepareOnce(
  network: Network,
  post: Publication<Json>,
  context: ConnectorContext<Json>,
): Promise<Json> {
  const answer = await network.prepare(post, context, null, async () => {});
  if (answer.is !== "prepared") throw new Error(`not prepared: ${JSON.stringify(answer)}`);
  return answer.publishKey;
}
