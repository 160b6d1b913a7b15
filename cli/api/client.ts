// The contract's calls over fetch: a refusal becomes a `Refused`; silence is asked again only where that is safe.
import type * as z from "zod";
import type { OperationName, operations } from "../../src/contract/index.ts";
import type { Operation, Result } from "../../src/contract/operation.ts";
import { Failure, interrupted, Refused, unreachable } from "../failure.ts";
import { VERSION } from "../version.ts";
import { isErrorBody } from "./error-body.ts";

/** Method and address of the calls that the CLI makes; a test compares them with the contract. */
export const ROUTES = {
  "health.read": "GET /healthz",
  "platforms.list": "GET /v1/platforms",
  "workspaces.current": "GET /v1/workspace",
  "usage.read": "GET /v1/usage",
  "analytics.read": "GET /v1/analytics",
  "channels.list": "GET /v1/channels",
  "channels.connect": "POST /v1/channels",
  "channels.start-connect": "POST /v1/channels/connect",
  "posts.create": "POST /v1/posts",
  "posts.list": "GET /v1/posts",
  "posts.get": "GET /v1/posts/:id",
  "posts.remove": "DELETE /v1/posts/:id",
  "events.list": "GET /v1/events",
  "media.request-upload": "POST /v1/media/upload-url",
  "media.list": "GET /v1/media",
  "media.remove": "DELETE /v1/media/:id",
} as const satisfies Partial<Record<OperationName, string>>;
type Call = keyof typeof ROUTES;

type Contract = typeof operations;
type BodyOf<O> = O extends Operation<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.input<B> : never;
/** The body of a call's success, as it travels. */
export type Answer<Name extends Call> = Result<Contract[Name]>;
export type Body<Name extends Call> = BodyOf<Contract[Name]>;

interface CallInput<Name extends Call> {
  id?: string;
  query?: Record<string, string | undefined>;
  body?: Body<Name>;
  /** Makes a repeat harmless, so that the call is repeated when no answer came. */
  idempotencyKey?: string;
  /** Ends this call in place of Ctrl-C, which does not: for what has to be cleared away after it. */
  only?: AbortSignal;
}

interface Reply<Name extends Call> {
  status: number;
  body: Answer<Name>;
  headers: Headers;
}

export interface Client {
  url: string;
  /** Throws `Refused`, or a `Failure` when there is no answer. */
  call<Name extends Call>(name: Name, input?: CallInput<Name>): Promise<Reply<Name>>;
  /** The service's clock in epoch milliseconds: ours, corrected by what its answers said. */
  now(): number;
  /** Milliseconds that our clock is behind the service's; null before the first answer, or if it tells none. */
  skew(): number | null;
}

export interface ClientOptions {
  url: string;
  /** null: calls that need none. */
  key: string | null;
  signal: AbortSignal;
  /** Told before a wait, with its length in milliseconds. */
  onRetry?(reason: string, waitMs: number): void;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A read is answered from a database; judging a post may take a look at each of its files. */
const READ_TIMEOUT_MS = 15_000;
const CALL_TIMEOUT_MS = 60_000;
/** Waits before a call that is safe to repeat is made again; half a minute in all. */
const SAFE_WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** A read that nobody answers is asked once more. */
const READ_WAITS_MS = [500];
/** What a `Retry-After` may ask for without being passed on to the caller. */
const RETRY_AFTER_MAX_MS = 10_000;
const RATE_LIMIT_WAITS = 2;
/** A clock that tells whole seconds says nothing about less. */
const SKEW_NOISE_MS = 2_000;

export function makeClient(options: ClientOptions): Client {
  const { url, key, signal, pause = sleep } = options;
  let skew: number | null = null;

  const once = async <Name extends Call>(name: Name, input: CallInput<Name>): Promise<Reply<Name>> => {
    const [method = "GET", path = ""] = ROUTES[name].split(" ");
    const address = new URL(url + path.replace(":id", encodeURIComponent(input.id ?? "")));
    for (const [field, value] of Object.entries(input.query ?? {})) {
      if (value !== undefined) address.searchParams.set(field, value);
    }
    const headers: Record<string, string> = { accept: "application/json", "user-agent": `crier-cli/${VERSION}` };
    if (key !== null) headers.authorization = `Bearer ${key}`;
    if (input.body !== undefined) headers["content-type"] = "application/json";
    if (input.idempotencyKey !== undefined) headers["idempotency-key"] = input.idempotencyKey;
    const askedAt = Date.now();
    const response = await fetch(address, {
      method,
      headers,
      body: input.body === undefined ? undefined : JSON.stringify(input.body),
      signal: AbortSignal.any([
        input.only ?? signal,
        AbortSignal.timeout(method === "GET" ? READ_TIMEOUT_MS : CALL_TIMEOUT_MS),
      ]),
      // A credential follows no redirect, and a POST would arrive as something else.
      redirect: "manual",
    });
    const told = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(told)) {
      const found = told + 500 - (askedAt + Date.now()) / 2;
      skew = Math.abs(found) < SKEW_NOISE_MS ? 0 : Math.round(found);
    }
    const text = await response.text();
    return read(name, url, response, text);
  };

