// The answers of a network that means harm, or of anything that stands between it and us.
import { BlockedAddress } from "../../src/domain/blocked-address.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { makeIO } from "./network-io.ts";
import { simulators } from "./simulators.ts";

/** Changes one value of an answer. */
export type Change = (value: unknown, name: string) => unknown;

/** A text that people read or that leads somewhere, not one that the protocol compares. */
const isFree = (name: string) => !/token|jwt|type|scope|status|permission|urn|role|state/i.test(name);
const text =
  (change: (value: string) => string): Change =>
  (value, name) =>
    typeof value === "string" && isFree(name) ? change(value) : value;
const token =
  (value: unknown): Change =>
  (before, name) =>
    /token$|jwt$/i.test(name) && typeof before === "string" ? value : before;

export const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The same answer with other values in it. */
export const CHANGES: [string, Change][] = [
  ["hidden characters in every text", text((value) => `${value}\u0000\u202e\r\n\u200b`)],
  ["half a character at the end of every text", text((value) => `${value}\ud800`)],
  ["texts of ninety thousand characters", text((value) => value + "L".repeat(90_000))],
  ["empty texts", text(() => "")],
  [
    "addresses that run a script",
    (value, name) => (/url|link|location|picture|avatar|image/.test(name) ? "javascript:alert(1)" : value),
  ],
  ["ids that lead elsewhere", (value, name) => (/id$/i.test(name) ? "../../x?y#z" : value)],
  ["numbers beyond any date", (value) => (typeof value === "number" ? 1e300 : value)],
  ["numbers before any date", (value) => (typeof value === "number" ? -1e15 : value)],
  ["numbers where texts belong", (value) => (typeof value === "string" ? 1e308 : value)],
  ["texts where numbers belong", (value) => (typeof value === "number" ? String(value) : value)],
  ["nothing but null", () => null],
];

/** The same answer with tokens that are none. */
const TOKEN_CHANGES: [string, Change][] = [
  ["empty tokens", token("")],
  ["tokens of ninety thousand characters", token("t".repeat(90_000))],
  ["tokens with a line break", token("a\r\nx-evil: 1")],
  ["tokens beyond ASCII", token("tok\u{1f600}en\u202e")],
  ["tokens that are numbers", token(12)],
  ["tokens that are null", token(null)],
  ["tokens that are objects", token({ toString: "a" })],
];

/** Changes each value of an answer that has no values of its own; what is no JSON stays. */
function changeAll(body: string, change: Change): string {
  const changed = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((member) => changed(member, name));
    if (typeof value !== "object" || value === null) return change(value, name);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, changed(member, key)]));
  };
  return body === "" || !/^[[{]/.test(body) ? body : JSON.stringify(changed(JSON.parse(body), ""));
}

/** Repeats the first member of each list, as often as fits into an answer that is read. */
function lengthen(body: string): string {
  const longer = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const [first] = value;
      const count = Math.floor(300_000 / (JSON.stringify(first ?? 0).length + 1));
      return value.length === 0 ? value : Array.from({ length: count }, () => first);
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, longer(member)]));
  };
  return /^[[{]/.test(body) ? JSON.stringify(longer(JSON.parse(body))) : body;
}

const json = { "content-type": "application/json" };
const html = { "content-type": "text/html" };
const DEPTH = 200_000;

/** A body that never ends. */
function endless(): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode(" ".repeat(65_536));
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
}

function withStatus(status: number, body: string, headers: Record<string, string>): Response {
  const response = new Response(body, { headers });
  Object.defineProperty(response, "status", { value: status });
  return response;
}

