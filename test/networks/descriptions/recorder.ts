// Records every call of a test's connector, and compares it with the network's description when the test ends.
import { whenATestEnds } from "../../support/when-a-test-ends.ts";
import { compare, type Exchange, type Sent } from "./compare.ts";
import { getDescription } from "./index.ts";
import { FILE } from "./telegram.ts";

/** Marks answers that a simulator's fault has scripted. They belong to the test and are not compared. */
const SCRIPTED = "x-simulator-fault";

let exchanges: Exchange[] = [];
/** The exchanges whose answers are watched for reads, by the text of the answer. */
const watched = new Map<string, Exchange>();

/** The exchanges of the test so far. */
export const recordedExchanges = (): readonly Exchange[] => exchanges;

/**
 * Forgets the recorded exchanges. For tests whose answers come from no network, so that the fields a connector reads
 * from them prove nothing.
 */
export function forgetExchanges(): Exchange[] {
  const forgotten = exchanges;
  exchanges = [];
  watched.clear();
  return forgotten;
}

whenATestEnds.add(() => {
  const recorded = forgetExchanges();
  const deviations = recorded.flatMap((exchange) => {
    const description = getDescription(exchange.platform);
    return description === undefined ? [] : compare(exchange, description);
  });
  if (deviations.length > 0) throw new Error(`not as described:\n${[...new Set(deviations)].join("\n")}`);
});

export interface Address {
  platform: string;
  /** Null if the address was named by an answer. */
  host: string | null;
  pathname: string;
  search: string;
}

/** Makes a call with `go`, and records the exchange. */
export async function record(
  address: Address,
  init: RequestInit,
  go: (init: RequestInit) => Promise<Response>,
): Promise<Response> {
  const { body, sent: readSent } = listen(init);
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
    sent: await readSent(),
    status: answer.status,
    answer: text,
    reads: [],
  };
  exchanges.push(exchange);
  // A text as short as `{}` is not unique to an answer.
  if (text.length > "{}".length) watched.set(text, exchange);
  return answer;
}

/** The body to send instead of the original, and a function that returns what was sent. */
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
  if (body instanceof FormData) return { sent: async () => ({ as: "multipart", value: readFields(body) }) };
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
    // A network may answer before it has read the whole body.
    sent: async () =>
      form().then(
        (read) => ({ as: "multipart", value: readFields(read) }),
        () => ({ as: "bytes" }),
      ),
  };
}

const readFields = (form: FormData): [string, string][] =>
  [...form].map(([name, value]) => [name, typeof value === "string" ? value : FILE]);

const parse = JSON.parse;
// A connector parses an answer as JSON and reads the fields that its schemas name. The replaced parser notices which
// fields these are.
JSON.parse = (text: string, ...reviver: [Parameters<typeof parse>[1]?]) => {
  const value: unknown = parse(text, ...reviver);
  const exchange = watched.get(text);
  return exchange === undefined ? value : watch(value, [], exchange.reads as string[][]);
};

function watch(value: unknown, path: readonly string[], reads: string[][]): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      const fieldValue: unknown = Reflect.get(target, key, receiver);
      if (typeof key !== "string") return fieldValue;
      if (Array.isArray(target)) return /^\d+$/.test(key) ? watch(fieldValue, [...path, "[]"], reads) : fieldValue;
      const fieldPath = [...path, key];
      if (!(key in Object.prototype) && key !== "then") reads.push(fieldPath);
      return watch(fieldValue, fieldPath, reads);
    },
  });
}
