// The contract's calls over fetch. A refusal becomes a `Refusal`; an unanswered call is retried only where that is safe.
import { checkCursors, readReply } from "./answer.ts";
import type { Calls } from "./calls.ts";
import { CrierError, connectionTrouble, isPassing, NoAnswer, Refusal } from "./errors.ts";
import { type Pause, pause as sleep } from "./pause.ts";
import { type CallOptions, type Loose, type PreparedRequest, prepareRequest } from "./request.ts";
import { ROUTES } from "./routes.ts";
import { readPieces, silenceLimit } from "./stream.ts";

/** Calls that stream a file. */
export type StreamName = "workspaces.export" | "posts.csv" | "audit.csv";
export type CallName = Exclude<keyof Calls & keyof typeof ROUTES, StreamName>;
/** The body of a call's success. */
export type Answer<Name extends CallName> = Calls[Name]["answer"];
/** The request body of a call. */
export type Body<Name extends CallName> = Calls[Name]["body"];
/** The query of a call. Any value may be given as text, which is how it is sent. */
export type Query<Name extends CallName | StreamName> = {
  [Field in keyof Calls[Name]["query"]]?: Calls[Name]["query"][Field] | string;
};

export type { CallOptions } from "./request.ts";

/** The input of a call: the parts that its operation has. */
export type CallInput<Name extends CallName> = CallOptions &
  Part<"params", Calls[Name]["params"]> &
  Part<"body", Calls[Name]["body"]> & { query?: Query<Name> };
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [Field in Name]?: undefined }
  : { [Field in Name]: Value };
/** Whether a call needs an input at all. */
type Arguments<Name extends CallName> =
  Record<never, never> extends CallInput<Name> ? [input?: CallInput<Name>] : [input: CallInput<Name>];

export interface Reply<Name extends CallName> {
  status: number;
  body: Answer<Name>;
  headers: Headers;
}

export interface Client {
  url: string;
  /** Throws `Refusal` or `NoAnswer`, or the signal's reason if it is aborted. */
  call<Name extends CallName>(name: Name, ...input: Arguments<Name>): Promise<Reply<Name>>;
  /**
   * The text of a file, in pieces. A long file takes several answers, and the pieces continue across them. Throws the errors of
   * `call`, and `NoAnswer` if the file ends early.
   */
  stream<Name extends StreamName>(
    name: Name,
    input?: Pick<CallOptions, "signal"> & { query?: Query<Name> },
  ): AsyncGenerator<string, void, undefined>;
  /** The service's clock in epoch milliseconds: the local clock, corrected by the times in the service's answers. */
  now(): number;
  /**
   * How far the local clock is behind the service's, in milliseconds. Null before the first answer, or if no answer has a time.
   */
  skew(): number | null;
  /** Waits the same way as the client's calls. */
  pause: Pause;
  /** The signal that aborts the client's calls. */
  signal: AbortSignal | undefined;
}

export interface ClientOptions {
  /** The address of the service: `https://crier.example.com`. */
  url: string;
  /** A workspace's key or a session token; null for calls that need no credential, or that use a browser's cookie. */
  key: string | null;
  /** The workspace that a session acts in; a key has its own. */
  workspace?: string;
  /** Aborts every call. */
  signal?: AbortSignal;
  /** Called before a wait, with its length in milliseconds. */
  onRetry?: (reason: string, waitMs: number) => void;
  /** Sent where the platform lets a program set its user agent. */
  userAgent?: string;
  fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  pause?: Pause;
}

/** A read needs only a database, so its limit is short. Other calls may take longer: a new post may have files to inspect. */
const READ_TIMEOUT_MS = 15_000;
/** How long a streamed file may go without data. */
const STREAM_SILENCE_MS = 30_000;
const CALL_TIMEOUT_MS = 60_000;
/** Waits before each retry of a call that is safe to repeat; half a minute in all. */
const SAFE_WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** An unanswered read is retried once. */
const READ_WAITS_MS = [500];
/** A longer `Retry-After` is passed on to the caller. */
const RETRY_AFTER_MAX_MS = 10_000;
const RATE_LIMIT_WAITS = 2;
/** The service's clock has a resolution of whole seconds, so a smaller difference means nothing. */
const SKEW_NOISE_MS = 2_000;

/** Calls that take an `Idempotency-Key`. */
export const IDEMPOTENT: readonly string[] = [
  "posts.create",
  "posts.import",
  "posts.edit-live-text",
] satisfies CallName[];

