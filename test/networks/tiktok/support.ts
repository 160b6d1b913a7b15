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
export async function connectChannel(prefix = "ada"): Promise<Channel> {
  const username = unique(`${prefix}_`);
  const connected = await tiktok.connect({ access_token: `act.${username}`, refresh_token: `rft.${username}` }, io());
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const channelIO = io();
  return { username, context: { credential: connected.credential, io: channelIO }, calls: channelIO.calls };
}

/** The same context `ms` later. */
export function later(context: ConnectorContext<Json>, ms: number): ConnectorContext<Json> {
  const now: NetworkIO["now"] = () => context.io.now() + ms;
  return { ...context, io: { ...context.io, now } };
}

/** The simulator's URL for a page of the network. */
export const toSimulatorUrl = ({ pathname, search }: URL) => `${simulators.url}/tiktok${pathname}${search}`;

/** Scripts the answer to a call of the account, or of any account. */
export const faultCall = (username: string | undefined, call: string, faultFields: object) =>
  fault(simulators, { platform: "tiktok", account: username, call, ...faultFields });

/** A scripted answer in the network's envelope. */
export const buildAnswer = (status: number, code: string, data: object = {}) => ({
  do: "status",
  status,
  body: { data, error: { code, message: code === "ok" ? "" : `about ${code}`, log_id: "L" } },
});

export const readPublished = (username: string) => ledger(simulators, username);
export const remove = (id: string) =>
  fetch(`${simulators.url}/_sim/posts/tiktok/${encodeURIComponent(id)}`, { method: "DELETE" });
export const expireToken = (username: string) =>
  fault(simulators, { platform: "tiktok", account: username, expire_token: true });

const PUBLIC = { privacy_level: "PUBLIC_TO_EVERYONE" };

/** A video in which every chunk has different bytes. */
export function video(bytes = 300_000, fields: Partial<MediaFile> = {}): MediaFile {
  const whole = new Uint8Array(bytes);
  for (let offset = 0; offset < bytes; offset += 4_096) whole[offset] = (offset / 4_096) % 251;
  whole.set(new TextEncoder().encode("\0\0\0 ftypisom"));
  return file(whole, { contentType: "video/mp4", ...fields });
}

/** A picture at a public URL. */
export function photo(position = 0, contentType = "image/jpeg"): Promise<MediaFile> {
  const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, position];
  const webp = [...new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8 "), position];
  const png = [0x89, 80, 78, 71, 13, 10, 26, 10, position];
  const bytes = { "image/jpeg": jpeg, "image/webp": webp, "image/png": png }[contentType] ?? jpeg;
  return hostFile(simulators, file(new Uint8Array(bytes), { contentType, position }));
}

export async function computeSums(files: MediaFile[]) {
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
  if (prepared.is !== "prepared") return { prepared, saved, publishOutcome: null, publishKey: null };
  return {
    prepared,
    saved,
    publishOutcome: await tiktok.publish(publication, prepared.publishKey, context),
    publishKey: prepared.publishKey,
  };
}

export async function reconcile(publishKey: Json, context: ConnectorContext<Json>) {
  return (await tiktok.reconcile?.(publishKey, context)) ?? expect.fail("the connector cannot ask");
}

/** Reconciles until the post is no longer being processed. */
export async function waitUntilProcessed(publishKey: Json, context: ConnectorContext<Json>) {
  let currentKey = publishKey;
  for (let i = 0; i < 10; i++) {
    const outcome = await reconcile(currentKey, context);
    if (outcome.is !== "processing") return outcome;
    currentKey = outcome.publishKey;
  }
  throw new Error("still being processed");
}

/** Publishes a post, and returns its entry and its final outcome. */
export async function publish(publication: Publication<Json>, { username, context }: Channel) {
  const { prepared, publishOutcome } = await publishOnce(publication, context);
  if (publishOutcome?.is !== "processing") throw new Error(JSON.stringify({ prepared, publishOutcome }));
  const live = await waitUntilProcessed(publishOutcome.publishKey, context);
  const entries = await readPublished(username);
  expect(entries).toHaveLength(1);
  return { live, publishKey: publishOutcome.publishKey, entry: entries[0] ?? expect.fail("nothing was published") };
}

/** The names of the calls, without their queries. */
export const listNames = (calls: Call[]) =>
  calls.map(({ url }) => new URL(url).pathname.replace(/^\/tiktok(\/v2)?\//, ""));
