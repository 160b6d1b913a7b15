// One HTTP call to a network, with a time limit, a size limit, and an answer that is read once. A missing answer is returned
// as `silence`. A call throws only if its address is blocked, its host is busy or its file cannot be read.
import type * as z from "zod";
import { BlockedAddress } from "../../domain/blocked-address.ts";
import {
  askedWait,
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
  type Unknown,
} from "../../domain/delivery/outcome.ts";
import { HostBusy } from "../../domain/host-busy.ts";
import { readAtMost } from "../../domain/read-at-most.ts";
import { withTimeLimit } from "../../domain/time-limit.ts";
import { MediaUnavailable } from "../media-file.ts";

/** Milliseconds for an ordinary API call (docs/delivery.md#time). */
export const CALL_TIMEOUT_MS = 30_000;
/** How many bytes of an answer are read. Real answers have a few kilobytes. */
const ANSWER_BYTES_MAX = 1 << 20;
/** The maximum nesting depth of an answer. Code that reads nested values is recursive, so a deeper answer could break it. */
const ANSWER_DEPTH_MAX = 64;

export type Answer =
  | { is: "answer"; status: number; headers: Headers; body: unknown }
  /** The call was made, but no readable answer came. The network may have carried out the call. */
  | { is: "silence"; detail: string };

/** Performs `call` within `timeoutMs`. If `parse` (JSON by default) throws, the answer has `body: undefined`. */
export async function ask(
  call: (signal: AbortSignal) => Promise<Response>,
  timeoutMs: number,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Answer> {
  return withTimeLimit(timeoutMs, async (signal): Promise<Answer> => {
    try {
      const response = await call(signal);
      const text = await readText(response, ANSWER_BYTES_MAX);
      return { is: "answer", status: response.status, headers: response.headers, body: read(text, parse) };
    } catch (error) {
      if (error instanceof BlockedAddress || error instanceof HostBusy || error instanceof MediaUnavailable)
        throw error;
      const detail = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : "the connection was lost";
      return { is: "silence", detail };
    }
  });
}

/**
 * The text of an answer of at most `bytesMax` bytes. `Content-Length` is not trusted: a chunked body or decompressed data may
 * be longer.
 */
async function readText(response: Response, bytesMax: number): Promise<string> {
  const bytes = await readAtMost(response.body, bytesMax + 1);
  if (bytes.byteLength > bytesMax) throw new Error(`an answer of more than ${bytesMax} bytes`);
  return new TextDecoder().decode(bytes);
}

function read(text: string, parse: (text: string) => unknown): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    const value = parse(text);
    return SURROGATE_ESCAPE.test(text) ? makeWellFormed(value) : value;
  } catch {
    return undefined;
  }
}

/** Whether a JSON text is nested more deeply than any real answer. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length && depth <= ANSWER_DEPTH_MAX; i++) {
    const character = text[i];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) i += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
  }
  return depth > ANSWER_DEPTH_MAX;
}

/**
 * Finds escaped surrogates. Most answers escape only whole pairs. A half without its other half is removed, because no
 * address can contain it and no database stores it.
 */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

const makeWellFormed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
    typeof member === "string" ? member.toWellFormed() : member,
  );

/**
 * Parses JSON, but turns an integer beyond 2^53 into the string of its digits, for networks that write their ids as numbers.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const { source = "" } = context ?? {};
    return /^-?\d+$/.test(source) ? source : value;
  });
}

/**
 * The instant named by `Retry-After` (seconds or an HTTP date) or `RateLimit-Reset` (Unix seconds), in epoch milliseconds;
 * undefined if it is missing or invalid. At most six hours ahead.
 */
export function retryAt(headers: Headers, now: number): number | undefined {
  const after = headers.get("retry-after")?.trim();
  const reset = headers.get("ratelimit-reset")?.trim();
  let allowedAt: number | undefined;
  if (after !== undefined && /^\d{1,9}$/.test(after)) allowedAt = now + Number(after) * 1000;
  // Date.parse alone accepts almost any text as a date.
  else if (after !== undefined && /^[A-Z][a-z]{2}, .* GMT$/.test(after)) allowedAt = Date.parse(after);
  else if (reset !== undefined && /^\d{9,11}$/.test(reset)) allowedAt = Number(reset) * 1000;
  if (allowedAt === undefined || Number.isNaN(allowedAt) || allowedAt <= now) return undefined;
  return Math.min(allowedAt, now + 6 * 3_600_000);
}

/** Statuses that ask to come back later, even from a proxy in front of the API (RFC 9110 15.6.4, RFC 6585 4). */
const LATER = [429, 503];

/** The wait that an answer without an API error asks for. */
function waitIn(answer: Answer, now: number): { notBefore?: number } {
  if (answer.is === "silence" || !LATER.includes(answer.status)) return {};
  const notBefore = retryAt(answer.headers, now);
  return notBefore === undefined ? {} : { notBefore };
}

/** The outcome of a harmless call without a useful answer: retry later, but not before the network allows it. */
export function unavailable(answer: Answer, now: number): Retryable {
  const detail = answer.is === "silence" ? answer.detail : `HTTP ${answer.status}`;
  return { is: "retryable", error: "network_unavailable", detail, ...waitIn(answer, now) };
}

/**
 * The outcome if a file could not be read during the irrevocable call. The request was never complete, so nothing was
 * published. Other errors are rethrown.
 */
export function unreadable(error: unknown): Retryable | Rejected {
  if (!(error instanceof MediaUnavailable)) throw error;
  const { message: detail, retry, error: reason } = error;
  return retry ? { is: "retryable", error: "network_unavailable", detail } : { is: "rejected", error: reason, detail };
}

/** The outcome of an irrevocable call without a useful answer: the post may have been published. */
export function unknown(answer: Answer, now: number): Unknown {
  return {
    is: "unknown",
    detail: answer.is === "silence" ? answer.detail : `HTTP ${answer.status} without a clear answer`,
    ...waitIn(answer, now),
  };
}

/** The outcome of a refused read: the refusal does not say whether the post exists. Keeps the wait that the network named. */
export function unanswered(refusal: Rejected | Retryable | Unauthorized | Unknown): Unknown {
  const notBefore = askedWait(refusal);
  return { is: "unknown", ...reasonFor(refusal), ...(notBefore === undefined ? {} : { notBefore }) };
}

/** The parsed body of a success; undefined for anything else. */
export function readResult<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> | undefined {
  if (answer.is === "silence" || answer.status < 200 || answer.status > 299) return undefined;
  return schema.safeParse(answer.body).data;
}

/** Classifies a failed harmless call: `fallback` if the network refused it for good, otherwise a retry. */
export function retryableOr<Other>(
  answer: Answer,
  rejection: Rejected | Retryable | Unauthorized | Unknown | null,
  fallback: Other,
  now: number,
): Other | Retryable {
  if (rejection === null || rejection.is === "unknown") return unavailable(answer, now);
  return rejection.is === "retryable" ? rejection : fallback;
}
