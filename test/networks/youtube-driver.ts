// A connected channel and its videos, for the tests of the YouTube connector.

import { expect } from "vitest";
import type { Simulators } from "../../simulators/server.ts";
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { type Call, fault, ledger, makeIO, mp4, publication, unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const MIB = 1024 * 1024;
export const OPTIONS = { title: "A title", made_for_kids: false };

export interface Channel {
  name: string;
  handle: string;
  context: ConnectorContext<Json>;
  calls: Call[];
}

export const connectWith = (simulators: Simulators, credentials: Json) =>
  youtube.connect(credentials, makeIO(simulators, "youtube"));

/** A new channel, connected by tokens that were handed over. */
export async function connectChannel(simulators: Simulators, prefix = "channel_"): Promise<Channel> {
  const name = unique(prefix);
  const connected = await connectWith(simulators, { access_token: `ya29.${name}`, refresh_token: `1//${name}` });
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const io = makeIO(simulators, "youtube");
  return { name, handle: `@${name}`, context: { credential: connected.credential, io }, calls: io.calls };
}

export const connectNew = (prefix?: string): Promise<Channel> => connectChannel(simulators, prefix);

export const faultCall = (simulators: Simulators, { handle }: { handle: string }, call: string, faultFields: object) =>
  fault(simulators, { platform: "youtube", account: handle, call, ...faultFields });

/** An error answer in the form of YouTube's API. */
export const rejection = (status: number, reason: string, fields: object = {}) => ({
  do: "status",
  status,
  body: { error: { code: status, message: "said so", errors: [{ domain: "youtube", reason, message: "said so" }] } },
  ...fields,
});

export const video = (text: string, fields: Partial<Publication<Json>> = {}): Publication<Json> =>
  publication(text, { media: [mp4(100_000)], options: OPTIONS, ...fields });

/** Prepares a video, starting at a publish key. Returns the answer and every saved key. */
export async function prepare(post: Publication<Json>, context: ConnectorContext<Json>, publishKey: Json = null) {
  const saved: Json[] = [];
  const answer = await youtube.prepare(post, context, publishKey, async (publishKey) => {
    saved.push(publishKey);
  });
  return { answer, saved };
}

export async function prepareOnce(post: Publication<Json>, context: ConnectorContext<Json>): Promise<Json> {
  const { answer } = await prepare(post, context);
  if (answer.is !== "prepared") throw new Error(`not prepared: ${JSON.stringify(answer)}`);
  return answer.publishKey;
}

/** Polls until the network has processed the video, without waiting between two polls. */
export async function waitUntilProcessed(outcome: { is: string; publishKey?: Json }, context: ConnectorContext<Json>) {
  let current = outcome;
  for (let i = 0; current.is === "processing" && i < 5; i++) {
    current = (await youtube.reconcile?.(current.publishKey ?? null, context)) ?? current;
  }
  return current;
}

/** The kinds of the upload calls: start or put. */
export const listUploads = (calls: Call[]) =>
  calls.filter(({ url }) => url.includes("/upload/")).map(({ url }) => (url.includes("upload_id") ? "put" : "start"));

/** Publishes a post, and expects it to be the only post of the network. */
export async function publish(post: ReturnType<typeof video>, { handle, context }: Channel) {
  const started = await youtube.publish(post, await prepareOnce(post, context), context);
  expect(started).toMatchObject({ is: "processing", askAt: expect.any(Number) });
  const outcome = await waitUntilProcessed(started, context);
  const entries = await ledger(simulators, handle);
  expect(entries).toHaveLength(1);
  const [entry] = entries;
  expect(outcome).toMatchObject({ is: "live", id: entry?.id, urlState: "none" });
  return { entry: entry ?? expect.fail("nothing was published"), outcome };
}
