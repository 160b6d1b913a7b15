// The meaning of XRPC error names for a delivery.
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { Reason, Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import { type Answer, retryAt, unavailable } from "../shared/http-call.ts";
import { ACCESS } from "./access.ts";
import { errorName, refusalReason } from "./api.ts";

const UNCONFIRMED = "unconfirmed_email";
const SCOPE_MISSING = "ScopeMissingError";
/** Advice about refusals whose own text gives none. */
const ADVICE: Record<string, string> = {
  [UNCONFIRMED]: ACCESS.problems.email.fix,
  [SCOPE_MISSING]: "Connect the channel again, and allow everything.",
};

/** Permanent refusals by error name. An account that is gone must be reconnected. */
const REFUSALS: Record<string, FailureCode> = {
  AuthenticationRequired: "token_revoked",
  AuthFactorTokenRequired: "token_revoked",
  AccountTakedown: "token_revoked",
  AccountDeactivated: "token_revoked",
  AccountNotFound: "token_revoked",
  InvalidRequest: "content_refused",
  InvalidSwap: "content_refused",
  InvalidMimeType: "media_refused",
  InvalidSize: "media_refused",
  BlobTooLarge: "media_refused",
  BlobNotFound: "media_missing",
  PayloadTooLarge: "media_refused",
  VideoTooLarge: "media_refused",
  VideoTooLong: "media_refused",
  BadAspectRatio: "media_refused",
  UnsupportedContentType: "media_refused",
  UploadForbidden: "permission_missing",
  // atproto packages/oauth/oauth-scopes, scope-missing-error.ts, read 2026-11-27.
  [SCOPE_MISSING]: "permission_missing",
  // The account's email address has to be confirmed before videos: bluesky-social/atproto issue 3097 and
  // marcomaroni-github/twitter-to-bluesky pull request 106, read 2026-11-24.
  [UNCONFIRMED]: "permission_missing",
};
/**
 * The access token is no longer valid: status 400, not 401. Tokens of a sign-in in the browser get 401 and `invalid_token`
 * (atproto packages/oauth/oauth-provider, errors/invalid-token-error.ts, read 2026-11-27).
 */
const UNAUTHORIZED = new Set(["ExpiredToken", "InvalidToken", "invalid_token"]);
/** A proof that the server did not accept, before it did anything. The next proof is a new one (same folder). */
const UNPROVEN = new Set(["use_dpop_nonce", "invalid_dpop_proof"]);
const QUOTA = new Set(["RateLimitExceeded", "DailyLimitExceeded", "TooManyOpenUploads"]);

/** Classifies a documented refusal; null for any other answer. */
export function readRejection(answer: Answer, now: number): Rejected | Retryable | Unauthorized | null {
  const name = errorName(answer);
  if (answer.is === "silence") return null;
  const reason = refusalReason(answer);
  // A proxy in front of the server also rate limits, and sends no XRPC body.
  if (answer.status === 429 || (name !== null && QUOTA.has(name))) {
    const notBefore = retryAt(answer.headers, now) ?? now + 60_000;
    return { is: "retryable", error: "network_quota", ...reason, notBefore };
  }
  if (name === null) return null;
  if (UNAUTHORIZED.has(name)) return { is: "unauthorized", ...reason };
  if (UNPROVEN.has(name)) return { is: "retryable", error: "network_unavailable", ...reason };
  const error = REFUSALS[name];
  if (error !== undefined && answer.status < 500) return refused(name, error, reason);
  return null;
}

const refused = (name: string, error: FailureCode, reason: Reason): Rejected => {
  const advice = ADVICE[name];
  return { is: "rejected", error, ...reason, ...(advice === undefined ? {} : { detail: advice }) };
};

/**
 * Classifies the video service's statement, before any bytes are sent, that an account may not upload. Returns null if the
 * error name is unknown.
 */
export function uploadBarred(name: string, message: string): Rejected | null {
  const error = REFUSALS[name];
  return error === "permission_missing" ? refused(name, error, { networkMessage: message }) : null;
}

/** The failure by status, for unknown error names: a 4xx with an error name is still a refusal. */
const BY_STATUS: Record<number, FailureCode> = { 403: "permission_missing", 413: "media_refused" };

/** Classifies the answer to the write if it is a refusal, whether or not its name is known; null if the post may be out. */
export function writeRejection(answer: Answer, now: number): Rejected | Retryable | Unauthorized | null {
  const rejection = readRejection(answer, now);
  if (rejection !== null || answer.is === "silence" || errorName(answer) === null) return rejection;
  if (answer.status >= 500 || answer.status === 408) return null;
  const reason = refusalReason(answer);
  if (answer.status === 401) return { is: "unauthorized", ...reason };
  return { is: "rejected", error: BY_STATUS[answer.status] ?? "content_refused", ...reason };
}

/** Classifies a sign-in or renewal that had neither a result nor a refusal: retry, but not before the server allows it. */
export function tryLater(answer: Answer, now: number): Retryable {
  const rejection = readRejection(answer, now);
  return rejection?.is === "retryable" ? rejection : unavailable(answer, now);
}

/** Classifies a failed call that may be repeated safely: either a refusal, or a reason to retry later. */
export function harmless(answer: Answer, now: number): Rejected | Retryable | Unauthorized {
  return readRejection(answer, now) ?? unavailable(answer, now);
}
