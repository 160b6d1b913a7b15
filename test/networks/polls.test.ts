// A poll on each network that has polls: how it goes out, how it is read again, and what the network refuses.
import { describe, expect, it } from "vitest";
import type { Alteration } from "../../src/domain/delivery/readback.ts";
import type { Json } from "../../src/domain/json.ts";
import { joinQuestion, type Poll } from "../../src/domain/posts/poll.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network, Publication } from "../../src/networks/network.ts";
import { prepareKey, readAccepted, startSession, waitUntilLive } from "./harness.ts";
import { publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const WITH_POLLS = networks.filter(({ rule }) => rule.poll !== undefined);
const QUESTION = "Which one shall we build?";
const POLL: Poll = { question: QUESTION, options: ["A loom", "An engine"], minutes: 1_440 };

const buildPost = ({ rule }: Network, text: string, fields: Partial<Publication<Json>> = {}): Publication<Json> => ({
  ...publication(joinQuestion(text, POLL, rule.poll), {}),
  poll: POLL,
  ...fields,
});

async function publish(network: Network, post: Publication<Json>) {
  const session = await startSession(simulators, network);
  const publishKey = await prepareKey(session, post);
  const outcome = await network.publish(post, publishKey, session.context);
  return { session, publishKey, outcome };
}

it("lists X, LinkedIn, Threads and Telegram as networks with polls", () => {
  expect(WITH_POLLS.map(({ rule }) => rule.platform)).toEqual(["x", "linkedin", "threads", "telegram"]);
});

describe.each(WITH_POLLS.map((network): [string, Network] => [network.rule.platform, network]))(
  "a poll on %s",
  (platform, network) => {
    it("goes out with its question, its options in order and its duration", async () => {
      const post = buildPost(network, "We are choosing.");
      const { session, publishKey, outcome } = await publish(network, post);
      const live = await waitUntilLive(session, outcome, publishKey);
      const [entry] = await readAccepted(session);
      const hasQuestion = network.rule.poll?.max_question !== 0;
      expect(entry).toMatchObject({
        text: hasQuestion ? "We are choosing." : `We are choosing.\n\n${QUESTION}`,
        detail: {
          poll: {
            question: hasQuestion ? QUESTION : null,
            options: POLL.options,
            minutes: platform === "threads" ? null : 1_440,
          },
        },
      });
      const accepted = { text: post.text, files: 0, options: {}, poll: POLL };
      const known = live.publishKey === undefined ? publishKey : live.publishKey;
      const found = await network.recheck({ id: live.id, publishKey: known }, session.context, accepted);
      expect(found).toMatchObject({ is: "there", altered: [] });
    });

    it("goes out without any other text", async () => {
      const post = buildPost(network, "");
      const { session, publishKey, outcome } = await publish(network, post);
      await waitUntilLive(session, outcome, publishKey);
      const [entry] = await readAccepted(session);
      expect([entry?.text, Object(entry?.detail.poll).question]).toEqual(
        network.rule.poll?.max_question === 0 ? [QUESTION, null] : ["", QUESTION],
      );
    });

    it("is refused by the network with an option that is too long", async () => {
      const post = buildPost(network, "x", { poll: { ...POLL, options: ["ok", "o".repeat(101)] } });
      const session = await startSession(simulators, network);
      const prepared = await network.prepare(post, session.context, null, async () => {});
      const outcome =
        prepared.is === "prepared" ? await network.publish(post, prepared.publishKey, session.context) : prepared;
      expect(outcome).toMatchObject({ is: "rejected", error: "content_refused" });
      expect(await readAccepted(session)).toEqual([]);
    });
  },
);

it.each(["x", "linkedin"])("finds out that %s shows a post without its poll", async (platform) => {
  const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail();
  const post = publication("no poll");
  const { session, publishKey, outcome } = await publish(network, post);
  if (outcome.is !== "live") return expect.fail(outcome.is);
  const accepted = { text: "no poll", files: 0, options: {}, poll: POLL };
  const altered: Alteration[] = ["poll"];
  expect(await network.recheck({ id: outcome.id, publishKey }, session.context, accepted)).toMatchObject({ altered });
});

it("reconciles a lost answer of LinkedIn by the poll, if two posts have the same text", async () => {
  const network = networks.find(({ rule }) => rule.platform === "linkedin") ?? expect.fail();
  const { session, publishKey } = await publish(network, buildPost(network, ""));
  const other = buildPost(network, "", { poll: { ...POLL, options: ["Tea", "Coffee"] } });
  await network.publish(other, await prepareKey(session, other), session.context);
  const [first] = await readAccepted(session);
  expect(await network.reconcile?.(publishKey, session.context)).toMatchObject({ is: "live", id: first?.id });
});

describe("a quiz on Telegram", () => {
  const telegram = networks.find(({ rule }) => rule.platform === "telegram") ?? expect.fail();

  it("names its correct option and explains it", async () => {
    const quiz = { correct: 1, explanation: "It computes." };
    const { session, outcome } = await publish(telegram, buildPost(telegram, "Guess", { options: { quiz } }));
    expect(outcome.is).toBe("live");
    expect(await readAccepted(session)).toMatchObject([
      { text: "Guess", detail: { poll: { correct_option_ids: [1], explanation: "It computes." } } },
    ]);
  });

  it.each([
    ["without a poll", { poll: undefined, options: { quiz: { correct: 0 } } }],
    ["whose correct option does not exist", { options: { quiz: { correct: 2 } } }],
  ])("is not sent %s", async (_, fields) => {
    const { context } = await startSession(simulators, telegram);
    const post = { ...publication("x"), poll: POLL, ...fields };
    expect(await telegram.prepare(JSON.parse(JSON.stringify(post)), context, null, async () => {})).toMatchObject({
      is: "rejected",
      error: "content_refused",
    });
  });
});
