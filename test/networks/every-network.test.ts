// What every registered network must do, against its simulator, whatever its class.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { mediaCounts } from "../../src/domain/leg.ts";
import type { Live, Outcome } from "../../src/domain/outcome.ts";
import type { MediaKind, PostType } from "../../src/domain/platform-rule.ts";
import { networks } from "../../src/networks/index.ts";
import type { MediaFile, Network, Publication, Work } from "../../src/networks/network.ts";
import { type Simulators, startSimulators } from "../simulators/server.ts";
import type { Simulator } from "../simulators/simulator.ts";
import { fault, file, hosted, ledger, makeWire, publication } from "./wire.ts";

let simulators: Simulators;
beforeAll(async () => {
  simulators = await startSimulators({ port: 0 });
});
afterAll(() => simulators.close());

const bytesOf = (name: string) => new Uint8Array(readFileSync(`${import.meta.dirname}/../local/${name}`));
const PICTURE = { bytes: bytesOf("demo.jpg"), contentType: "image/jpeg", width: 1_200, height: 900, seconds: null };
const VIDEO = { bytes: bytesOf("demo.mp4"), contentType: "video/mp4", width: 540, height: 960, seconds: 4 };

/** Values of options that only some post types need. */
const OPTION_VALUES: Record<string, Json> = {
  title: "A title",
  article: { source: "https://example.com/article", title: "An article" },
};

interface Case {
  network: Network;
  simulator: Simulator;
  work: Work<Json>;
  account: string;
}

async function begin(network: Network): Promise<Case> {
  const { platform } = network.rule;
  const simulator =
    simulators.all.find((one) => one.platform === platform) ?? expect.fail(`no simulator of ${platform}`);
  await fetch(`${simulators.url}/_sim/reset`, { method: "POST", body: JSON.stringify({ platform }) });
  const wire = makeWire(simulators, platform);
  const connected = await network.connect(simulator.demo.credentials, wire);
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  return { network, simulator, work: { credential: connected.credential, wire }, account: simulator.demo.handle };
}

async function media(kind: MediaKind, position: number, alt: string | null): Promise<MediaFile> {
  const { bytes, ...facts } = kind === "image" ? PICTURE : VIDEO;
  return hosted(simulators, file(bytes, { ...facts, position, alt }));
}

/** A post of a type with as many files as it needs, or `count`. */
async function postOf(
  { network, simulator }: Case,
  postType: PostType,
  kind: MediaKind,
  count: number,
): Promise<Publication<Json>> {
  const { rule } = network;
  const required = rule.per_type[postType]?.required_options ?? [];
  const ofType = Object.fromEntries(required.map((name) => [name, OPTION_VALUES[name] ?? null]));
  const options: Json = JSON.parse(JSON.stringify({ ...simulator.demo.options, ...ofType }));
  const alt = rule[kind]?.max_alt === undefined ? null : "what it shows";
  const files = await Promise.all(Array.from({ length: count }, (_, i) => media(kind, i, alt)));
  const text = rule.per_type[postType]?.text_limit === 0 ? "" : `Exactly this: 中 👩‍👩‍👧 #crier & more (${postType})`;
  return publication(text, { postType, media: files, options });
}

/** Makes a post ready, as often as the network says that it still works on it. */
async function ready({ network, work }: Case, post: Publication<Json>): Promise<Json> {
  let token: Json = null;
  for (let i = 0; i < 20; i++) {
    const answer = await network.stage(post, work, token, async (saved) => {
      token = saved;
    });
    if (answer.is === "staged") return answer.token;
    if (answer.is !== "busy" || answer.retryAt === undefined) return expect.fail(JSON.stringify(answer));
  }
  return expect.fail("it never was ready");
}

/** Follows an outcome until the network has finished. */
async function finish({ network, work }: Case, outcome: Outcome, token: Json): Promise<Live> {
  let at: { is: string } = outcome;
  let asked = token;
  for (let i = 0; i < 20 && (at.is === "processing" || at.is === "busy"); i++) {
    if (at.is === "processing") asked = (at as Extract<Outcome, { is: "processing" }>).token;
    at = (await network.resolve?.(asked, work)) ?? expect.fail("nobody can be asked");
  }
  return at.is === "live" ? (at as Live) : expect.fail(JSON.stringify(at));
}

/** The same account, with the network out of reach. */
function cutOff({ work }: Case): Work<Json> {
  const fetch = () => Promise.reject(new TypeError("unreachable"));
  return { ...work, wire: { ...work.wire, fetch, fetchPublic: fetch } };
}

/** What the network accepted. */
const accepted = async ({ network, account }: Case) =>
  (await ledger(simulators, account)).filter(({ platform }) => platform === network.rule.platform);

const callOf = ({ simulator }: Case, post: Publication<Json>): string => {
  const kind = post.media.length === 1 ? (post.media[0]?.kind === "video" ? "video" : "photo") : undefined;
  const { publishCalls } = simulator;
  return publishCalls[post.postType] ?? (kind && publishCalls[kind]) ?? publishCalls.default ?? expect.fail("no call");
};

