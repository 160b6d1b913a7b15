// What the tests of YouTube's connector have in common: a channel that is connected, and a video for it.

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

/** A fresh channel, connected by tokens that were handed over. */
export async function channel(simulators: Simulators, prefix = "channel_"): Promise<Channel> {
  const name = unique(prefix);
  const connected = await connectWith(simulators, { access_token: `ya29.${name}`, refresh_token: `1//${name}` });
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const io = makeIO(simulators, "youtube");
  return { name, handle: `@${name}`, context: { credential: connected.credential, io }, calls: io.calls };
}

export const fresh = (prefix?: string): Promise<Channel> => channel(simulators, prefix);

export const onCall = (simulators: Simulators, { handle }: { handle: string }, call: string, what: object) =>
  fault(simulators, { platform: "youtube", account: handle, call, ...what });

/** An answer in the API's own form. */
export const rejection = (status: number, reason: string, more: object = {}) => ({
  do: "status",
  status,
  body: { error: { code: status, message: "said so", errors: [{ domain: "youtube", reason, message: "said so" }] } },
  ...more,
});

export const video = (text: string, more: Partial<Publication<Json>> = {}): Publication<Json> =>
  publication(text, { media: [mp4(100_000)], options: OPTIONS, ...more });

/** Prepares a video from a token on, and keeps every token that became durable. */
export async function prepare(post: Publication<Json>, context: ConnectorContext<Json>, publishKey: Json = null) {
  const saved: Json[] = [];
  const answer = await youtube.prepare(post, context, publishKey, async (publishKey) => {
    saved.push(publishKey);
  });
  return { answer, saved };
}

export async function prepared(post: Publication<Json>, context: ConnectorContext<Json>): Promise<Json> {
  const { answer } = await prepare(post, context);
  if (answer.is !== "prepared") throw new Error(`not prepared: ${JSON.stringify(answer)}`);
  return answer.publishKey;
}

/** Asks until the network has processed what it took; the time between two questions is not waited for. */
export async function processed(outcome: { is: string; publishKey?: Json }, context: ConnectorContext<Json>) {
  let now = outcome;
  for (let looks = 0; now.is === "processing" && looks < 5; looks++) {
    now = (await youtube.reconcile?.(now.publishKey ?? null, context)) ?? now;
  }
  return now;
}

/** The parts of the calls' addresses that say what was asked. */
export const uploads = (calls: Call[]) =>
  calls.filter(({ url }) => url.includes("/upload/")).map(({ url }) => (url.includes("upload_id") ? "put" : "start"));

/** Publishes the one post that the network then has. */
export async function publish(post: ReturnType<typeof video>, { handle, context }: Channel) {
  const sent = await youtube.publish(post, await prepared(post, context), context);
  expect(sent).toMatchObject({ is: "processing", askAt: expect.any(Number) });
  const outcome = await processed(sent, context);
  const entries = await ledger(simulators, handle);
  expect(entries).toHaveLength(1);
  const [entry] = entries;
  expect(outcome).toMatchObject({ is: "live", id: entry?.id, urlState: "none" });
  return { entry: entry ?? expect.fail("nothing was published"), outcome };
}