  return {
    url,
    now: () => Date.now() + (skew ?? 0),
    skew: () => skew,
    async call(name, input = {}) {
      const isRead = ROUTES[name].startsWith("GET ");
      const waits = [...(input.idempotencyKey !== undefined ? SAFE_WAITS_MS : isRead ? READ_WAITS_MS : [])];
      let limited = 0;
      for (;;) {
        try {
          return await once(name, input);
        } catch (thrown) {
          if (input.only === undefined && signal.aborted) throw interrupted();
          const failure = asFailure(thrown, url);
          const wait = rateLimitWait(failure, limited) ?? (isPassing(failure) ? waits.shift() : undefined);
          if (wait === undefined) throw failure;
          if (failure instanceof Refused && failure.status === 429) limited++;
          options.onRetry?.(failure.message, wait);
          await pause(wait, signal);
        }
      }
    },
  };
}

function read<Name extends Call>(name: Name, url: string, response: Response, text: string): Reply<Name> {
  const { status, headers } = response;
  // Parsed JSON is taken at the contract's word.
  if (status === 204) return { status, body: JSON.parse("null"), headers };
  if (status >= 300 && status < 400) {
    const to = headers.get("location");
    throw unreachable(
      `${url} sends on to ${to ?? "another address"}.`,
      "set the address that it names: crier login --url …",
    );
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (status >= 400 && isErrorBody(body)) throw new Refused(status, body);
  if (status >= 400) throw new NoAnswer(`${url} answered ${status} and no reason.`, status);
  if (typeof body !== "object" || body === null) {
    throw unreachable(
      `${url} does not answer as Crier does (${ROUTES[name]}: no JSON).`,
      "is the address right? crier doctor",
    );
  }
  return { status, body: JSON.parse(text), headers };
}

/** An error status without a body of ours, as gateways give. */
class NoAnswer extends Failure {
  readonly status: number;
  constructor(message: string, status: number) {
    super(1, message, "try again in a moment");
    this.status = status;
  }
}
/** The connection failed. */
class NoConnection extends Failure {}

/** Whether the same call may well be answered in a moment. */
function isPassing(failure: Failure): boolean {
  if (failure instanceof NoConnection) return true;
  if (failure instanceof NoAnswer) return [502, 503, 504].includes(failure.status);
  // A 503 of ours says that something is not set up; only this one passes.
  return failure instanceof Refused && failure.body.error === "network_unavailable";
}

/** A call that was refused for its rate did nothing, so it may be made again, whichever it is. */
function rateLimitWait(failure: Failure, limited: number): number | undefined {
  if (!(failure instanceof Refused) || failure.status !== 429 || limited >= RATE_LIMIT_WAITS) return undefined;
  const wait = (failure.body.retry_after ?? 1) * 1000;
  return wait <= RETRY_AFTER_MAX_MS ? Math.max(wait, 500) : undefined;
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host name cannot be looked up",
  ECONNRESET: "the connection was broken off",
  UND_ERR_SOCKET: "the connection was broken off",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
  TimeoutError: "no answer in time",
  EHOSTUNREACH: "no way to the host",
  ENETUNREACH: "no way to the network",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
};

/** What went wrong between us and the service, in words. */
export function connectionTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const inner = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause instanceof Error ? cause : error;
  const code = inner instanceof Error && "code" in inner && typeof inner.code === "string" ? inner.code : inner.name;
  return WORDS[code] ?? inner.message ?? code;
}

function asFailure(error: unknown, url: string): Failure {
  if (error instanceof Failure) return error;
  // fetch tells of a connection by a cause; without one it is a mistake of ours.
  if (error instanceof TypeError && error.cause === undefined) throw error;
  return new NoConnection(
    1,
    `${url} cannot be reached: ${connectionTrouble(error)}.`,
    "is the address right? crier doctor",
  );
}

/** Waits between looks of something that is followed, while nobody answers. */
const PATIENT_WAITS_MS = [2_000, 5_000, 10_000, 20_000, 30_000];

/** Asks until there is an answer, however long that takes; a refusal is one. `tell` is called at the first silence. */
export async function patiently<Found>(
  ask: () => Promise<Found>,
  signal: AbortSignal,
  tell: (text: string) => void,
  pause: typeof sleep = sleep,
): Promise<Found> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Failure) || !isPassing(error)) throw error;
      if (tries === 0) tell(`${error.message} Still trying; Ctrl-C gives up.`);
      await pause(PATIENT_WAITS_MS[Math.min(tries, PATIENT_WAITS_MS.length - 1)] ?? 0, signal);
    }
  }
}

/** Waits; throws when it is interrupted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw interrupted();
  await new Promise<void>((settle, fail) => {
    const stop = () => {
      clearTimeout(timer);
      fail(interrupted());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      settle();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** All pages of a list, up to `max` items; `more` tells whether some were left. */
export async function allPages<Item>(
  page: (cursor: string | undefined) => Promise<{ items: Item[]; next: string | null }>,
  max: number,
): Promise<{ items: Item[]; more: boolean }> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items: found, next } = await page(cursor);
    items.push(...found);
    if (next === null) return { items, more: false };
    if (items.length >= max) return { items, more: true };
    cursor = next;
  }
}