const shapes = networks.flatMap((network) =>
  network.rule.post_types.flatMap((type) => {
    const { images, videos, min } = mediaCounts({ rule: network.rule, postType: type });
    const counts: [MediaKind, number][] = [
      ...(min === 0 ? [["image", 0] as [MediaKind, number]] : []),
      ...(images > 0 && min <= 1 ? [["image", 1] as [MediaKind, number]] : []),
      ...(images > 1 ? [["image", Math.max(2, min)] as [MediaKind, number]] : []),
      ...(videos > 0 && min <= 1 ? [["video", 1] as [MediaKind, number]] : []),
      ...(videos > 1 && min > 1 ? [["video", min] as [MediaKind, number]] : []),
    ];
    return counts.map(([kind, count]) => ({ platform: network.rule.platform, type, kind, count, network }));
  }),
);

describe.each(shapes)("$platform $type with $count $kind", ({ network, type, kind, count }) => {
  it("goes out once, exactly as written", async () => {
    const at = await begin(network);
    const post = await postOf(at, type, kind, count);
    const token = await ready(at, post);
    const live = await finish(at, await network.send(post, token, at.work), token);
    const [entry, ...others] = await accepted(at);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ platform: network.rule.platform, text: post.text });
    expect(entry?.id).toBe(live.id);
    const sums = (kind === "image" ? PICTURE : VIDEO).bytes;
    const sha256 = createHash("sha256").update(sums).digest("hex");
    const alt = network.rule[kind]?.max_alt === undefined ? null : "what it shows";
    expect(entry?.media.map((file) => ({ sha256: file.sha256, alt: file.alt }))).toEqual(
      Array.from({ length: count }, () => ({ sha256, alt })),
    );
    if (live.urlState === "none") expect(live.url).toMatch(/^https:\/\//);
  });
});

describe.each(networks.map((network) => ({ platform: network.rule.platform, network })))("$platform", ({ network }) => {
  const { rule } = network;
  const type = rule.post_types[0] ?? "feed";
  const kind: MediaKind = rule.image === null ? "video" : "image";
  const simplest = (at: Case) => postOf(at, type, kind, rule.min_media);

  it("finds out, or says that it cannot, what became of a post whose answer was lost", async () => {
    const at = await begin(network);
    const post = await simplest(at);
    const token = await ready(at, post);
    await fault(simulators, { platform: rule.platform, call: callOf(at, post), do: "reset_after_accept" });
    const outcome = await network.send(post, token, at.work);
    expect(outcome.is).toBe("unsure");
    const [entry, ...others] = await accepted(at);
    expect(others).toEqual([]);
    if (network.resolve === undefined) {
      expect(rule.delivery_guarantee).toBe("at_most_once");
      expect(network.resendAfterMs).toBeNull();
      return;
    }
    const resolution = await network.resolve(token, at.work);
    const live = resolution.is === "processing" ? await finish(at, resolution, token) : resolution;
    expect(live).toMatchObject({ is: "live", id: entry?.id });
  });

  it("never doubles a post that did not arrive at first", async () => {
    const at = await begin(network);
    const post = await simplest(at);
    const token = await ready(at, post);
    await fault(simulators, { platform: rule.platform, call: callOf(at, post), do: "reset_before" });
    expect((await network.send(post, token, at.work)).is).toBe("unsure");
    expect(await accepted(at)).toEqual([]);
    const resolution = await network.resolve?.(token, at.work);
    if (rule.delivery_guarantee === "exactly_once") {
      expect(resolution?.is).toBe("absent");
      expect(network.resendAfterMs).not.toBeNull();
      await finish(at, await network.send(post, token, at.work), token);
      expect(await accepted(at)).toHaveLength(1);
    } else {
      expect(["unsure", undefined]).toContain(resolution?.is);
      expect(network.resendAfterMs).toBeNull();
    }
  });

  it("is gone once its user removed it, and not because a look failed", async () => {
    const at = await begin(network);
    const post = await simplest(at);
    const token = await ready(at, post);
    const live = await finish(at, await network.send(post, token, at.work), token);
    const published = { id: live.id, token };
    expect((await network.look(published, at.work)).is).toBe("there");
    expect((await network.look(published, cutOff(at))).is).toBe("unknown");
    await fetch(`${simulators.url}/_sim/posts/${rule.platform}/${encodeURIComponent(live.id)}`, { method: "DELETE" });
    expect((await network.look(published, at.work)).is).toBe("gone");
  });

  it("measures what it says that it measures", async () => {
    if (network.measure === undefined) return;
    const at = await begin(network);
    const post = await simplest(at);
    const token = await ready(at, post);
    const live = await finish(at, await network.send(post, token, at.work), token);
    const measured = await network.measure({ id: live.id, token }, at.work);
    expect(measured.is).toBe("measured");
  });

  it("leaves a credential alone when its renewal has no answer", async () => {
    if (network.refresh === undefined) return;
    const at = await begin(network);
    const answer = await network.refresh(cutOff(at));
    expect(answer.is === "busy" || (answer.is === "refused" && answer.error === "token_expired")).toBe(true);
  });
});
