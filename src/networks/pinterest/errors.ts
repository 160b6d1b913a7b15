// The meaning of refusals of the API v5: pinterest/api-description 5.23.0, read 2026-11-20.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized, Unknown } from "../../domain/delivery/outcome.ts";
import { type Meaning, toOutcome } from "../shared/error-catalogue.ts";
import { type Answer, retryAt, unavailable } from "../shared/http-call.ts";
import { ACCESS } from "./access.ts";

const Failure = z.object({
  code: z.number(),
  message: z.string().default(""),
  message_detail: z.string().nullish().catch(null),
});

interface Entry {
  /** Without a status, the entry matches every status. */
  status?: number;
  /** Without a code, the entry matches every code. */
  code?: number;
  means: Meaning;
}
/** The first entry that matches an answer decides. */
export const CATALOGUE: readonly Entry[] = [
  { status: 401, means: { is: "unauthorized" } },
  // An app with trial access also gets this when it creates pins in production.
  {
    status: 403,
    code: 29,
    means: { is: "rejected", error: "permission_missing", fix: ACCESS.problems.standard_access.fix },
  },
  { status: 403, means: { is: "rejected", error: "permission_missing" } },
  // Code 40: the board does not exist. Code 2031: the section of the board does not exist.
  { status: 404, code: 40, means: { is: "rejected", error: "content_refused" } },
  { status: 404, code: 2031, means: { is: "rejected", error: "content_refused" } },
  { status: 409, means: { is: "retryable", error: "network_unavailable" } },
  { status: 429, means: { is: "retryable", error: "network_quota", waitMs: 60_000 } },
  // "Sorry! Something went wrong on our end." (code 2787): identical pins succeed minutes before and after, and no pin was
  // created: gitroomhq/postiz-app pull request 1907, read 2026-11-24. Code 235 behaves the same (pull request 1931).
  { code: 2787, means: { is: "retryable", error: "network_unavailable" } },
  { status: 400, code: 235, means: { is: "retryable", error: "network_unavailable" } },
  // Code 1 also means "could not fetch the image", which is temporary (the same pull request). So the delivery is retried, and
  // if it still fails in the end, the content of the pin counts as the cause.
  { status: 400, code: 1, means: { is: "retryable", error: "content_refused" } },
  { status: 400, means: { is: "rejected", error: "content_refused" } },
];

/** Classifies a documented refusal; null for any other answer. A call with a 4xx answer created nothing. */
export function readRejection(answer: Answer, now: number): Rejected | Retryable | Unauthorized | Unknown | null {
  if (answer.is === "silence") return null;
  const failure = Failure.safeParse(answer.body).data;
  if (failure === undefined) return null;
  const { code, message } = failure;
  const entry = CATALOGUE.find(
    (entry) => (entry.status ?? answer.status) === answer.status && (entry.code ?? code) === code,
  );
  return entry === undefined
    ? null
    : toOutcome(
        entry.means,
        { networkMessage: `${message} (${code})` },
        now,
        resetAt(answer.headers, now) ?? retryAt(answer.headers, now),
      );
}

/**
 * A 429 that mentions spam blocks the pinned content, and is not a quota. pinterest/api-quickstart makes the same distinction
 * (python/src/api_common.py, read 2026-11-22). How long the block lasts is not documented.
 */
function spamBlock(answer: Answer): Rejected | null {
  if (answer.is === "silence" || answer.status !== 429) return null;
  const { message, message_detail } = Failure.partial({ code: true }).safeParse(answer.body).data ?? {};
  const networkMessage = message_detail || message || "";
  return /spam/i.test(networkMessage) ? { is: "rejected", error: "content_refused", networkMessage } : null;
}

/** Classifies a refusal of a write; null for any other answer. */
export function readWriteRejection(answer: Answer, now: number): ReturnType<typeof readRejection> {
  return spamBlock(answer) ?? readRejection(answer, now);
}

/**
 * `x-ratelimit-reset` names seconds, sometimes of several windows (its format is not documented): the longest counts, up to a
 * day.
 */
function resetAt(headers: Headers, now: number): number | undefined {
  const seconds = [...(headers.get("x-ratelimit-reset") ?? "").matchAll(/\d{1,9}/g)].map(Number);
  const longest = Math.max(0, ...seconds);
  return longest === 0 ? undefined : now + Math.min(longest, 86_400) * 1000;
}

/** The token endpoint's code for a refresh token that expired or was revoked; every other refusal has a different cause. */
const DEAD_GRANT = 283;
/** "Authentication failed.": the app's own id or secret is wrong. */
const APP_REFUSED = 2;

/** Classifies an answer without tokens: only the network's statement about the refresh token ends the grant. */
export function renewalFailure(answer: Answer, now: number): Rejected | Retryable {
  const failure = answer.is === "answer" ? Failure.safeParse(answer.body).data : undefined;
  const status = answer.is === "answer" ? answer.status : null;
  const networkMessage = `${failure?.message} (${failure?.code})`;
  if (status === 400 && failure?.code === DEAD_GRANT) return { is: "rejected", error: "token_revoked", networkMessage };
  if (status === 401 && failure?.code === APP_REFUSED)
    return { is: "retryable", error: "service_misconfigured", networkMessage };
  return unavailable(answer, now);
}

/** "Pin not found". Only a 404 with this code proves that the pin does not exist; a 403 does not. */
const NO_PIN = 50;
export const isNoPin = (answer: Answer): boolean =>
  answer.is === "answer" && answer.status === 404 && Failure.safeParse(answer.body).data?.code === NO_PIN;

export type Trouble = Retryable | Rejected | Unauthorized;

export function readProblem(answer: Parameters<typeof readRejection>[0], now: number): Trouble {
  const rejection = readWriteRejection(answer, now);
  return rejection === null || rejection.is === "unknown" ? unavailable(answer, now) : rejection;
}
