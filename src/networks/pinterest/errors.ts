// What the refusals of the API v5 mean: pinterest/api-description 5.23.0, read 2026-11-20.
import * as z from "zod";
import type { Busy, Refused, Stale, Unsure } from "../../domain/delivery/outcome.ts";
import { type Meaning, outcomeOf } from "../shared/error-catalogue.ts";
import { type Answer, unavailable } from "../shared/http-call.ts";

const Failure = z.object({ code: z.number(), message: z.string().default("") });

interface Entry {
  status: number;
  /** Any, when left out. */
  code?: number;
  means: Meaning;
}
/** The first that fits counts. */
export const CATALOGUE: readonly Entry[] = [
  { status: 401, means: { is: "stale" } },
  // An app with trial access gets this too, when it creates pins in production.
  { status: 403, code: 29, means: { is: "refused", error: "permission_missing" } },
  { status: 403, means: { is: "refused", error: "permission_missing" } },
  // 40: the board, 2031: its section.
  { status: 404, code: 40, means: { is: "refused", error: "content_refused" } },
  { status: 404, code: 2031, means: { is: "refused", error: "content_refused" } },
  { status: 409, means: { is: "busy", error: "network_unavailable" } },
  { status: 429, means: { is: "busy", error: "network_quota", waitMs: 60_000 } },
  { status: 400, means: { is: "refused", error: "content_refused" } },
];

/** What a documented refusal means; null when the answer is none. A 4xx created nothing. */
export function refusalOf(answer: Answer, now: number): Refused | Busy | Stale | Unsure | null {
  if (answer.is === "silence") return null;
  const failure = Failure.safeParse(answer.body).data;
  if (failure === undefined) return null;
  const { code, message } = failure;
  const entry = CATALOGUE.find((entry) => entry.status === answer.status && (entry.code ?? code) === code);
  return entry === undefined
    ? null
    : outcomeOf(entry.means, `${message.slice(0, 300)} (${code})`, now, resetAt(answer.headers, now));
}

/** `x-ratelimit-reset` names seconds, of several windows at times (its format is not documented): the longest, up to a day. */
function resetAt(headers: Headers, now: number): number | undefined {
  const seconds = [...(headers.get("x-ratelimit-reset") ?? "").matchAll(/\d{1,9}/g)].map(Number);
  const longest = Math.max(0, ...seconds);
  return longest === 0 ? undefined : now + Math.min(longest, 86_400) * 1000;
}

export type Trouble = Busy | Refused | Stale;

export function troubleOf(answer: Parameters<typeof refusalOf>[0], now: number): Trouble {
  const refusal = refusalOf(answer, now);
  return refusal === null || refusal.is === "unsure" ? unavailable(answer) : refusal;
}
