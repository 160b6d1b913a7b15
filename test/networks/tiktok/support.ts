// Accounts, files and answers of TikTok for the tests of its connector.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../../src/domain/json.ts";
import type { MediaFile } from "../../../src/networks/media-file.ts";
import type { ConnectorContext, NetworkIO, Publication } from "../../../src/networks/network.ts";
import { tiktok } from "../../../src/networks/tiktok/index.ts";
import { type Call, fault, file, hostFile, ledger, makeIO, publication, unique } from "../network-io.ts";
import { simulators } from "../simulators.ts";

export const io = () => makeIO(simulators, "tiktok");

export interface Channel {
  username: string;
  context: ConnectorContext<Json>;
  calls: Call[];
}
export async function channel(prefix = "ada"): Promise<Channel> {
  const username = unique(`${prefix}_`);
  const connected = await tiktok.connect({ access_token: `act.${username}`, refresh_token: `rft.${username}` }, io());
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const own = io();
  return { username, context: { credential: connected.credential, io: own }, calls: own.calls };
}

/** The same work `ms` later. */
export function later(context: ConnectorContext<Json>, ms: number): ConnectorContext<Json> {
  const now: NetworkIO["now"] = () => context.io.now() + ms;
  return { ...context, io: { ...context.io, now } };
}

/** Where the simulator answers for a page of the network. */
export const address = ({ pathname, search }: URL) => `${simulators.url}/tiktok${pathname}${search}`;

/** Scripts what a call of the account, or of any, meets. */
export const onCall = (username: string | undefined, call: string, what: object) =>
  fault(simulators, { platform: "tiktok", account: username, call, ...what });

/** A scripted answer in the network's envelope. */
export const says = (status: number, code: string, data: object = {}) => ({
  do: "status",
  status,
  body: { data, error: { code, message: code === "ok" ? "" : `about ${code}`, log_id: "L" } },
});

export const published = (username: string) => ledger(simulators, username);
export const remove = (id: string) =>
  fetch(`${simulators.url}/_sim/posts/tiktok/${encodeURIComponent(id)}`, { method: "DELETE" });
export const expireToken = (username: string) =>
  fault(simulators, { platform: "tiktok", account: username, expire_token: true });

const PUBLIC = { privacy_level: "PUBLIC_TO_EVERYONE" };

/** A video whose every chunk differs. */
export function video(bytes = 300_000, more: Partial<MediaFile> = {}): MediaFile {
  const whole = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 4_096) whole[at] = (at / 4_096) % 251;
  whole.set(new TextEncoder().encode("\0\0\0 ftypisom"));
  return file(whole, { contentType: "video/mp4", ...more });
}

/** A picture at an address. */
export function photo(position = 0, contentType = "image/jpeg"): Promise<MediaFile> {
  const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, position];
  const webp = [...new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8 "), position];
  const png = [0x89, 80, 78, 71, 13, 10, 26, 10, position];
  const bytes = { "image/jpeg": jpeg, "image/webp": webp, "image/png": png }[contentType] ?? jpeg;
  return hostFile(simulators, file(new Uint8Array(bytes), { contentType, position }));
}

export async function sums(files: MediaFile[]) {
  return Promise.all(
    files.map(async (file) => {
      const bytes = Buffer.from(await new Response(await file.open()).arrayBuffer());
      return { bytes: file.bytes, sha256: createHash("sha256").update(bytes).digest("hex"), alt: null };
    }),
  );
}

export const post = (text: string, media: MediaFile[], options: object = {}): Publication<Json> =>
  publication(text, { media, options: { ...PUBLIC, ...options } });

/** Prepares and publishes once. */
export async function publishOnce(publication: Publication<Json>, context: ConnectorContext<Json>) {
  const saved: Json[] = [];
  const prepared = await tiktok.prepare(publication, context, null, async (publishKey) => {
    saved.push(publishKey);
  });
  if (prepared.is !== "prepared") return { prepared, saved, sent: null, publishKey: null };
  return {
    prepared,
    saved,
    sent: await tiktok.publish(publication, prepared.publishKey, context),
    publishKey: prepared.publishKey,
  };
}

export async function reconcile(publishKey: Json, context: ConnectorContext<Json>) {
  return (await tiktok.reconcile?.(publishKey, context)) ?? expect.fail("the connector cannot ask");
}

/** Asks until there is an end. */
export async function settled(publishKey: Json, context: ConnectorContext<Json>) {
  let at = publishKey;
  for (let i = 0; i < 10; i++) {
    const found = await reconcile(at, context);
    if (found.is !== "processing") return found;
    at = found.publishKey;
  }
  throw new Error("still being processed");
}

/** Publishes and returns the end of it. */
export async function publish(publication: Publication<Json>, { username, context }: Channel) {
  const { prepared, sent } = await publishOnce(publication, context);
  if (sent?.is !== "processing") throw new Error(JSON.stringify({ prepared, sent }));
  const live = await settled(sent.publishKey, context);
  const entries = await published(username);
  expect(entries).toHaveLength(1);
  return { live, publishKey: sent.publishKey, entry: entries[0] ?? expect.fail("nothing was published") };
}

/** Names of the calls that were made, without query. */
export const names = (calls: Call[]) => calls.map(({ url }) => new URL(url).pathname.replace(/^\/tiktok(\/v2)?\//, ""));