/** Answers that have nothing of the network's own. None of them says that anything was done, or that it was not. */
const ANSWERS: [string, () => Response][] = [
  ["an empty body", () => new Response("")],
  ["null", () => new Response("null", { headers: json })],
  ["an empty list", () => new Response("[]", { headers: json })],
  ["an empty object", () => new Response("{}", { headers: json })],
  ["a text", () => new Response('"fine"', { headers: json })],
  ["true", () => new Response("true", { headers: json })],
  ["half an object", () => new Response('{"id":"1","data":{"id"', { headers: json })],
  ["a page", () => new Response("<!doctype html><title>Please wait", { headers: html })],
  ["lists in lists", () => new Response("[".repeat(DEPTH) + "]".repeat(DEPTH), { headers: json })],
  [
    "objects in objects, in the places of all that is read",
    () => {
      const deep = `${'{"a":'.repeat(DEPTH / 2)}1${"}".repeat(DEPTH / 2)}`;
      const names = ["id", "data", "blob", "value", "result", "items", "elements", "error", "status", "record", "cid"];
      const members = names.slice(0, 3).map((name) => `"${name}":${deep}`);
      return new Response(`{${members.join()}}`, { headers: json });
    },
  ],
  ["a body that never ends", () => new Response(endless(), { headers: json })],
  ["a body that is longer than it says", () => new Response(endless(), { headers: { "content-length": "5" } })],
  ["a length below nothing", () => new Response(endless(), { headers: { "content-length": "-1" } })],
  ["a 200 with an error of no network's form", () => Response.json({ error: { code: 1, message: "no", type: "x" } })],
  ["a 200 with another error", () => Response.json({ errors: [{ message: "no", title: "no" }], title: "no" })],
  ["a 200 that refuses a grant", () => Response.json({ error: "invalid_grant", error_description: "no" })],
  ["a redirect inside", () => withStatus(302, "", { location: "http://169.254.169.254/latest/meta-data/" })],
  ["a redirect without an address", () => withStatus(301, "", {})],
  ["not modified", () => withStatus(304, "", {})],
  ["a page with 403", () => withStatus(403, "<h1>Access denied", html)],
  ["a page with 404", () => withStatus(404, "<h1>Not found", html)],
  ["a page with 410", () => withStatus(410, "<h1>Gone", html)],
  ["early hints for good", () => withStatus(103, "", {})],
  ["999", () => withStatus(999, "<h1>Request denied", html)],
  ["a wait of three hundred years", () => withStatus(503, "", { "retry-after": "9999999999" })],
  [
    "a wait of two years in a header of the network's own",
    () =>
      withStatus(429, '{"error":{"message":"","code":4,"type":"x"}}', {
        ...json,
        "x-business-use-case-usage": '{"1":[{"estimated_time_to_regain_access":999999}]}',
        "x-ratelimit-reset": "999999999",
        "x-rate-limit-remaining": "0",
        "x-rate-limit-reset": "99999999999",
        "ratelimit-reset": "99999999999",
      }),
  ],
];

/** The simulator of a network, some of whose answers are others. */
export interface Hostile {
  io: NetworkIO;
  /** How many calls were made. */
  count(): number;
}

/**
 * `answer` gets the position of a call, from 1, and a way to make it: what it does not make, the network never hears of. Undefined:
 * the answer is the network's own.
 */
export function hostileIO(
  platform: string,
  answer: (position: number, ask: () => Promise<Response>) => Promise<Response> | undefined,
): Hostile {
  let count = 0;
  const go = (url: string, init: RequestInit = {}) => {
    const duplex = init.body instanceof ReadableStream ? { duplex: "half" } : {};
    return fetch(url, { ...init, ...duplex, redirect: "manual" });
  };
  const call = (url: string, init?: RequestInit) => {
    const ask = () => go(url, init);
    return answer(++count, ask) ?? ask();
  };
  const root = `${simulators.url}/${platform}`;
  const io: NetworkIO = {
    ...makeIO(simulators, platform),
    fetch: async (url, init) => {
      if (url.startsWith(`${root}/`)) return call(url, init);
      const { pathname, search } = new URL(url);
      return call(`${root}${pathname}${search}`, init);
    },
    fetchPublic: async (url, init) => {
      if (new URL(url).hostname !== "127.0.0.1") throw new BlockedAddress("url_not_public");
      return call(url, init);
    },
  };
  return { io, count: () => count };
}

/** The network's own answer with another body. */
export async function rewrite(ask: () => Promise<Response>, change: (body: string) => string): Promise<Response> {
  const response = await ask();
  const { status, headers } = response;
  const body = change(await response.text());
  const kept = new Headers(headers);
  kept.delete("content-length");
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: kept });
}

/** One hostile answer. `asks`: whether the network itself was asked, and did what it was asked for. */
export interface Way {
  name: string;
  asks: boolean;
  answer(ask: () => Promise<Response>): Promise<Response>;
}
export const WAYS: Way[] = [
  ...[...CHANGES, ...TOKEN_CHANGES].map(([name, change]) => ({
    name,
    asks: true,
    answer: (ask: () => Promise<Response>) => rewrite(ask, (body) => changeAll(body, change)),
  })),
  { name: "long lists", asks: true, answer: (ask) => rewrite(ask, lengthen) },
  ...ANSWERS.flatMap(([name, answer]): Way[] => [
    { name: `${name}, of somebody on the way`, asks: false, answer: async () => answer() },
    {
      name: `${name}, after it was done`,
      asks: true,
      answer: async (ask) => {
        await (await ask()).arrayBuffer();
        return answer();
      },
    },
  ]),
];
