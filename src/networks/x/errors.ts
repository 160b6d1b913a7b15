// The meaning of the API's refusals: docs.x.com, response codes and errors, read 2026-11-20.
import type { Rejected, Retryable, Unauthorized, Unknown } from "../../domain/delivery/outcome.ts";
import { type Meaning, toOutcome } from "../shared/error-catalogue.ts";
import { type Answer, retryAt } from "../shared/http-call.ts";
import { ACCESS } from "./access.ts";
import { getProblemKind, readProblems } from "./api.ts";

interface Entry {
  status: number;
  /** Last part of the problem's `type`; any if left out. */
  kind?: string;
  /** The whole `detail`, if neither status nor type distinguishes the problem. */
  detail?: string;
  /** The beginning of the `detail`; the rest varies. */
  beginning?: string;
  means: Meaning;
}
const HOUR_MS = 3_600_000;
const rejected = (error: "content_refused" | "permission_missing" | "duplicate_content"): Meaning => ({
  is: "rejected",
  error,
});
/** The first match counts. */
export const CATALOGUE: readonly Entry[] = [
  { status: 401, means: { is: "unauthorized" } },
  // Prepaid credits are used up: the operator must buy more.
  {
    status: 402,
    means: { is: "retryable", error: "network_billing", waitMs: HOUR_MS, fix: ACCESS.problems.credits.fix },
  },
  { status: 429, kind: "usage-capped", means: { is: "retryable", error: "network_quota", waitMs: 6 * HOUR_MS } },
  { status: 429, means: { is: "retryable", error: "network_quota", waitMs: 15 * 60_000 } },
  {
    status: 403,
    detail: "You are not allowed to create a Tweet with duplicate content.",
    means: rejected("duplicate_content"),
  },
  // The person has to sign in at x.com: 568 of 1,300 failures in 45 days, gitroomhq/postiz-app pull request 2040, read 2026-11-24.
  {
    status: 403,
    beginning: "Your account is temporarily locked",
    means: { is: "rejected", error: "permission_missing", fix: ACCESS.problems.unlocked_account.fix },
  },
  { status: 403, kind: "client-forbidden", means: rejected("permission_missing") },
  { status: 403, kind: "unsupported-authentication", means: rejected("permission_missing") },
  { status: 403, kind: "user-suspended", means: rejected("permission_missing") },
  { status: 403, means: rejected("content_refused") },
  { status: 400, means: rejected("content_refused") },
];

/** Classifies a documented refusal; null for any other answer. A 4xx created nothing. */
export function readRejection(answer: Answer, now: number): Rejected | Retryable | Unauthorized | Unknown | null {
  if (answer.is === "silence") return null;
  // A page instead of JSON comes from the bot protection in front of the API: the call never reached the API.
  if (answer.status === 403 && answer.body === undefined)
    return { is: "retryable", error: "network_unavailable", detail: "HTTP 403 before the API was reached" };
  const [problem] = readProblems(answer);
  if (problem === undefined) return null;
  const { detail, title, message, error } = problem;
  const entry = CATALOGUE.find(
    (entry) =>
      entry.status === answer.status &&
      (entry.kind ?? getProblemKind(problem)) === getProblemKind(problem) &&
      (entry.detail ?? detail) === detail &&
      (detail ?? "").startsWith(entry.beginning ?? ""),
  );
  const networkMessage = detail ?? message ?? title ?? error ?? "";
  return entry === undefined
    ? null
    : toOutcome(entry.means, { networkMessage }, now, resetAt(answer.headers, now) ?? retryAt(answer.headers, now));
}

/** `x-rate-limit-reset` is in Unix seconds, and also present on successful answers. */
function resetAt(headers: Headers, now: number): number | undefined {
  if (headers.get("x-rate-limit-remaining") !== "0") return undefined;
  const reset = Number(headers.get("x-rate-limit-reset")) * 1000;
  return reset > now && reset < now + 24 * HOUR_MS ? reset : undefined;
}
