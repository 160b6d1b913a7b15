// The answer to a call, from a service that may be broken, or another service altogether.
import { isRefusalBody, NoAnswer, Refusal } from "./errors.ts";

/** No answer of Crier is nearly as long: a page of a list ends at about 1 MiB. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** The text of a body; null if it is longer than `bytesMax`, in which case the remainder is not read. */
export async function readText({ body }: Response, bytesMax: number): Promise<string | null> {
  const reader = body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bytesMax) {
      // The connection is closed; whether that succeeds changes nothing.
      void reader.cancel().catch(() => {});
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The error for a successful answer that Crier does not give. */
export const notCrier = (message: string) => new NoAnswer(message, { status: 200, passes: false });

/**
 * Checks the cursors of a list or an export, which come from the service. Without a cursor, a list would start again, and
 * with a repeated one it would never end.
 */
export function checkCursors(): (next: string | null) => string | null {
  const cursors = new Set<string>();
  return (next) => {
    if (next === null) return null;
    if (typeof next !== "string") throw notCrier("A page of the list does not say whether it is the last.");
    if (cursors.has(next)) throw notCrier("The service repeats a cursor, so the list would never end.");
    cursors.add(next);
    return next;
  };
}

/** The success of a call. Throws `Refusal` or `NoAnswer` for anything else. `route`: method and path, for messages. */
export async function readReply<Body>(
  route: string,
  url: string,
  response: Response,
): Promise<{ status: number; body: Body; headers: Headers }> {
  const { status, headers } = response;
  const text = await readText(response, ANSWER_BYTES_MAX);
  if (status === 204) return { status, body: JSON.parse("null"), headers };
  // In a browser, an unfollowed redirect has no status.
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = headers.get("location");
    throw new NoAnswer(`${url} sends on to ${to ?? "another address"}.`, {
      status,
      passes: false,
    });
  }
  if (text === null) {
    throw new NoAnswer(`${url} sent a longer answer than Crier ever does (${route}).`, { status, passes: false });
  }
  const body = parseJson<Body>(text);
  if (status >= 400 && isRefusalBody(body)) throw new Refusal(status, body);
  if (status >= 400) {
    const passes = [502, 503, 504].includes(status);
    throw new NoAnswer(`${url} answered ${status} and no reason.`, { status, passes });
  }
  if (typeof body !== "object" || body === null) {
    throw new NoAnswer(`${url} does not answer as Crier does (${route}: no JSON).`, {
      status,
      passes: false,
    });
  }
  return { status, body, headers };
}

/** Parsed JSON, which is trusted to match the contract; undefined if the text is not JSON. */
function parseJson<Body>(text: string): Body | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
