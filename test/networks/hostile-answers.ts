// Answers of a malicious network, or of a proxy between the network and Crier.
import { BlockedAddress } from "../../src/domain/blocked-address.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { makeIO } from "./network-io.ts";
import { simulators } from "./simulators.ts";

/** Changes one value of an answer. */
export type Change = (value: unknown, name: string) => unknown;

/** Whether the value is a text for people or an address, rather than a value that the protocol compares. */
const isFreeText = (name: string) => !/token|jwt|type|scope|status|permission|urn|role|state/i.test(name);
const changeText =
  (change: (value: string) => string): Change =>
  (value, name) =>
    typeof value === "string" && isFreeText(name) ? change(value) : value;
const replaceToken =
  (value: unknown): Change =>
  (before, name) =>
    /token$|jwt$/i.test(name) && typeof before === "string" ? value : before;

export const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The same answer with changed values. */
export const CHANGES: [string, Change][] = [
  ["hidden characters in every text", changeText((value) => `${value}\u0000\u202e\r\n\u200b`)],
  ["half a character at the end of every text", changeText((value) => `${value}\ud800`)],
  ["texts of ninety thousand characters", changeText((value) => value + "L".repeat(90_000))],
  ["empty texts", changeText(() => "")],
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

/** The same answer with invalid tokens. */
const TOKEN_CHANGES: [string, Change][] = [
  ["empty tokens", replaceToken("")],
  ["tokens of ninety thousand characters", replaceToken("t".repeat(90_000))],
  ["tokens with a line break", replaceToken("a\r\nx-evil: 1")],
  ["tokens beyond ASCII", replaceToken("tok\u{1f600}en\u202e")],
  ["tokens that are numbers", replaceToken(12)],
  ["tokens that are null", replaceToken(null)],
  ["tokens that are objects", replaceToken({ toString: "a" })],
];

/** Changes every primitive value of an answer. A body that is no JSON stays unchanged. */
function changeAll(body: string, change: Change): string {
  const changeValue = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((member) => changeValue(member, name));
    if (typeof value !== "object" || value === null) return change(value, name);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, changeValue(member, key)]));
  };
  return body === "" || !/^[[{]/.test(body) ? body : JSON.stringify(changeValue(JSON.parse(body), ""));
}

/** Repeats the first member of each list, as often as the size limit of answers allows. */
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
function createEndlessBody(): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode(" ".repeat(65_536));
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
}

function withStatus(status: number, body: string, headers: Record<string, string>): Response {
  const response = new Response(body, { headers });
  Object.defineProperty(response, "status", { value: status });
  return response;
}

/** Answers that contain nothing of the network. None of them says that a call was carried out, or that it was not. */
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
    "objects in objects, in the place of every field that is read",
    () => {
      const deep = `${'{"a":'.repeat(DEPTH / 2)}1${"}".repeat(DEPTH / 2)}`;
      const names = ["id", "data", "blob", "value", "result", "items", "elements", "error", "status", "record", "cid"];
      const members = names.slice(0, 3).map((name) => `"${name}":${deep}`);
      return new Response(`{${members.join()}}`, { headers: json });
    },
  ],
  ["a body that never ends", () => new Response(createEndlessBody(), { headers: json })],
  [
    "a body that is longer than it says",
    () => new Response(createEndlessBody(), { headers: { "content-length": "5" } }),
  ],
  ["a negative length", () => new Response(createEndlessBody(), { headers: { "content-length": "-1" } })],
  ["a 200 with an error in an unknown form", () => Response.json({ error: { code: 1, message: "no", type: "x" } })],
  ["a 200 with another error", () => Response.json({ errors: [{ message: "no", title: "no" }], title: "no" })],
  ["a 200 that refuses a grant", () => Response.json({ error: "invalid_grant", error_description: "no" })],
  [
    "a redirect to an internal address",
    () => withStatus(302, "", { location: "http://169.254.169.254/latest/meta-data/" }),
  ],
  ["a redirect without an address", () => withStatus(301, "", {})],
  ["not modified", () => withStatus(304, "", {})],
  ["a page with 403", () => withStatus(403, "<h1>Access denied", html)],
  ["a page with 404", () => withStatus(404, "<h1>Not found", html)],
  ["a page with 410", () => withStatus(410, "<h1>Gone", html)],
  ["a final 103 Early Hints", () => withStatus(103, "", {})],
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

/** The simulator of a network with replaced answers. */
export interface HostileNetwork {
  io: NetworkIO;
  /** How many calls were made. */
  count(): number;
}

/**
 * `answer` receives the position of a call, starting at 1, and a function that makes the call. A call that it does not
 * make never reaches the network. If it returns undefined, the network's own answer is used.
 */
export function hostileIO(
  platform: string,
  answer: (position: number, ask: () => Promise<Response>) => Promise<Response> | undefined,
): HostileNetwork {
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
  const newHeaders = new Headers(headers);
  newHeaders.delete("content-length");
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: newHeaders });
}

/** A hostile answer. `asks` is true if the network was called and carried out the call. */
export interface HostileAnswer {
  name: string;
  asks: boolean;
  answer(ask: () => Promise<Response>): Promise<Response>;
}
export const HOSTILE_ANSWERS: HostileAnswer[] = [
  ...[...CHANGES, ...TOKEN_CHANGES].map(([name, change]) => ({
    name,
    asks: true,
    answer: (ask: () => Promise<Response>) => rewrite(ask, (body) => changeAll(body, change)),
  })),
  { name: "long lists", asks: true, answer: (ask) => rewrite(ask, lengthen) },
  ...ANSWERS.flatMap(([name, answer]): HostileAnswer[] => [
    { name: `${name}, from a proxy`, asks: false, answer: async () => answer() },
    {
      name: `${name}, after the call was carried out`,
      asks: true,
      answer: async (ask) => {
        await (await ask()).arrayBuffer();
        return answer();
      },
    },
  ]),
];
