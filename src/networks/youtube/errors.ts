// The API's refusals by reason: developers.google.com/youtube/v3/docs/errors and the methods' own pages, read 2026-11-20.
import * as z from "zod";
import {
  type Reason,
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
  type Unknown,
} from "../../domain/delivery/outcome.ts";
import { nextMidnight } from "../../domain/instant.ts";
import { HOUR_MS } from "../../domain/limits.ts";
import { type Meaning, toOutcome } from "../shared/error-catalogue.ts";
import { reasonOfFile } from "../shared/file-reason.ts";
import { type Answer, retryAt, unavailable, unknown } from "../shared/http-call.ts";
import { ACCESS } from "./access.ts";
import { QUOTA_TIMEZONE } from "./rule.ts";

type Refusing = Exclude<Meaning, { is: "unknown" }>;
const CONTENT: Refusing = { is: "rejected", error: "content_refused" };
const MEDIA: Refusing = { is: "rejected", error: "media_refused" };
const PERMISSION: Refusing = { is: "rejected", error: "permission_missing" };
const RETRYABLE: Refusing = { is: "retryable", error: "network_unavailable" };
const QUOTA: Refusing = { is: "retryable", error: "network_quota" };
const UNAUTHORIZED: Refusing = { is: "unauthorized" };
/**
 * The channel's own cap over a 24-hour period, in YouTube's news for developers ("try again in 24 hours") as gitlab.gnome.org/GNOME/shotwell
 * issue 5019 quotes it. YouTube does not publish its size. The period is rolling, as observed in the wiki of byvfx/clipper
 * ("about 24 h from each upload"), so there is room earlier if the channel did not upload all its videos at once. Both read 2026-11-26.
 */
const CHANNEL_CAP: Refusing = { is: "retryable", error: "network_quota", waitMs: HOUR_MS, isOfDay: true };

/** Reasons of `errors[]` and `details[]`, and the status names of the newer style. */
const CATALOGUE = new Map<string, Refusing>([
  ["rateLimitExceeded", QUOTA],
  ["userRateLimitExceeded", QUOTA],
  ["RATE_LIMIT_EXCEEDED", QUOTA],
  ["uploadLimitExceeded", CHANNEL_CAP],
  ["authError", UNAUTHORIZED],
  ["UNAUTHENTICATED", UNAUTHORIZED],
  ["youtubeSignupRequired", PERMISSION],
  ["authenticatedUserAccountSuspended", PERMISSION],
  ["authenticatedUserAccountClosed", PERMISSION],
  ["accountDelegationForbidden", PERMISSION],
  ["forbidden", PERMISSION],
  ["accessNotConfigured", { ...PERMISSION, fix: ACCESS.problems.api.fix }],
  ["insufficientPermissions", PERMISSION],
  ["ACCESS_TOKEN_SCOPE_INSUFFICIENT", PERMISSION],
  ["invalidTitle", CONTENT],
  ["invalidDescription", CONTENT],
  ["invalidTags", CONTENT],
  ["invalidCategoryId", CONTENT],
  ["invalidPublishAt", CONTENT],
  ["invalidFilename", CONTENT],
  ["invalidVideoMetadata", CONTENT],
  ["defaultLanguageNotSet", CONTENT],
  // The status of these two is not documented; the reason alone decides.
  ["forbiddenPrivacySetting", CONTENT],
  ["forbiddenLicenseSetting", CONTENT],
  ["mediaBodyRequired", MEDIA],
  ["invalidImage", MEDIA],
  ["uploadTooLarge", MEDIA],
  ["backendError", RETRYABLE],
  ["internalError", RETRYABLE],
]);
/** The project's daily quota, refused with 403: youtube/v3/docs/errors, core API errors, read 2026-11-22. */
const DAILY = new Set(["quotaExceeded", "dailyLimitExceeded"]);
/** The meaning of a status, for reasons that are not in the catalogue. */
const BY_STATUS = new Map<number, Refusing>([
  [400, CONTENT],
  [401, UNAUTHORIZED],
  [403, PERMISSION],
  [413, MEDIA],
  [429, QUOTA],
]);

const NamedReason = z.object({ reason: z.string().optional() });
const Body = z.object({
  error: z.object({
    message: z.string().default(""),
    status: z.string().optional(),
    errors: z.array(NamedReason).default([]),
    details: z.array(NamedReason).default([]),
  }),
});

/** The network's reasons, most specific first; null if the answer is not an API error. */
function readError(answer: Answer): { reasons: string[]; networkMessage: string } | null {
  const parsed = answer.is === "answer" && answer.status >= 400 ? Body.safeParse(answer.body) : null;
  if (!parsed?.success) return null;
  const { message, status, errors, details } = parsed.data.error;
  const reasons = [...errors, ...details].flatMap(({ reason }) => reason ?? []).concat(status ?? []);
  const [reason = ""] = reasons;
  return { reasons, networkMessage: `${message} (${reason})`.trim() };
}

/** Whether the network gave this reason. */
export function says(answer: Answer, reason: string): boolean {
  return readError(answer)?.reasons.includes(reason) ?? false;
}

/** Classifies a documented refusal; null for any other answer. */
export function readRejection(answer: Answer, now: number): Rejected | Retryable | Unauthorized | null {
  const error = readError(answer);
  if (answer.is === "silence") return null;
  // A gateway in front of the API also rate limits, and sends no error body.
  if (error === null) return answer.status === 429 ? { ...unavailable(answer, now), error: "network_quota" } : null;
  const { reasons, networkMessage } = error;
  if (reasons.some((reason) => DAILY.has(reason))) {
    return { is: "retryable", error: "network_quota", networkMessage, notBefore: nextMidnight(now, QUOTA_TIMEZONE) };
  }
  const reasonMeaning = reasons.map((reason) => CATALOGUE.get(reason)).find((meaning) => meaning !== undefined);
  const meaning = reasonMeaning ?? BY_STATUS.get(answer.status);
  if (meaning === undefined) return null;
  const outcome = toOutcome(meaning, { networkMessage }, now, retryAt(answer.headers, now));
  return outcome.is === "unknown" ? null : outcome;
}

/**
 * Classifies a failed call that would create another object if repeated. After an internal error of YouTube, the outcome is
 * unknown.
 */
export function notMade(answer: Answer, now: number): Rejected | Retryable | Unauthorized | Unknown {
  const refusal = answer.is === "answer" && answer.status < 500 ? readRejection(answer, now) : null;
  return refusal ?? unknown(answer, now);
}

/** Classifies a failed call that may be repeated safely: either a refusal, or a reason to retry later. */
export function harmless(answer: Answer, now: number): Rejected | Retryable | Unauthorized {
  return readRejection(answer, now) ?? unavailable(answer, now);
}

/** Adds the file's name to an outcome that refuses the file. */
export function naming<Outcome extends { is: string } & Reason>(mediaId: string, outcome: Outcome): Outcome {
  if (!("error" in outcome) || outcome.error !== "media_refused") return outcome;
  return { ...outcome, ...reasonOfFile({ position: 0, id: mediaId }, reasonFor(outcome)) };
}

/** The refusal of a call for a video or playlist that does not exist; null for any other answer. */
export function missing(answer: Answer): Rejected | null {
  const resource = says(answer, "videoNotFound") ? "video" : says(answer, "playlistNotFound") ? "playlist" : null;
  return resource === null
    ? null
    : { is: "rejected", error: "content_refused", detail: `YouTube does not know this ${resource}.` };
}
