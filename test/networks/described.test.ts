// Checks the descriptions that the calls of this suite are compared with (descriptions/recorder.ts): they name their
// sources, and a deviation is noticed.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Simulators, startSimulators } from "../../simulators/server.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { ROOT } from "../support/documents/markdown.ts";
import { compare, type Exchange } from "./descriptions/compare.ts";
import { readFacts, sourcesNamed } from "./descriptions/facts.ts";
import { DESCRIBED, getDescription, PACKAGES } from "./descriptions/index.ts";
import { findEdge } from "./descriptions/meta-sdk.ts";
import { type Description, matches } from "./descriptions/operation.ts";
import { recordedExchanges } from "./descriptions/recorder.ts";
import { listForms } from "./descriptions/schema.ts";
import { buildPost, prepareKey, startSession, waitUntilLive } from "./harness.ts";

const requireDescription = (platform: string): Description =>
  getDescription(platform) ?? expect.fail(`${platform} is not described`);

it("describes every network", () => {
  expect(networks.map(({ rule }) => rule.platform).sort()).toEqual([...DESCRIBED].sort());
});

it.each(Object.entries(PACKAGES))("uses the documented version of the package for %s", (_, { name, version }) => {
  expect(JSON.parse(readFileSync(`${ROOT}/node_modules/${name}/package.json`, "utf8")).version).toBe(version);
});

it.each(DESCRIBED)("names a page and its date for each fact about %s that no package states", (platform) => {
  const facts = readFacts(platform);
  const sources = new Set(sourcesNamed(facts));
  expect([...sources].filter((name) => !(name in facts.sources))).toEqual([]);
});

it.each(["facebook", "instagram"])("finds the described calls of %s in Meta's SDK", (platform) => {
  const sdkCalls = readFacts(platform).calls.flatMap(({ call, sdk }) => (sdk === undefined ? [] : [{ call, sdk }]));
  expect(sdkCalls.length).toBeGreaterThan(4);
  expect(sdkCalls.filter(({ call, sdk }) => !call.endsWith(findEdge(sdk)))).toEqual([]);
});

