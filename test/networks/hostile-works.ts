// Everything that a connector is asked for, as works that a hostile network can be let into, and what may not come of them.
import { expect } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaKind } from "../../src/domain/posts/platform-rule.ts";
import { mediaCounts } from "../../src/domain/posts/post-target.ts";
import type { ConnectorContext, Network, NetworkIO, Publication, Published } from "../../src/networks/network.ts";
import { accepted, begin, type Case, finish, postOf, ready } from "./harness.ts";
import { HIDDEN, type Way } from "./hostile-answers.ts";
import { unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

const DAY_MS = 86_400_000;
/** Codes and ids of our own, and clauses of ours. */
const TEXT_LENGTH_MAX = 2_100;

/** Everything in an outcome that is kept or shown. `networkMessage` is cleaned where it is kept. */
export function expectKeepable(outcome: unknown, now: number): void {
  const walk = (value: unknown, name: string): void => {
    if (typeof value === "string") {
      if (name === "networkMessage") return;
      expect(value, name).not.toMatch(HIDDEN);
      expect(value.isWellFormed(), name).toBe(true);
      expect(value.length, name).toBeLessThanOrEqual(TEXT_LENGTH_MAX);
      if (/url$/i.test(name)) expect(value, name).toMatch(/^https?:\/\//);
    } else if (typeof value === "number") {
      if (/(At|Before)$/.test(name)) {
        expect(value - now, name).toBeGreaterThan(-DAY_MS);
        expect(value - now, name).toBeLessThanOrEqual(DAY_MS + 3_600_000);
      }
    } else if (Array.isArray(value)) {
      expect(value.length, name).toBeLessThanOrEqual(2_000);
      for (const member of value) walk(member, name);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value))
        if (key !== "handle" && key !== "publishKey" && key !== "credential") walk(member, key);
    }
  };
  walk(outcome, "");
  const { publishKey, metrics = {} } = Object(outcome);
  expect(JSON.stringify(publishKey ?? null).length, "publishKey").toBeLessThanOrEqual(260_000);
  for (const [metric, value] of Object.entries(metrics))
    expect(Number.isSafeInteger(value) && Number(value) >= 0, `${metric} is ${String(value)}`).toBe(true);
}

/** What one kind of work is: made anew for each attack, as a call with the io it is to use. */
interface Work {
  name: string;
  /** How much later than now it is done. */
  laterMs?: number;
  run(io: NetworkIO): Promise<{ is: string }>;
  /** What may not come of it, however the answer looks. */
  judge(outcome: { is: string }, way: Way, position: number): Promise<void> | void;
}

const is = (outcome: { is: string }, ...wrong: string[]) => expect(wrong, outcome.is).not.toContain(outcome.is);

export interface Stage {
  at: Case;
  network: Network;
  kind: MediaKind;
  post(): Promise<Publication<Json>>;
  context(io: NetworkIO): ConnectorContext<Json>;
}

export async function stageOf(network: Network, kind: MediaKind): Promise<Stage> {
  const at = await begin(simulators, network);
  const { rule } = network;
  const takes = rule.post_types.find((type) => {
    const counts = mediaCounts({ rule, postType: type });
    return kind === "video" ? counts.videos > 0 && counts.min <= 1 : counts.min <= Math.max(1, rule.min_media);
  });
  const type = takes ?? rule.post_types[0] ?? "feed";
  return {
    at,
    network,
    kind,
    post: async () => {
      const least = await postOf(at, type, kind, kind === "video" ? 1 : rule.min_media);
      return least.text === "" ? least : { ...least, text: `${unique("attack ")} #crier & more` };
    },
    context: (io) => ({ ...at.context, io }),
  };
}

/**
 * Whether a network, or what stands before it, refuses in this way, so that a post is not out: 429 is nobody's word for what was done,
 * and a page with 403 is the wall before X (x/errors.ts), which refuses the repeat of a post besides.
 */
const refuses = ({ name }: Way, { network }: Stage): boolean =>
  name.startsWith("a wait of two years") || (network.rule.platform === "x" && name.startsWith("a page with 403"));

/** A post that is out. */
async function publishOne({ at, network, post }: Stage): Promise<{ post: Publication<Json>; out: Published<Json> }> {
  const made = await post();
  const handle = await ready(at, made);
  const live = await finish(at, await network.publish(made, handle, at.context), handle);
  return { post: made, out: { id: live.id, publishKey: live.publishKey ?? handle } };
}

const countOf = async (stage: Stage) => (await accepted(stage.at)).length;
const isDeleted = async (stage: Stage, id: string) =>
  (await accepted(stage.at)).find((entry) => entry.id === id)?.deleted ?? false;

export type Maker = (stage: Stage) => Promise<Omit<Work, "name">>;

