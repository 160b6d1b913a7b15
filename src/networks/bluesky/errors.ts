// What XRPC error names mean for a delivery: classes from the fact sheet's catalogue.
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { Reason, Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import { type Answer, retryAt, unavailable } from "../shared/http-call.ts";
import { ACCESS } from "./access.ts";
import { errorName, refusalReason } from "./api.ts";

const UNCONFIRMED = "unconfirmed_email";
/** What a person can do about a refusal whose own words do not say it. */
const ADVICE: Record<string, string> = {
  [UNCONFIRMED]: ACCESS.problems.email.fix,
};

/** Refusals that stay, by error name. An account that is gone must be connected anew. */
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
  // The account's email address has to be confirmed before videos: bluesky-social/atproto issue 3097 and
  // marcomaroni-github/twitter-to-bluesky pull request 106, read 2026-11-24.
  [UNCONFIRMED]: "permission_missing",
};
/** The access token is no good any more. The status is 400, not 401. */
const UNAUTHORIZED = new Set(["ExpiredToken", "InvalidToken"]);
const QUOTA = new Set(["RateLimitExceeded", "DailyLimitExceeded", "TooManyOpenUploads"]);

/** What a documented refusal means; null when the answer is none. */
export function rejectionOf(answer: Answer, now: number): Rejected | Retryable | Unauthorized | null {
  const name = errorName(answer);
  if (answer.is === "silence") return null;
  const reason = refusalReason(answer);
  // A proxy in front of the server limits too, and writes no XRPC body.
  if (answer.status === 429 || (name !== null && QUOTA.has(name))) {
    const notBefore = retryAt(answer.headers, now) ?? now + 60_000;
    return { is: "retryable", error: "network_quota", ...reason, notBefore };
  }
  if (name === null) return null;
  if (UNAUTHORIZED.has(name)) return { is: "unauthorized", ...reason };
  const error = REFUSALS[name];
  if (error !== undefined && answer.status < 500) return refused(name, error, reason);
  return null;
}

const refused = (name: string, error: FailureCode, reason: Reason): Rejected => {
  const advice = ADVICE[name];
  return { is: "rejected", error, ...reason, ...(advice === undefined ? {} : { detail: advice }) };
};

/** What the video service says ahead of the bytes of an account that may not upload, by the error's name; null: nothing known. */
export function uploadBarred(name: string, message: string): Rejected | null {
  const error = REFUSALS[name];
  return error === "permission_missing" ? refused(name, error, { networkMessage: message }) : null;
}

/** By status, for error names that the catalogue does not know: with a name, a 4xx is a refusal all the same. */
const BY_STATUS: Record<number, FailureCode> = { 403: "permission_missing", 413: "media_refused" };

/** What the answer to the write says when it is a refusal, known by name or not; null when it may be out. */
export function writeRejection(answer: Answer, now: number): Rejected | Retryable | Unauthorized | null {
  const known = rejectionOf(answer, now);
  if (known !== null || answer.is === "silence" || errorName(answer) === null) return known;
  if (answer.status >= 500 || answer.status === 408) return null;
  const reason = refusalReason(answer);
  if (answer.status === 401) return { is: "unauthorized", ...reason };
  return { is: "rejected", error: BY_STATUS[answer.status] ?? "content_refused", ...reason };
}

/** A sign-in or renewal that gave nothing and refused nothing: try later, and not before the server wants it. */
export function tryLater(answer: Answer, now: number): Retryable {
  const rejection = rejectionOf(answer, now);
  return rejection?.is === "retryable" ? rejection : unavailable(answer, now);
}

/** A harmless call that did not succeed: what was refused, or try later. */
export function harmless(answer: Answer, now: number): Rejected | Retryable | Unauthorized {
  return rejectionOf(answer, now) ?? unavailable(answer, now);
}
