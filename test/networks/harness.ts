// Runs any registered network with its simulator: builds the smallest post of each type, prepares it, publishes it and
// reconciles it.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Simulators } from "../../simulators/server.ts";
import type { Simulator } from "../../simulators/simulator.ts";
import type { Live, Outcome, PrepareOutcome } from "../../src/domain/delivery/outcome.ts";
import type { Accepted } from "../../src/domain/delivery/readback.ts";
import type { Json } from "../../src/domain/json.ts";
import type { MediaKind, PlatformRule, PostType } from "../../src/domain/posts/platform-rule.ts";
import { fileRule } from "../../src/domain/posts/post-target.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { ConnectorContext, Network, Publication } from "../../src/networks/network.ts";
import { file, hostFile, ledger, makeIO, publication } from "./network-io.ts";

const readBytes = (name: string) => new Uint8Array(readFileSync(`${import.meta.dirname}/../../scripts/local/${name}`));
export const PICTURE = {
  bytes: readBytes("demo.jpg"),
  contentType: "image/jpeg",
  width: 1_200,
  height: 900,
  seconds: null,
};
export const VIDEO = { bytes: readBytes("demo.mp4"), contentType: "video/mp4", width: 540, height: 960, seconds: 5 };

/** Values of the options that only some post types need. */
const OPTION_VALUES: Record<string, Json> = {
  title: "A title",
  article: { source: "https://example.com/article", title: "An article" },
};

export interface Session {
  simulators: Simulators;
  network: Network;
  simulator: Simulator;
  context: ConnectorContext<Json>;
  account: string;
}

/** Connects the network's demo account, with nothing published yet. */
export async function startSession(simulators: Simulators, network: Network): Promise<Session> {
  const { platform } = network.rule;
  const simulator =
    simulators.all.find((candidate) => candidate.platform === platform) ?? expect.fail(`no simulator of ${platform}`);
  await fetch(`${simulators.url}/_sim/reset`, { method: "POST", body: JSON.stringify({ platform }) });
  const io = makeIO(simulators, platform);
  const connected = await network.connect(simulator.demo.credentials, io);
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  return {
    simulators,
    network,
    simulator,
    context: { credential: connected.credential, io },
    account: simulator.demo.handle,
  };
}

export async function media(
  { simulators }: Pick<Session, "simulators">,
  kind: MediaKind,
  position: number,
  alt: string | null,
): Promise<MediaFile> {
  const { bytes, ...facts } = kind === "image" ? PICTURE : VIDEO;
  return hostFile(simulators, file(bytes, { ...facts, position, alt }));
}

/** Whether the alt text of a file reaches the network. */
export const takesAlt = (rule: PlatformRule, postType: PostType, kind: MediaKind): boolean =>
  (fileRule({ rule, postType }, { kind, contentType: null })?.max_alt ?? 0) > 0;

/** Builds a post of a type with `count` files. */
export async function buildPost(
  session: Session,
  postType: PostType,
  kind: MediaKind,
  count: number,
): Promise<Publication<Json>> {
  const { network, simulator } = session;
  const { rule } = network;
  const required = rule.per_type[postType]?.required_options ?? [];
  const requiredOptions = Object.fromEntries(required.map((name) => [name, OPTION_VALUES[name] ?? null]));
  const options: Json = JSON.parse(JSON.stringify({ ...simulator.demo.options, ...requiredOptions }));
  const alt = takesAlt(rule, postType, kind) ? "what it shows" : null;
  const files = await Promise.all(Array.from({ length: count }, (_, i) => media(session, kind, i, alt)));
  const text = rule.per_type[postType]?.text_limit === 0 ? "" : `Exactly this: 中 👩‍👩‍👧 #crier & more (${postType})`;
  return publication(text, { postType, media: files, options });
}

/** Prepares a post, and tries again as long as the network is still processing it. Returns the last outcome. */
async function prepareUntilDone({ network, context }: Session, post: Publication<Json>): Promise<PrepareOutcome> {
  let publishKey: Json = null;
  for (let i = 0; i < 20; i++) {
    const answer = await network.prepare(post, context, publishKey, async (saved) => {
      publishKey = saved;
    });
    if (answer.is !== "retryable" || answer.retryAt === undefined) return answer;
  }
  return expect.fail("it never was ready");
}

/** Prepares a post, and returns its publish key. */
export async function prepareKey(session: Session, post: Publication<Json>): Promise<Json> {
  const answer = await prepareUntilDone(session, post);
  return answer.is === "prepared" ? answer.publishKey : expect.fail(JSON.stringify(answer));
}

/** Prepares a post and publishes it. Some networks reject a post while it is prepared. */
export async function attempt(session: Session, post: Publication<Json>): Promise<Outcome> {
  const answer = await prepareUntilDone(session, post);
  return answer.is === "prepared" ? session.network.publish(post, answer.publishKey, session.context) : answer;
}

/** Reconciles an outcome until the post is live. */
export async function waitUntilLive({ network, context }: Session, outcome: Outcome, publishKey: Json): Promise<Live> {
  let current: { is: string } = outcome;
  let currentKey = publishKey;
  for (let i = 0; i < 20 && (current.is === "processing" || current.is === "retryable"); i++) {
    if (current.is === "processing") currentKey = (current as Extract<Outcome, { is: "processing" }>).publishKey;
    current = (await network.reconcile?.(currentKey, context)) ?? expect.fail("nobody can be asked");
  }
  if (current.is !== "live") return expect.fail(JSON.stringify(current));
  return { ...(currentKey === publishKey ? {} : { publishKey: currentKey }), ...(current as Live) };
}

/** The accepted post in the form that `recheck` compares with. */
export const toAccepted = ({ text, media: files, options }: Publication<Json>): Accepted => ({
  text,
  files: files.length,
  options: Object.fromEntries(Object.entries(Object(options))),
});

/** The same account with an unreachable network. */
export function disconnect({ context }: Session): ConnectorContext<Json> {
  const fetch = () => Promise.reject(new TypeError("unreachable"));
  return { ...context, io: { ...context.io, fetch, fetchPublic: fetch } };
}

/** The same account at a network that answers every call with 429 and a wait, as a proxy in front of an API does. */
export function rateLimit({ context }: Session, seconds: number): ConnectorContext<Json> {
  const headers = { "retry-after": String(seconds) };
  const fetch = async () => new Response("Too many requests", { status: 429, headers });
  const now = context.io.now();
  return { ...context, io: { ...context.io, fetch, fetchPublic: fetch, now: () => now } };
}

/** The posts that the network has accepted. */
export const readAccepted = async ({ simulators, network, account }: Session) =>
  (await ledger(simulators, account)).filter(({ platform }) => platform === network.rule.platform);

export const getPublishCall = ({ simulator }: Session, post: Publication<Json>): string => {
  const kind = post.media.length === 1 ? (post.media[0]?.kind === "video" ? "video" : "photo") : undefined;
  const { publishCalls } = simulator;
  return publishCalls[post.postType] ?? (kind && publishCalls[kind]) ?? publishCalls.default ?? expect.fail("no call");
};
