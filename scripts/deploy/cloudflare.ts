// Cloudflare's API, for calls that need no wrangler: developers.cloudflare.com/api, read 2026-11-22.
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { DeployFailure } from "./failure.ts";

export const DASHBOARD = "https://dash.cloudflare.com";
export const TOKENS_PAGE = `${DASHBOARD}/profile/api-tokens`;

export interface Cloudflare {
  accountId: string;
  /** `path` is relative to the account. Throws `Refused` with Cloudflare's message, or `NoAnswer`. */
  call<Result>(
    result: z.ZodType<Result>,
    method: Method,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Result>;
  /** The raw text at the path. */
  text(path: string): Promise<string>;
  /** Queries the analytics API. Throws `AnalyticsRefused` with its message. */
  graphql<Result>(result: z.ZodType<Result>, query: string, variables: Record<string, string>): Promise<Result>;
}

type Method = "GET" | "POST" | "PUT";

export interface Credentials {
  baseUrl: string;
  headers: Record<string, string>;
}

/** An unsuccessful answer from Cloudflare. */
export class Refused extends DeployFailure {
  override name = "Refused";
  readonly status: number;
  readonly codes: number[];
  constructor(method: string, path: string, status: number, errors: ApiError[]) {
    const errorText =
      errors.map(({ code, message }) => `${message} [code ${code}]`).join("; ") || "no reason was given";
    super(`Cloudflare answered ${status} to ${method} ${path}: ${errorText}`, suggestFix(path, status, errors));
    this.status = status;
    this.codes = errors.map(({ code }) => code);
  }
}

/**
 * The analytics API refuses with 200 and a list of errors (developers.cloudflare.com/analytics/graphql-api/errors, read
 * 2026-11-24).
 */
export class AnalyticsRefused extends DeployFailure {
  override name = "AnalyticsRefused";
}

class NoAnswer extends DeployFailure {
  override name = "NoAnswer";
}

const ApiError = z.object({ code: z.number(), message: z.string() });
type ApiError = z.infer<typeof ApiError>;
const Envelope = z.object({ success: z.boolean(), result: z.unknown(), errors: z.array(ApiError).nullish() });

const GraphqlAnswer = z.object({
  data: z.unknown(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
});

const TRIES = 4;
const FIRST_WAIT_MS = 500;
const RETRY_AFTER_MAX_S = 60;
const TIMEOUT_MS = 60_000;

/**
 * Retries on 429, 5xx and broken connections. A POST is not retried here, because it may have been carried out;
 * `isWorthRetrying` tells the caller whether to retry.
 */
export function createCloudflare(credentials: Credentials, accountId: string): Cloudflare {
  return {
    accountId,
    call: (result, method, path, body, headers = {}) => {
      const withHeaders = { ...credentials, headers: { ...credentials.headers, ...headers } };
      return retrying(method === "POST" ? 1 : TRIES, async () =>
        read(result, path, readResult(await request(withHeaders, method, `/accounts/${accountId}${path}`, body))),
      );
    },
    text: (path) =>
      retrying(TRIES, async () => (await request(credentials, "GET", `/accounts/${accountId}${path}`)).text),
    graphql: (result, query, variables) =>
      retrying(TRIES, async () => {
        const { text } = await request(credentials, "POST", "/graphql", { query, variables });
        const { data, errors } = read(GraphqlAnswer, "/graphql", JSON.parse(text));
        if (errors != null && errors.length > 0) {
          throw new AnalyticsRefused(
            `Cloudflare's analytics API rejected the query: ${errors.map(({ message }) => message).join("; ")}`,
            'The token needs the permission "Account, Account Analytics, Read".',
          );
        }
        return read(result, "/graphql", data);
      }),
  };
}

const Accounts = z.array(z.object({ id: z.string(), name: z.string() }));

/** The accounts that the credentials can access. */
export async function listAccounts(credentials: Credentials): Promise<z.infer<typeof Accounts>> {
  return await retrying(TRIES, async () =>
    read(Accounts, "/accounts", readResult(await request(credentials, "GET", "/accounts?per_page=50"))),
  );
}

function read<Result>(schema: z.ZodType<Result>, path: string, value: unknown): Result {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new DeployFailure(
    `Cloudflare's response to ${path} is not as documented: ${z.prettifyError(error)}`,
    "Check for a newer version of Crier.",
  );
}

/** Runs `work`, which must be safe to repeat, until it succeeds, fails permanently, or has been tried `tries` times. */
export async function retrying<Result>(tries: number, work: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried >= tries || !isWorthRetrying(error)) throw error;
      const waitMs = error instanceof BusyAnswer ? error.waitMs : null;
      await sleep(waitMs ?? FIRST_WAIT_MS * 2 ** (tried - 1));
    }
  }
}

