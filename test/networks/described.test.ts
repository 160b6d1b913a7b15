// The descriptions that every call of the networks' suite is held against (descriptions/recorder.ts): that they say where they
// are from, and that what departs from them is seen.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Simulators, startSimulators } from "../../simulators/server.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { ROOT } from "../support/documents/markdown.ts";
import { compare, type Exchange } from "./descriptions/compare.ts";
import { readFacts, sourcesNamed } from "./descriptions/facts.ts";
import { DESCRIBED, descriptionOf, PACKAGES } from "./descriptions/index.ts";
import { edgeOf } from "./descriptions/meta-sdk.ts";
import { type Description, matches } from "./descriptions/operation.ts";
import { recordedExchanges } from "./descriptions/recorder.ts";
import { formsOf } from "./descriptions/schema.ts";
import { begin, finish, postOf, ready } from "./harness.ts";

const described = (platform: string): Description =>
  descriptionOf(platform) ?? expect.fail(`${platform} is not described`);

it("every network is described", () => {
  expect(networks.map(({ rule }) => rule.platform).sort()).toEqual([...DESCRIBED].sort());
});

it.each(Object.entries(PACKAGES))(
  "%s is held against the version of its package whose day is told",
  (_, { name, version }) => {
    expect(JSON.parse(readFileSync(`${ROOT}/node_modules/${name}/package.json`, "utf8")).version).toBe(version);
  },
);

it.each(DESCRIBED)("each fact about %s that no package says names a page and the day it was read", (platform) => {
  const facts = readFacts(platform);
  const named = new Set(sourcesNamed(facts));
  expect([...named].filter((name) => !(name in facts.sources))).toEqual([]);
});

it.each(["facebook", "instagram"])("Meta's SDK makes the calls that are said of %s", (platform) => {
  const made = readFacts(platform).calls.flatMap(({ call, sdk }) => (sdk === undefined ? [] : [{ call, sdk }]));
  expect(made.length).toBeGreaterThan(4);
  expect(made.filter(({ call, sdk }) => !call.endsWith(edgeOf(sdk)))).toEqual([]);
});

describe.each(networks.map((network): [string, Network] => [network.rule.platform, network]))(
  "of %s",
  (platform, network) => {
    let simulators: Simulators;
    let exchanges: Exchange[] = [];
    beforeAll(async () => {
      simulators = await startSimulators({ port: 0 });
      const at = await begin(simulators, network);
      const [type = "feed"] = network.rule.post_types;
      const post = await postOf(at, type, network.rule.image === null ? "video" : "image", 1);
      const publishKey = await ready(at, post);
      await finish(at, await network.publish(post, publishKey, at.context), publishKey);
      exchanges = structuredClone([...recordedExchanges()]);
    });
    afterAll(() => simulators.close());

    /** Those of these exchanges that can be changed so, and whose change nobody saw. */
    const unseen = (change: (exchange: Exchange) => Exchange | null): [number, Exchange[]] => {
      const changed = exchanges.flatMap((exchange) => change(structuredClone(exchange)) ?? []);
      return [changed.length, changed.filter((one) => compare(one, described(platform)).length === 0)];
    };
    const isSeen = (change: (exchange: Exchange) => Exchange | null) => {
      const [count, missed] = unseen(change);
      expect(count).toBeGreaterThan(0);
      expect(missed.map(({ method, pathname }) => `${method} ${pathname}`)).toEqual([]);
    };

    it("a post goes out as described", () => {
      expect(exchanges.length).toBeGreaterThan(1);
      expect(exchanges.flatMap((one) => compare(one, described(platform)))).toEqual([]);
    });
    it("another path is seen", () => isSeen((one) => ({ ...one, pathname: `${one.pathname}s/of` })));
    it("another method is seen", () => isSeen((one) => ({ ...one, method: "PATCH" })));
    it("a parameter that is not described is seen", () =>
      isSeen((one) => (one.status < 300 ? { ...one, query: [...one.query, ["invented", "1"]] } : null)));
    it("a field of a body that is not described, or missing, or of another type is seen", () => {
      // Files of Telegram have any name; a number is text in a form.
      isSeen((one) => withBody(one, (body) => ({ ...body, invented: 1 })));
      isSeen((one) => {
        const must = requiredOf(one, described(platform));
        return must === undefined ? null : withBody(one, ({ [must]: _gone, ...rest }) => rest);
      });
    });
    it("an answer with a field that is not described, or of another type is seen", () => {
      isSeen((one) => withAnswer(one, (answer) => ({ ...answer, invented: 1 })));
      isSeen((one) =>
        withAnswer(one, (answer) =>
          Object.fromEntries(Object.keys(answer).map((key) => [key, ["of", { another: "type" }]])),
        ),
      );
    });
    it("a field that is read and not described is seen", () =>
      isSeen((one) => (isObject(parsed(one.answer)) ? { ...one, reads: [["invented"]] } : null)));
    it("a word that is not listed is seen", () => {
      const words = listedWords(described(platform));
      const instead = (_key: string, value: unknown) =>
        typeof value === "string" && words.has(value) ? "INVENTED" : value;
      const change = (value: unknown) => JSON.parse(JSON.stringify(value), instead);
      isSeen((one) => {
        if (one.status > 299) return null;
        const query = one.query.map(([name, value]): [string, string] => [
          name,
          value
            .split(",")
            .map((word) => instead("", word))
            .join(","),
        ]);
        const answer = parsed(one.answer) === undefined ? one.answer : JSON.stringify(change(parsed(one.answer)));
        const sent = one.sent.value === undefined ? one.sent : { ...one.sent, value: change(one.sent.value) };
        const changed = { ...one, query, sent, answer };
        return JSON.stringify(changed).includes("INVENTED") ? changed : null;
      });
    });
    it("another status is seen", () => isSeen((one) => (one.status < 300 ? { ...one, status: 299 } : null)));
  },
);

/** Words that a description lists, anywhere in a call. */
function listedWords(description: Description): Set<string> {
  const words = new Set<string>();
  const all = JSON.stringify([description.operations, description.defs]);
  JSON.parse(all, (key, value) => {
    if (key === "enum") for (const word of value) if (typeof word === "string") words.add(word);
    return value;
  });
  return words;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withAnswer(one: Exchange, change: (answer: Record<string, unknown>) => unknown): Exchange | null {
  const answer = parsed(one.answer);
  if (!isObject(answer) || one.status > 299) return null;
  return { ...one, answer: JSON.stringify(change(answer)) };
}

/** Only of calls that were taken: of others the network says what is wrong with them. */
function withBody(one: Exchange, change: (body: Record<string, unknown>) => Record<string, unknown>): Exchange | null {
  const { as, value } = one.sent;
  if (one.status > 299 || (as !== "json" && as !== "form")) return null;
  if (as === "json") return isObject(value) ? { ...one, sent: { as, value: change(value) } } : null;
  const fields = Object.fromEntries(Array.isArray(value) ? value : []);
  return { ...one, sent: { as, value: Object.entries(change(fields)) } };
}

/** A field without which no form of the call is as described. */
function requiredOf(one: Exchange, { operations, defs }: Description): string | undefined {
  const forms = operations
    .filter((operation) => operation.method === one.method && matches(operation, one))
    .flatMap(({ body }) => formsOf(body, defs));
  const [first, ...others] = forms;
  return first?.required?.find((name) => others.every(({ required }) => required?.includes(name) === true));
}