/** Everything that a connector is asked for, by name; each makes what it needs anew. */
export const WORKS: Record<string, (network: Network) => Maker | null> = {
  refresh: ({ refresh, credential, rule }) =>
    refresh === undefined
      ? null
      : async ({ context }) => ({
          // Tokens that live for weeks are renewed when they are some days old.
          laterMs: 10 * DAY_MS,
          run: (io) => refresh(context(io)),
          judge(outcome, way) {
            // Only the network's own word ends a credential.
            const { error = "" } = Object(outcome);
            // TikTok refuses with 200, too (tiktok/auth.ts).
            const isOwnWord = rule.platform === "tiktok" && way.name.startsWith("a 200 that refuses a grant");
            if (error !== "token_expired" && !isOwnWord) is(outcome, "rejected");
            if (outcome.is !== "fresh") return;
            const fresh = credential.parse(Object(outcome).credential);
            for (const [name, value] of Object.entries(Object(fresh))) {
              if (/token|jwt/.test(name) && value !== null) expect(value, name).toMatch(/^[\x21-\x7e]{1,8000}$/);
              if (typeof value === "string") expect(value.length, name).toBeLessThanOrEqual(8_000);
              if (/_at$/.test(name) && value !== null)
                expect(() => new Date(Number(value)).toISOString()).not.toThrow();
            }
          },
        }),
  "look-ups": ({ lookUps }) =>
    lookUps === undefined
      ? null
      : async ({ context, at }) => ({
          run: async (io) => {
            let last: { is: string } = { is: "options" };
            for (const lookUp of Object.values(lookUps)) {
              const needs = Object(at.simulator.demo.options);
              const values = Object.fromEntries((lookUp.needs ?? []).map((name) => [name, String(needs[name])]));
              last = await lookUp.list(values, context(io));
              expectKeepable(last, io.now());
              for (const { value, label } of Object(last).options ?? []) {
                expect(value).not.toBe("");
                expect(label).not.toBe("");
              }
            }
            return last;
          },
          judge() {},
        }),
  prepare:
    ({ prepare }) =>
    async (stage) => {
      const post = await stage.post();
      const before = await countOf(stage);
      return {
        run: async (io) => {
          const answer = await prepare(post, stage.context(io), null, async (handle) =>
            expect(JSON.stringify(handle).length).toBeLessThanOrEqual(260_000),
          );
          return answer;
        },
        // The network's answer is for the file of a post: one that it cannot have given refuses nothing.
        judge: async () => expect(await countOf(stage)).toBe(before),
      };
    },
  publish:
    ({ publish }) =>
    async (stage) => {
      const post = await stage.post();
      const handle = await ready(stage.at, post);
      const before = await countOf(stage);
      return {
        run: (io) => publish(post, handle, stage.context(io)),
        judge: async (outcome, way) => {
          const isOut = (await countOf(stage)) > before;
          if (isOut && refuses(way, stage)) return;
          if (isOut) is(outcome, "retryable", "rejected", "unauthorized");
          else is(outcome, "live", "handed_over");
        },
      };
    },
  "reconcile of what is out": ({ reconcile }) =>
    reconcile === undefined
      ? null
      : async (stage) => {
          const post = await stage.post();
          const handle = await ready(stage.at, post);
          const sent = await stage.network.publish(post, handle, stage.at.context);
          const asked = sent.is === "processing" ? sent.publishKey : handle;
          return {
            run: (io) => reconcile(asked, stage.context(io)),
            judge: (outcome) => is(outcome, "void", "not_published", "rejected"),
          };
        },
  "reconcile of what is not out": ({ reconcile }) =>
    reconcile === undefined
      ? null
      : async (stage) => {
          const post = await stage.post();
          const handle = await ready(stage.at, post);
          return {
            run: (io) => reconcile(handle, stage.context(io)),
            judge: (outcome) => is(outcome, "live", "handed_over"),
          };
        },
  recheck:
    ({ verify }) =>
    async (stage) => {
      await publishOne(stage);
      const { post, out } = await publishOne(stage);
      const said = { text: post.text, files: post.media.length, options: Object(post.options) };
      return { run: (io) => verify(out, stage.context(io), said), judge: (outcome) => is(outcome, "gone") };
    },
  metrics: ({ readMetrics }) =>
    readMetrics === undefined
      ? null
      : async (stage) => {
          const { out } = await publishOne(stage);
          return { run: (io) => readMetrics(out, stage.context(io)), judge() {} };
        },
  "take-down": ({ takeDown }) =>
    takeDown === undefined
      ? null
      : async (stage) => {
          const { out } = await publishOne(stage);
          return {
            run: (io) => takeDown(out, stage.context(io)),
            judge: async (outcome, way) => {
              // Bluesky's answer may be an empty object: the commit in it is optional (com.atproto.repo.deleteRecord).
              const isOwnWord = stage.network.rule.platform === "bluesky" && way.name.startsWith("an empty object");
              if (!isOwnWord && !(await isDeleted(stage, out.id))) is(outcome, "taken_down", "missing");
            },
          };
        },
  comment: ({ firstComment }) =>
    firstComment === undefined
      ? null
      : async (stage) => {
          const { out } = await publishOne(stage);
          const text = unique("a comment ");
          let made: Json | null = null;
          const prepare = firstComment.prepare;
          for (let i = 0; prepare !== undefined && i < 5; i++) {
            const answer = await prepare(out, text, stage.at.context, made, async (handle) => {
              made = handle;
            });
            if (answer.is === "prepared") break;
          }
          return {
            run: (io) => firstComment.publish(out, text, made, stage.context(io)),
            judge: (outcome, way) => {
              if (way.asks && !refuses(way, stage)) is(outcome, "retryable", "rejected", "unauthorized");
              else is(outcome, "commented");
            },
          };
        },
  thumbnail: ({ additions }) => {
    const add = additions?.thumbnail_media?.add;
    if (add === undefined) return null;
    return async (stage) => {
      const { out, post } = await publishOne(stage);
      const file = (await postOf(stage.at, post.postType, "image", 1)).media[0] ?? expect.fail("no picture");
      return {
        run: (io) => add(out, { value: file.id, file }, stage.context(io)),
        judge: (outcome, way) => {
          if (!way.asks) is(outcome, "added");
        },
      };
    };
  },
};