describe.each(networks.map((network): [string, Network] => [network.rule.platform, network]))(
  "the description of %s",
  (platform, network) => {
    let simulators: Simulators;
    let exchanges: Exchange[] = [];
    beforeAll(async () => {
      simulators = await startSimulators({ port: 0 });
      const session = await startSession(simulators, network);
      const [type = "feed"] = network.rule.post_types;
      const post = await buildPost(session, type, network.rule.image === null ? "video" : "image", 1);
      const publishKey = await prepareKey(session, post);
      await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
      exchanges = structuredClone([...recordedExchanges()]);
    });
    afterAll(() => simulators.close());

    /** The number of exchanges that `change` applies to, and the changed exchanges whose change was not noticed. */
    const findMissed = (change: (exchange: Exchange) => Exchange | null): [number, Exchange[]] => {
      const changed = exchanges.flatMap((exchange) => change(structuredClone(exchange)) ?? []);
      return [
        changed.length,
        changed.filter((exchange) => compare(exchange, requireDescription(platform)).length === 0),
      ];
    };
    const expectNoticed = (change: (exchange: Exchange) => Exchange | null) => {
      const [count, missed] = findMissed(change);
      expect(count).toBeGreaterThan(0);
      expect(missed.map(({ method, pathname }) => `${method} ${pathname}`)).toEqual([]);
    };

    it("matches the calls of publishing a post", () => {
      expect(exchanges.length).toBeGreaterThan(1);
      expect(exchanges.flatMap((exchange) => compare(exchange, requireDescription(platform)))).toEqual([]);
    });
    it("notices another path", () =>
      expectNoticed((exchange) => ({ ...exchange, pathname: `${exchange.pathname}s/of` })));
    it("notices another method", () => expectNoticed((exchange) => ({ ...exchange, method: "PATCH" })));
    it("notices an undescribed parameter", () =>
      expectNoticed((exchange) =>
        exchange.status < 300 ? { ...exchange, query: [...exchange.query, ["invented", "1"]] } : null,
      ));
    it("notices an undescribed or missing field of a body", () => {
      // Types are not changed here, because Telegram accepts files under any name and the numbers of a form are text.
      expectNoticed((exchange) => withBody(exchange, (body) => ({ ...body, invented: 1 })));
      expectNoticed((exchange) => {
        const requiredField = findRequired(exchange, requireDescription(platform));
        return requiredField === undefined
          ? null
          : withBody(exchange, ({ [requiredField]: _gone, ...remaining }) => remaining);
      });
    });
    it("notices an undescribed or wrongly typed field of an answer", () => {
      expectNoticed((exchange) => withAnswer(exchange, (answer) => ({ ...answer, invented: 1 })));
      expectNoticed((exchange) =>
        withAnswer(exchange, (answer) =>
          Object.fromEntries(Object.keys(answer).map((key) => [key, ["of", { another: "type" }]])),
        ),
      );
    });
    it("notices an undescribed field that the connector reads", () =>
      expectNoticed((exchange) =>
        isObject(parseJson(exchange.answer)) ? { ...exchange, reads: [["invented"]] } : null,
      ));
    it("notices a value that is not listed", () => {
      const words = listedWords(requireDescription(platform));
      const replaceListed = (_key: string, value: unknown) =>
        typeof value === "string" && words.has(value) ? "INVENTED" : value;
      const change = (value: unknown) => JSON.parse(JSON.stringify(value), replaceListed);
      expectNoticed((exchange) => {
        if (exchange.status > 299) return null;
        const query = exchange.query.map(([name, value]): [string, string] => [
          name,
          value
            .split(",")
            .map((word) => replaceListed("", word))
            .join(","),
        ]);
        const answer =
          parseJson(exchange.answer) === undefined
            ? exchange.answer
            : JSON.stringify(change(parseJson(exchange.answer)));
        const changedBody =
          exchange.sent.value === undefined ? exchange.sent : { ...exchange.sent, value: change(exchange.sent.value) };
        const changed = { ...exchange, query, sent: changedBody, answer };
        return JSON.stringify(changed).includes("INVENTED") ? changed : null;
      });
    });
    it("notices another status", () =>
      expectNoticed((exchange) => (exchange.status < 300 ? { ...exchange, status: 299 } : null)));
  },
);

/** The values that a description lists, anywhere in a call. */
function listedWords(description: Description): Set<string> {
  const words = new Set<string>();
  const json = JSON.stringify([description.operations, description.defs]);
  JSON.parse(json, (key, value) => {
    if (key === "enum") for (const word of value) if (typeof word === "string") words.add(word);
    return value;
  });
  return words;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withAnswer(exchange: Exchange, change: (answer: Record<string, unknown>) => unknown): Exchange | null {
  const answer = parseJson(exchange.answer);
  if (!isObject(answer) || exchange.status > 299) return null;
  return { ...exchange, answer: JSON.stringify(change(answer)) };
}

/** Changes only accepted calls, because a network answers other calls with their defects. */
function withBody(
  exchange: Exchange,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): Exchange | null {
  const { as: form, value } = exchange.sent;
  if (exchange.status > 299 || (form !== "json" && form !== "form")) return null;
  if (form === "json") return isObject(value) ? { ...exchange, sent: { as: form, value: change(value) } } : null;
  const fields = Object.fromEntries(Array.isArray(value) ? value : []);
  return { ...exchange, sent: { as: form, value: Object.entries(change(fields)) } };
}

/** A field that every described form of the call requires. */
function findRequired(exchange: Exchange, { operations, defs }: Description): string | undefined {
  const forms = operations
    .filter((operation) => operation.method === exchange.method && matches(operation, exchange))
    .flatMap(({ body }) => listForms(body, defs));
  const [first, ...otherForms] = forms;
  return first?.required?.find((name) => otherForms.every(({ required }) => required?.includes(name) === true));
}
