// Every call that a test's connector makes, compared with the network's description when the test ends.
import { whenATestEnds } from "../../support/when-a-test-ends.ts";
import { compare, type Exchange, type Sent } from "./compare.ts";
import { getDescription } from "./index.ts";
import { FILE } from "./telegram.ts";

/** What a simulator was told to answer by a fault is the test's own. */
const SCRIPTED = "x-simulator-fault";

let exchanges: Exchange[] = [];
/** Answers whose fields are watched, by their text. */
const watched = new Map<string, Exchange>();

/** What was recorded in the test so far. */
export const recordedExchanges = (): readonly Exchange[] => exchanges;

/** Forgets what was recorded, for a test whose answers come from no network: what a connector reads of them proves nothing. */
export function forgetExchanges(): Exchange[] {
  const made = exchanges;
  exchanges = [];
  watched.clear();
  return made;
}

whenATestEnds.add(() => {
  const made = forgetExchanges();
  const deviations = made.flatMap((one) => {
    const description = getDescription(one.platform);
    return description === undefined ? [] : compare(one, description);
  });
  if (deviations.length > 0) throw new Error(`not as described:\n${[...new Set(deviations)].join("\n")}`);
});

export interface Address {
  platform: string;
  /** Null: named by an answer. */
  host: string | null;
  pathname: string;
  search: string;
}

/** Makes a call as `go` does, and keeps what was said. */
export async function record(
  address: Address,
  init: RequestInit,
  go: (init: RequestInit) => Promise<Response>,
): Promise<Response> {
  const { body, sent } = listen(init);
  const answer = await go(body === undefined ? init : { ...init, body });
  if (answer.headers.has(SCRIPTED) || getDescription(address.platform) === undefined) return answer;
  const text = await answer.clone().text();
  const { platform, host, pathname, search } = address;
  const exchange: Exchange & { reads: string[][] } = {
    platform,
    method: init.method ?? "GET",
    host,
    pathname,
    query: [...new URLSearchParams(search)],
    sent: await sent(),
    status: answer.status,
    answer: text,
    reads: [],
  };
  exchanges.push(exchange);
  // An empty object is not only an answer's text.
  if (text.length > "{}".length) watched.set(text, exchange);
  return answer;
}

/** The body to send instead, and what went by. */
function listen(init: RequestInit): { body?: ReadableStream; sent: () => Promise<Sent> } {
  const { body } = init;
  const type = new Headers(init.headers).get("content-type") ?? "";
  if (body === undefined || body === null || body === "") return { sent: async () => ({ as: "none" }) };
  if (body instanceof URLSearchParams) return { sent: async () => ({ as: "form", value: [...body] }) };
  if (typeof body === "string") {
    if (type.includes("json")) return { sent: async () => ({ as: "json", value: JSON.parse(body) }) };
    if (type.includes("urlencoded"))
      return { sent: async () => ({ as: "form", value: [...new URLSearchParams(body)] }) };
  }
  if (body instanceof FormData) return { sent: async () => ({ as: "multipart", value: fieldsOf(body) }) };
  if (!type.startsWith("multipart/form-data") || !(body instanceof ReadableStream))
    return { sent: async () => ({ as: "bytes" }) };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const passing = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      chunks.push(chunk.slice());
      controller.enqueue(chunk);
    },
  });
  const form = async () => new Response(new Blob(chunks), { headers: { "content-type": type } }).formData();
  return {
    body: body.pipeThrough(passing),
    // A network may answer before it has read all.
    sent: async () =>
      form().then(
        (read) => ({ as: "multipart", value: fieldsOf(read) }),
        () => ({ as: "bytes" }),
      ),
  };
}

const fieldsOf = (form: FormData): [string, string][] =>
  [...form].map(([name, value]) => [name, typeof value === "string" ? value : FILE]);

const parse = JSON.parse;
// A connector reads an answer as JSON, and of that what its schemas name: which fields these are is seen here.
JSON.parse = (text: string, ...more: [Parameters<typeof parse>[1]?]) => {
  const value: unknown = parse(text, ...more);
  const exchange = watched.get(text);
  return exchange === undefined ? value : watch(value, [], exchange.reads as string[][]);
};

function watch(value: unknown, path: readonly string[], reads: string[][]): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      const of: unknown = Reflect.get(target, key, receiver);
      if (typeof key !== "string") return of;
      if (Array.isArray(target)) return /^\d+$/.test(key) ? watch(of, [...path, "[]"], reads) : of;
      const here = [...path, key];
      if (!(key in Object.prototype) && key !== "then") reads.push(here);
      return watch(of, here, reads);
    },
  });
}
