// Every kind of work that a connector does, as a task that a hostile network can attack, and the results that it must
// not have.
import { expect } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaKind } from "../../src/domain/posts/platform-rule.ts";
import { mediaCounts } from "../../src/domain/posts/post-target.ts";
import type { ConnectorContext, Network, NetworkIO, Publication, Published } from "../../src/networks/network.ts";
import { buildPost, prepareKey, readAccepted, type Session, startSession, waitUntilLive } from "./harness.ts";
import { HIDDEN, type HostileAnswer } from "./hostile-answers.ts";
import { unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

const DAY_MS = 86_400_000;
/** The limit covers our own codes, ids and sentences. */
const TEXT_LENGTH_MAX = 2_100;

/** Checks every value of an outcome that is kept or shown. `networkMessage` is cleaned when it is stored. */
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

/** One kind of work: created for each attack, as a function of the `NetworkIO` that it uses. */
interface Work {
  name: string;
  /** How much later than now the work is done. */
  laterMs?: number;
  run(io: NetworkIO): Promise<{ is: string }>;
  /** Checks that the outcome claims nothing false, whatever the answer looks like. */
  judge(outcome: { is: string }, hostileAnswer: HostileAnswer, position: number): Promise<void> | void;
}

const expectNot = (outcome: { is: string }, ...forbidden: string[]) =>
  expect(forbidden, outcome.is).not.toContain(outcome.is);

export interface Stage {
  session: Session;
  network: Network;
  kind: MediaKind;
  post(): Promise<Publication<Json>>;
  context(io: NetworkIO): ConnectorContext<Json>;
}

export async function createStage(network: Network, kind: MediaKind): Promise<Stage> {
  const session = await startSession(simulators, network);
  const { rule } = network;
  const takes = rule.post_types.find((type) => {
    const counts = mediaCounts({ rule, postType: type });
    return kind === "video" ? counts.videos > 0 && counts.min <= 1 : counts.min <= Math.max(1, rule.min_media);
  });
  const type = takes ?? rule.post_types[0] ?? "feed";
  return {
    session,
    network,
    kind,
    post: async () => {
      const least = await buildPost(session, type, kind, kind === "video" ? 1 : rule.min_media);
      return least.text === "" ? least : { ...least, text: `${unique("attack ")} #crier & more` };
    },
    context: (io) => ({ ...session.context, io }),
  };
}

/**
 * Whether a network, or a proxy in front of it, refuses with this answer, so that the post counts as not published. A
 * 429 is not the network's statement about a call that was carried out. A page with 403 is the wall in front of X
 * (x/errors.ts), which would also reject a repeated post.
 */
const refuses = ({ name }: HostileAnswer, { network }: Stage): boolean =>
  name.startsWith("a wait of two years") || (network.rule.platform === "x" && name.startsWith("a page with 403"));

/** Publishes a post. */
async function publishOne({
  session,
  network,
  post,
}: Stage): Promise<{ post: Publication<Json>; out: Published<Json> }> {
  const newPost = await post();
  const preparedKey = await prepareKey(session, newPost);
  const live = await waitUntilLive(session, await network.publish(newPost, preparedKey, session.context), preparedKey);
  return { post: newPost, out: { id: live.id, publishKey: live.publishKey ?? preparedKey } };
}

const countAccepted = async (stage: Stage) => (await readAccepted(stage.session)).length;
const isDeleted = async (stage: Stage, id: string) =>
  (await readAccepted(stage.session)).find((entry) => entry.id === id)?.deleted ?? false;

export type Maker = (stage: Stage) => Promise<Omit<Work, "name">>;

/** Every kind of work of a connector, by name. Each creates the state that it needs. */
export const WORKS: Record<string, (network: Network) => Maker | null> = {
  refresh: ({ refresh, credential, rule }) =>
    refresh === undefined
      ? null
      : async ({ context }) => ({
          // Tokens that live for weeks are renewed when they are some days old.
          laterMs: 10 * DAY_MS,
          run: (io) => refresh(context(io)),
          judge(outcome, hostileAnswer) {
            // Only the network itself can end a credential.
            const { error = "" } = Object(outcome);
            // TikTok also refuses with 200 (tiktok/auth.ts).
            const isOwnWord = rule.platform === "tiktok" && hostileAnswer.name.startsWith("a 200 that refuses a grant");
            if (error !== "token_expired" && !isOwnWord) expectNot(outcome, "rejected");
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
      : async ({ context, session }) => ({
          run: async (io) => {
            let last: { is: string } = { is: "options" };
            for (const lookUp of Object.values(lookUps)) {
              const needs = Object(session.simulator.demo.options);
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
      const before = await countAccepted(stage);
      return {
        run: async (io) => {
          const answer = await prepare(post, stage.context(io), null, async (preparedKey) =>
            expect(JSON.stringify(preparedKey).length).toBeLessThanOrEqual(260_000),
          );
          return answer;
        },
        // An answer that the network cannot have given must not count as a rejection of the file.
        judge: async () => expect(await countAccepted(stage)).toBe(before),
      };
    },
  publish:
    ({ publish }) =>
    async (stage) => {
      const post = await stage.post();
      const preparedKey = await prepareKey(stage.session, post);
      const before = await countAccepted(stage);
      return {
        run: (io) => publish(post, preparedKey, stage.context(io)),
        judge: async (outcome, hostileAnswer) => {
          const isPublished = (await countAccepted(stage)) > before;
          if (isPublished && refuses(hostileAnswer, stage)) return;
          if (isPublished) expectNot(outcome, "retryable", "rejected", "unauthorized");
          else expectNot(outcome, "live", "handed_over");
        },
      };
    },
  "reconcile a published post": ({ reconcile }) =>
    reconcile === undefined
      ? null
      : async (stage) => {
          const post = await stage.post();
          const preparedKey = await prepareKey(stage.session, post);
          const outcome = await stage.network.publish(post, preparedKey, stage.session.context);
          const publishKey = outcome.is === "processing" ? outcome.publishKey : preparedKey;
          return {
            run: (io) => reconcile(publishKey, stage.context(io)),
            judge: (outcome) => expectNot(outcome, "void", "not_published", "rejected"),
          };
        },
  "reconcile an unpublished post": ({ reconcile }) =>
    reconcile === undefined
      ? null
      : async (stage) => {
          const post = await stage.post();
          const preparedKey = await prepareKey(stage.session, post);
          return {
            run: (io) => reconcile(preparedKey, stage.context(io)),
            judge: (outcome) => expectNot(outcome, "live", "handed_over"),
          };
        },
  recheck:
    ({ recheck }) =>
    async (stage) => {
      await publishOne(stage);
      const { post, out } = await publishOne(stage);
      const acceptedPost = { text: post.text, files: post.media.length, options: Object(post.options) };
      return {
        run: (io) => recheck(out, stage.context(io), acceptedPost),
        judge: (outcome) => expectNot(outcome, "gone"),
      };
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
            judge: async (outcome, hostileAnswer) => {
              // Bluesky's answer may be an empty object, because the commit in it is optional
              // (com.atproto.repo.deleteRecord).
              const isOwnWord =
                stage.network.rule.platform === "bluesky" && hostileAnswer.name.startsWith("an empty object");
              if (!isOwnWord && !(await isDeleted(stage, out.id))) expectNot(outcome, "taken_down", "missing");
            },
          };
        },
  edit: ({ editText }) =>
    editText === undefined
      ? null
      : async (stage) => {
          const { post, out } = await publishOne(stage);
          const edit = { text: unique("an edit "), files: post.media.length, options: post.options };
          return {
            run: (io) => editText(out, edit, stage.context(io)),
            judge: async (outcome) => {
              const entry = (await readAccepted(stage.session)).find(({ id }) => id === out.id);
              if (entry?.text !== edit.text) expectNot(outcome, "edited");
            },
          };
        },
  comment: ({ firstComment }) =>
    firstComment === undefined
      ? null
      : async (stage) => {
          const { out } = await publishOne(stage);
          const text = unique("a comment ");
          let publishKey: Json | null = null;
          const prepare = firstComment.prepare;
          for (let i = 0; prepare !== undefined && i < 5; i++) {
            const answer = await prepare(out, text, stage.session.context, publishKey, async (preparedKey) => {
              publishKey = preparedKey;
            });
            if (answer.is === "prepared") break;
          }
          return {
            run: (io) => firstComment.publish(out, text, publishKey, stage.context(io)),
            judge: (outcome, hostileAnswer) => {
              if (hostileAnswer.asks && !refuses(hostileAnswer, stage))
                expectNot(outcome, "retryable", "rejected", "unauthorized");
              else expectNot(outcome, "commented");
            },
          };
        },
  thumbnail: ({ additions }) => {
    const add = additions?.thumbnail_media?.add;
    if (add === undefined) return null;
    return async (stage) => {
      const { out, post } = await publishOne(stage);
      const file = (await buildPost(stage.session, post.postType, "image", 1)).media[0] ?? expect.fail("no picture");
      return {
        run: (io) => add(out, { value: file.id, file }, stage.context(io)),
        judge: (outcome, hostileAnswer) => {
          if (!hostileAnswer.asks) expectNot(outcome, "added");
        },
      };
    };
  },
};
