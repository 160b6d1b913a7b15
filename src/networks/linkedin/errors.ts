// What the API's refusals mean, from the same sources as `api.ts`.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized, Unknown } from "../../domain/delivery/outcome.ts";
import { DAY_MS, HOUR_MS } from "../../domain/limits.ts";
import { type Meaning, outcomeOf } from "../shared/error-catalogue.ts";
import { type Answer, retryAt, unavailable } from "../shared/http-call.ts";

const Failure = z.object({
  message: z.string().default(""),
  code: z.string().optional().catch(undefined),
  errorDetails: z
    .object({ inputErrors: z.array(z.object({ code: z.string() })) })
    .optional()
    .catch(undefined),
});

interface Entry {
  status: number;
  /** Any, when left out. */
  code?: string;
  means: Meaning;
}
/** The first that fits counts. */
export const CATALOGUE: readonly Entry[] = [
  { status: 401, means: { is: "unauthorized" } },
  { status: 403, means: { is: "rejected", error: "permission_missing" } },
  // Its message names the post that has the same text; at times one that was deleted a day ago.
  { status: 422, code: "DUPLICATE_POST", means: { is: "rejected", error: "duplicate_content" } },
  { status: 422, means: { is: "rejected", error: "content_refused" } },
  // Our version is not known any more: until this deployment has another, everything waits.
  { status: 400, code: "VERSION_MISSING", means: { is: "retryable", error: "network_unavailable", waitMs: HOUR_MS } },
  { status: 426, means: { is: "retryable", error: "network_unavailable", waitMs: HOUR_MS } },
  { status: 409, means: { is: "retryable", error: "network_unavailable" } },
  { status: 429, means: { is: "retryable", error: "network_quota" } },
  { status: 400, means: { is: "rejected", error: "content_refused" } },
];

/** What a documented refusal means; null when the answer is none. A 4xx created nothing. */
export function rejectionOf(answer: Answer, now: number): Rejected | Retryable | Unauthorized | Unknown | null {
  if (answer.is === "silence") return null;
  const { status } = answer;
  const { message, code, errorDetails } = Failure.safeParse(answer.body).data ?? { message: "" };
  const codes = [...(errorDetails?.inputErrors.map((error) => error.code) ?? []), code];
  const entry = CATALOGUE.find((entry) => entry.status === status && (!entry.code || codes.includes(entry.code)));
  if (entry === undefined) return null;
  // Quotas are of a day, and begin anew at midnight UTC; no header says how much is left.
  const allowed =
    status === 429 ? (retryAt(answer.headers, now) ?? (Math.floor(now / DAY_MS) + 1) * DAY_MS) : undefined;
  const detail = `${message.slice(0, 300)} (${codes.find((one) => one !== undefined) ?? status})`.trim();
  return outcomeOf(entry.means, detail, now, allowed);
}

export type Trouble = Retryable | Rejected | Unauthorized;

/** What became of a call that publishes nothing: whatever is unclear is tried again. */
export function troubleOf(answer: Answer, now: number): Trouble {
  const rejection = rejectionOf(answer, now);
  return rejection === null || rejection.is === "unknown" ? unavailable(answer, now) : rejection;
}
