// TikTok's error catalogue: the `error.code` of an answer, and the `fail_reason` of a post that failed.
// developers.tiktok.com/doc/content-posting-api-reference-direct-post and -get-video-status, read 2026-11-20.
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import { HOUR_MS, MINUTE_MS } from "../../domain/limits.ts";
import { type Meaning, toOutcome } from "../shared/error-catalogue.ts";
import { type Answer, retryAt, unavailable } from "../shared/http-call.ts";
import { ACCESS } from "./access.ts";
import { readError } from "./api.ts";

/** The caps count the last 24 hours, and an answer does not say when the oldest post leaves that window. */
const CAP = { is: "retryable", error: "network_quota", waitMs: HOUR_MS, isOfDay: true } as const;

export const CODES: Record<string, Exclude<Meaning, { is: "unknown" }>> = {
  invalid_param: { is: "rejected", error: "content_refused" },
  invalid_params: { is: "rejected", error: "content_refused" },
  // Seen only in the code of gitroomhq/postiz-app, read 2026-11-20.
  invalid_file_upload: { is: "rejected", error: "media_refused" },
  access_token_invalid: { is: "unauthorized" },
  scope_not_authorized: { is: "rejected", error: "permission_missing" },
  // Seen only in the code of gitroomhq/postiz-app, read 2026-11-20.
  scope_permission_missed: { is: "rejected", error: "permission_missing" },
  spam_risk: { is: "rejected", error: "content_refused" },
  spam_risk_text: { is: "rejected", error: "content_refused" },
  spam_risk_too_many_posts: CAP,
  // The user's inbox already holds 5 pending drafts from the last 24 hours.
  spam_risk_too_many_pending_share: { ...CAP, fix: ACCESS.problems.pending_drafts.fix },
  // The app has reached its cap on the number of accounts that may post within a day.
  reached_active_user_cap: { ...CAP, fix: ACCESS.problems.user_cap.fix },
  spam_risk_user_banned_from_posting: { is: "rejected", error: "permission_missing" },
  // The app has not passed its audit, so it may only post for private accounts.
  unaudited_client_can_only_post_to_private_accounts: {
    is: "rejected",
    error: "permission_missing",
    fix: ACCESS.problems.audit.fix,
  },
  privacy_level_option_mismatch: { is: "rejected", error: "content_refused" },
  // The host of our files is not verified for the app.
  url_ownership_unverified: {
    is: "rejected",
    error: "permission_missing",
    fix: ACCESS.problems.verified_domain.fix,
  },
  rate_limit_exceeded: { is: "retryable", error: "network_quota", waitMs: MINUTE_MS },
};

/** TikTok does not know the `publish_id`, or assigns it to another account. Neither says what happened to the post. */
export const LOST_CODES = new Set(["invalid_publish_id", "token_not_authorized_for_specified_publish_id"]);

/** The account or the app has the permission to post, but has reached a daily cap. */
export const CAP_CODES = new Set(["spam_risk_too_many_posts", "reached_active_user_cap"]);

/** Why a post failed. Nothing was published. `again`: submitting the same content as a new post may succeed. */
export const FAIL_REASONS: Record<string, { error: FailureCode; again: boolean }> = {
  file_format_check_failed: { error: "media_refused", again: false },
  duration_check_failed: { error: "media_refused", again: false },
  frame_rate_check_failed: { error: "media_refused", again: false },
  picture_size_check_failed: { error: "media_refused", again: false },
  spam_risk: { error: "content_refused", again: false },
  spam_risk_text: { error: "content_refused", again: false },
  spam_risk_user_banned_from_posting: { error: "permission_missing", again: false },
  spam_risk_too_many_posts: { error: "network_quota", again: true },
  video_pull_failed: { error: "network_unavailable", again: true },
  photo_pull_failed: { error: "network_unavailable", again: true },
  internal: { error: "network_unavailable", again: true },
  publish_cancelled: { error: "content_refused", again: false },
  // Only for drafts: the app on the phone is too old to show the draft.
  app_version_check_failed: { error: "permission_missing", again: false },
  auth_removed: { error: "token_revoked", again: false },
};

/**
 * Classifies an answer that is a refusal. Returns null if the call may have been carried out. An unknown code is
 * classified by the HTTP status.
 */
export function readRejection(answer: Answer, now: number): Rejected | Retryable | Unauthorized | null {
  const error = readError(answer);
  if (error === null || answer.is === "silence" || answer.status >= 500) return null;
  const meaning = Object.hasOwn(CODES, error.code) ? CODES[error.code] : byStatus(answer.status);
  if (meaning === undefined) return null;
  const outcome = toOutcome(meaning, { networkMessage: error.message }, now, retryAt(answer.headers, now));
  return outcome.is === "unknown" ? null : outcome;
}

function byStatus(status: number) {
  if (status === 401) return CODES.access_token_invalid;
  if (status === 429) return CODES.rate_limit_exceeded;
  return status >= 400 && status !== 408 ? CODES.invalid_params : undefined;
}

/** Classifies the answer to a failed call that cannot publish anything: either a refusal, or a reason to retry later. */
export function harmless(answer: Answer, now: number): Rejected | Retryable | Unauthorized {
  return readRejection(answer, now) ?? unavailable(answer, now);
}
