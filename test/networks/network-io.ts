// Drives a connector over real HTTP against the simulators, without anything of Crier around it.
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
import { joined } from "../support/joined.ts";
import { record } from "./descriptions/recorder.ts";

export interface Call {
  url: string;
  body: string | null;
}

/**
 * A `NetworkIO` in Node; what a server names must lie on loopback. `calls` are all that were made, streams left out. Each is
 * held against the network's description when the test ends.
 */
export function makeIO(simulators: Simulators, platform: string): NetworkIO & { calls: Call[] } {
  const calls: Call[] = [];
  const root = `${simulators.url}/${platform}`;
  const go = (url: string, init: RequestInit = {}, host: string | null = null) => {
    calls.push({ url, body: typeof init.body === "string" ? init.body : null });
    const call = (made: RequestInit) => {
      const duplex = made.body instanceof ReadableStream ? { duplex: "half" } : {};
      return fetch(url, { ...made, ...duplex, redirect: "manual" });
    };
    if (!url.startsWith(`${root}/`)) return call(init);
    const { pathname, search } = new URL(`http://network${url.slice(root.length)}`);
    return record({ platform, host, pathname, search }, init, call);
  };
  return {
    calls,
    app: { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null },
    fetch(url, init) {
      // An address that the simulator itself named.
      if (url.startsWith(`${root}/`)) return go(url, init);
      const { host, pathname, search } = new URL(url);
      return go(`${root}${pathname}${search}`, init, host);
    },
    async fetchPublic(url, init) {
      if (new URL(url).hostname === "127.0.0.1") return go(url, init);
      throw new BlockedAddress("url_not_public");
    },
    partsDivisor: simulators.partsDivisor,
    now: Date.now,
    // Nothing sleeps: what a network needs time for is passed by the test.
    wait: () => Promise.resolve(),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sized: joined,
  };
}

let count = 0;
/** A name that no other test of the file uses. */
export const unique = (prefix: string) => `${prefix}${++count}`;

export const APP_PASSWORD = "abcd-efgh-ijkl-mnop";

/** A fresh account of Bluesky, signed in. */
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
export function file(bytes: Uint8Array<ArrayBuffer>, more: Partial<MediaFile> & { contentType: string }): MediaFile {
  return {
    id: unique("med_"),
    position: 0,
    kind: more.contentType.startsWith("video/") ? "video" : "image",
    bytes: bytes.byteLength,
    width: null,
    height: null,
    seconds: null,
    alt: null,
    url: "",
    open: async (range) =>
      new Blob([range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length)]).stream(),
    ...more,
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

/** What a video is filled with. */
const COUNTED = Uint8Array.from({ length: 251 * 256 }, (_, i) => i % 251);

export function mp4(bytes: number, more: Partial<MediaFile> = {}): MediaFile {
  const whole = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += COUNTED.length) whole.set(COUNTED.subarray(0, bytes - at), at);
  whole.set(new TextEncoder().encode("\0\0\0 ftypisom"));
  return file(whole, { contentType: "video/mp4", ...more });
}

/** How long a file is, and its SHA-256 in hexadecimal. */
export async function sumOf(of: MediaFile): Promise<{ bytes: number; sha256: string }> {
  const bytes = new Uint8Array(await new Response(await of.open()).arrayBuffer());
  return { bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") };
}
export const sha256 = async (of: MediaFile): Promise<string> => (await sumOf(of)).sha256;

/** The same file at a public address, from which networks can fetch it. */
export async function hosted(simulators: Simulators, of: MediaFile): Promise<MediaFile> {
  const url = `https://media.crier.test/${of.id}`;
  const answer = await fetch(`${simulators.url}/_sim/files?url=${encodeURIComponent(url)}`, {
    method: "PUT",
    headers: { "content-type": of.contentType },
    body: await new Response(await of.open()).arrayBuffer(),
  });
  if (answer.status !== 204) throw new Error(await answer.text());
  return { ...of, url };
}

/** The same file, but it cannot be opened. */
export function gone(of: MediaFile, retry: boolean): MediaFile {
  return { ...of, open: () => Promise.reject(new MediaUnavailable(`file ${of.position + 1} cannot be read`, retry)) };
}

export const publication = (text: string, more: Partial<Publication<Json>> = {}): Publication<Json> => ({
  text,
  media: [],
  postType: "feed",
  options: {},
  ...more,
});

/** The token of a post that is ready to be sent. */
export async function prepared(
  network: Network,
  post: Publication<Json>,
  context: ConnectorContext<Json>,
): Promise<Json> {
  const answer = await network.prepare(post, context, null, async () => {});
  if (answer.is !== "prepared") throw new Error(`not prepared: ${JSON.stringify(answer)}`);
  return answer.publishKey;
}
