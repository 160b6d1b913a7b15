// Drives any registered network against its simulator: the least post of each type, made ready, sent and followed.
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
import { file, hosted, ledger, makeIO, publication } from "./network-io.ts";

const bytesOf = (name: string) => new Uint8Array(readFileSync(`${import.meta.dirname}/../../scripts/local/${name}`));
export const PICTURE = {
  bytes: bytesOf("demo.jpg"),
  contentType: "image/jpeg",
  width: 1_200,
  height: 900,
  seconds: null,
};
export const VIDEO = { bytes: bytesOf("demo.mp4"), contentType: "video/mp4", width: 540, height: 960, seconds: 5 };

/** Values of options that only some post types need. */
const OPTION_VALUES: Record<string, Json> = {
  title: "A title",
  article: { source: "https://example.com/article", title: "An article" },
};

export interface Case {
  simulators: Simulators;
  network: Network;
  simulator: Simulator;
  context: ConnectorContext<Json>;
  account: string;
}

/** A network with its demo account, and nothing published yet. */
export async function begin(simulators: Simulators, network: Network): Promise<Case> {
  const { platform } = network.rule;
  const simulator =
    simulators.all.find((one) => one.platform === platform) ?? expect.fail(`no simulator of ${platform}`);
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
  { simulators }: Pick<Case, "simulators">,
  kind: MediaKind,
  position: number,
  alt: string | null,
): Promise<MediaFile> {
  const { bytes, ...facts } = kind === "image" ? PICTURE : VIDEO;
  return hosted(simulators, file(bytes, { ...facts, position, alt }));
}

/** Whether the alt text of a file reaches the network. */
export const takesAlt = (rule: PlatformRule, postType: PostType, kind: MediaKind): boolean =>
  (fileRule({ rule, postType }, { kind, contentType: null })?.max_alt ?? 0) > 0;

/** A post of a type with as many files as it needs, or `count`. */
export async function postOf(at: Case, postType: PostType, kind: MediaKind, count: number): Promise<Publication<Json>> {
  const { network, simulator } = at;
  const { rule } = network;
  const required = rule.per_type[postType]?.required_options ?? [];
  const ofType = Object.fromEntries(required.map((name) => [name, OPTION_VALUES[name] ?? null]));
  const options: Json = JSON.parse(JSON.stringify({ ...simulator.demo.options, ...ofType }));
  const alt = takesAlt(rule, postType, kind) ? "what it shows" : null;
  const files = await Promise.all(Array.from({ length: count }, (_, i) => media(at, kind, i, alt)));
  const text = rule.per_type[postType]?.text_limit === 0 ? "" : `Exactly this: 中 👩‍👩‍👧 #crier & more (${postType})`;
  return publication(text, { postType, media: files, options });
}

/** What making a post ready ends in, tried again as often as the network says that it still works on it. */
async function prepare({ network, context }: Case, post: Publication<Json>): Promise<PrepareOutcome> {
  let publishKey: Json = null;
  for (let i = 0; i < 20; i++) {
    const answer = await network.prepare(post, context, publishKey, async (saved) => {
      publishKey = saved;
    });
    if (answer.is !== "retryable" || answer.retryAt === undefined) return answer;
  }
  return expect.fail("it never was ready");
}

/** Makes a post ready. */
export async function ready(at: Case, post: Publication<Json>): Promise<Json> {
  const answer = await prepare(at, post);
  return answer.is === "prepared" ? answer.publishKey : expect.fail(JSON.stringify(answer));
}

/** Makes a post ready and sends it; some networks refuse a post while it is made ready. */
export async function attempt(at: Case, post: Publication<Json>): Promise<Outcome> {
  const answer = await prepare(at, post);
  return answer.is === "prepared" ? at.network.publish(post, answer.publishKey, at.context) : answer;
}

/** Follows an outcome until the network has finished. */
export async function finish({ network, context }: Case, outcome: Outcome, publishKey: Json): Promise<Live> {
  let at: { is: string } = outcome;
  let asked = publishKey;
  for (let i = 0; i < 20 && (at.is === "processing" || at.is === "retryable"); i++) {
    if (at.is === "processing") asked = (at as Extract<Outcome, { is: "processing" }>).publishKey;
    at = (await network.reconcile?.(asked, context)) ?? expect.fail("nobody can be asked");
  }
  if (at.is !== "live") return expect.fail(JSON.stringify(at));
  return { ...(asked === publishKey ? {} : { publishKey: asked }), ...(at as Live) };
}

/** A post as the one who verifies it knows it. */
export const asAccepted = ({ text, media: files, options }: Publication<Json>): Accepted => ({
  text,
  files: files.length,
  options: Object.fromEntries(Object.entries(Object(options))),
});

/** The same account, with the network out of reach. */
export function cutOff({ context }: Case): ConnectorContext<Json> {
  const fetch = () => Promise.reject(new TypeError("unreachable"));
  return { ...context, io: { ...context.io, fetch, fetchPublic: fetch } };
}

/** The same account, at a network that answers every call with 429 and a wait, as whatever stands before an API does. */
export function limited({ context }: Case, seconds: number): ConnectorContext<Json> {
  const headers = { "retry-after": String(seconds) };
  const fetch = async () => new Response("Too many requests", { status: 429, headers });
  const now = context.io.now();
  return { ...context, io: { ...context.io, fetch, fetchPublic: fetch, now: () => now } };
}

/** What the network accepted. */
export const accepted = async ({ simulators, network, account }: Case) =>
  (await ledger(simulators, account)).filter(({ platform }) => platform === network.rule.platform);

export const callOf = ({ simulator }: Case, post: Publication<Json>): string => {
  const kind = post.media.length === 1 ? (post.media[0]?.kind === "video" ? "video" : "photo") : undefined;
  const { publishCalls } = simulator;
  return publishCalls[post.postType] ?? (kind && publishCalls[kind]) ?? publishCalls.default ?? expect.fail("no call");
};