export const CREATION_TRIES = TRIES;

const isWorthRetrying = (error: unknown) => error instanceof NoAnswer || error instanceof BusyAnswer;

/** 429 or 5xx. */
class BusyAnswer extends Refused {
  /** null: the answer had no `Retry-After`. */
  readonly waitMs: number | null;
  constructor(method: string, path: string, status: number, errors: ApiError[], retryAfter: string | null) {
    super(method, path, status, errors);
    const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
    this.waitMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX_S) * 1_000 : null;
  }
}

interface Answer {
  method: Method;
  path: string;
  status: number;
  retryAfter: string | null;
  text: string;
}

/** Returns the answer. Throws if it is a refusal. */
async function request(
  { baseUrl, headers }: Credentials,
  method: Method,
  path: string,
  body?: unknown,
): Promise<Answer> {
  let answer: Answer;
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status } = response;
    answer = { method, path, status, retryAfter: response.headers.get("retry-after"), text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new NoAnswer(
      `Cloudflare did not answer ${method} ${path}: ${cause instanceof Error ? cause.message : cause}`,
      "Check your connection and https://www.cloudflarestatus.com.",
    );
  }
  if (answer.status >= 300) throw buildRefusal(answer);
  return answer;
}

function buildRefusal({ method, path, status, retryAfter, text }: Answer): Refused {
  const errors = parseEnvelope(text)?.errors ?? [];
  return status === 429 || status >= 500
    ? new BusyAnswer(method, path, status, errors, retryAfter)
    : new Refused(method, path, status, errors);
}

/** The result in a JSON answer. */
function readResult(answer: Answer): unknown {
  const envelope = parseEnvelope(answer.text);
  if (envelope?.success === true) return envelope.result;
  throw buildRefusal(answer);
}

function parseEnvelope(text: string): z.infer<typeof Envelope> | null {
  try {
    return Envelope.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The permission that a call needs, as named on the API tokens page. */
function permissionFor(path: string): string {
  if (path.includes("/d1/")) return "Account, D1, Edit";
  if (path.includes("/queues")) return "Account, Queues, Edit";
  if (path.includes("/r2/")) return "Account, Workers R2 Storage, Edit";
  if (path.includes("/workers/")) return "Account, Workers Scripts, Edit";
  if (path.includes("/zones")) return "Zone, Workers Routes, Edit";
  return "Account, Account Settings, Read";
}

/** 10000, 7403 and 9109: not authorized; 1000 and 6003: no such token; 10042: R2 has never been enabled. */
function suggestFix(path: string, status: number, errors: ApiError[]): string {
  const hasCode = (code: number) => errors.some((error) => error.code === code);
  if (hasCode(10042)) {
    return `Enable R2 for the account (${DASHBOARD}/?to=/:account/r2; requires a payment card), or deploy without a bucket: npm run deploy -- --no-media`;
  }
  if (status === 429) return "Cloudflare allows 1,200 calls in five minutes for each user. Wait five minutes.";
  if (status >= 500)
    return "Cloudflare has a problem: see https://www.cloudflarestatus.com. Wait until it is resolved.";
  if (status === 401 || hasCode(1000) || hasCode(6003)) {
    return `The token is wrong, has expired, or lacks the permission "${permissionFor(path)}". Check it at ${TOKENS_PAGE}`;
  }
  if (status === 403 || hasCode(10000) || hasCode(7403) || hasCode(9109)) return missingPermission(path);
  return "See Cloudflare's message above.";
}

export const missingPermission = (path: string) =>
  `The token lacks the permission "${permissionFor(path)}". Add it at ${TOKENS_PAGE}`;