/** A client of one service with one credential. */
export function createClient(options: ClientOptions): Client {
  const { key, workspace, signal, userAgent, onRetry, pause = sleep } = options;
  const url = options.url.trim().replace(/\/+$/, "");
  const ask = options.fetch ?? ((address, init) => fetch(address, init));
  let skew: number | null = null;

  const prepare = (name: CallName | StreamName, input: Loose): PreparedRequest =>
    prepareRequest({ url, key, workspace, userAgent }, name, input);

  /** Sends a request. `ends`: the signal that aborts it. */
  async function send({ address, init }: PreparedRequest, accept: string, ends: AbortSignal): Promise<Response> {
    const askedAt = Date.now();
    const response = await ask(address, {
      ...init,
      headers: { accept, ...init.headers },
      signal: ends,
      // A redirect must not receive the credential, and would turn a POST into another method.
      redirect: "manual",
    });
    const serverTime = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(serverTime)) {
      const measuredSkew = serverTime + 500 - (askedAt + Date.now()) / 2;
      skew = Math.abs(measuredSkew) < SKEW_NOISE_MS ? 0 : Math.round(measuredSkew);
    }
    return response;
  }

  async function once<Name extends CallName>(
    name: Name,
    request: PreparedRequest,
    ends: AbortSignal | undefined,
  ): Promise<Reply<Name>> {
    const limit = AbortSignal.timeout(isRead(name) ? READ_TIMEOUT_MS : CALL_TIMEOUT_MS);
    const combinedSignal = ends === undefined ? limit : AbortSignal.any([ends, limit]);
    return readReply<Answer<Name>>(ROUTES[name], url, await send(request, "application/json", combinedSignal));
  }

  async function call<Name extends CallName>(name: Name, ...[callInput]: Arguments<Name>): Promise<Reply<Name>> {
    const input: Loose = { ...callInput };
    if (IDEMPOTENT.includes(name)) input.idempotencyKey ??= crypto.randomUUID();
    const waits = input.idempotencyKey !== undefined ? SAFE_WAITS_MS : isRead(name) ? READ_WAITS_MS : [];
    const request = prepare(name, input);
    const ends = input.signal ?? signal;
    return untilAnswered(() => once(name, request, ends), ends, waits);
  }

  async function* stream(name: StreamName, input: Loose = {}) {
    const check = checkCursors();
    for (let cursor: string | null = null; ; ) {
      const query: object | undefined = cursor === null ? input.query : { ...input.query, cursor };
      cursor = check(yield* answerTo(name, { ...input, query }));
      if (cursor === null) return;
    }
  }

  async function* answerTo(name: StreamName, input: Loose): AsyncGenerator<string, string | null, undefined> {
    const ends = input.signal ?? signal;
    const request = prepare(name, input);
    const { opened, silence } = await untilAnswered(
      async () => {
        const silence = silenceLimit(STREAM_SILENCE_MS);
        const combinedSignal = ends === undefined ? silence.signal : AbortSignal.any([ends, silence.signal]);
        const opened = await send(request, "*/*", combinedSignal);
        // Anything but a success is handled as for any other call.
        if (opened.status !== 200) await readReply(ROUTES[name], url, opened);
        return { opened, silence };
      },
      ends,
      READ_WAITS_MS,
    );
    try {
      return yield* readPieces(name, opened, silence);
    } catch (thrown) {
      if (ends?.aborted === true) throw ends.reason;
      throw asCrierError(thrown, url);
    } finally {
      silence.end();
    }
  }

  /** Retries until there is an answer, with `waits` between the tries. */
  async function untilAnswered<Found>(
    once: () => Promise<Found>,
    ends: AbortSignal | undefined,
    waits: readonly number[],
  ): Promise<Found> {
    const remainingWaits = [...waits];
    let limited = 0;
    for (;;) {
      try {
        return await once();
      } catch (thrown) {
        if (ends?.aborted === true) throw ends.reason;
        const error = asCrierError(thrown, url);
        const wait = rateLimitWaitMs(error, limited) ?? (isPassing(error) ? remainingWaits.shift() : undefined);
        if (wait === undefined) throw error;
        if (error instanceof Refusal && error.status === 429) limited++;
        onRetry?.(error.message, wait);
        await pause(wait, ends);
      }
    }
  }

  return { url, call, stream, now: () => Date.now() + (skew ?? 0), skew: () => skew, pause, signal };
}

const isRead = (name: CallName) => ROUTES[name].startsWith("GET ");

/** A rate-limited call had no effect, so any call may be retried. */
function rateLimitWaitMs(error: CrierError, limited: number): number | undefined {
  if (!(error instanceof Refusal) || error.status !== 429 || limited >= RATE_LIMIT_WAITS) return undefined;
  const wait = (error.body.retry_after ?? 1) * 1000;
  return wait <= RETRY_AFTER_MAX_MS ? Math.max(wait, 500) : undefined;
}

function asCrierError(error: unknown, url: string): CrierError {
  if (error instanceof CrierError) return error;
  return new NoAnswer(`${url} cannot be reached: ${connectionTrouble(error)}.`, {
    status: null,
    passes: true,
  });
}
