// The meaning of the Bot API's refusals.
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { Rejected, Retryable } from "../../domain/delivery/outcome.ts";
import type { Answer } from "../shared/http-call.ts";
import { readFailure } from "./api.ts";

/**
 * The API has no error codes beyond the HTTP status, so its descriptions serve as codes (Client.cpp of
 * tdlib/telegram-bot-api, read 2026-11-20). Each entry has a status, a fragment of the description in lower case, and the
 * meaning. The first match counts.
 */
const CATALOGUE: [number, string, FailureCode][] = [
  [401, "", "token_revoked"],
  [404, "not found", "token_revoked"],
  [403, "", "permission_missing"],
  [400, "chat not found", "permission_missing"],
  [400, "need administrator rights", "permission_missing"],
  [400, "not enough rights", "permission_missing"],
  [400, "have no rights", "permission_missing"],
  [400, "chat_write_forbidden", "permission_missing"],
  [400, "chat_restricted", "permission_missing"],
  [400, "_forbidden", "permission_missing"],
  [400, "chat identifier must be", "permission_missing"],
  [400, "wrong file identifier", "media_refused"],
  [400, "wrong http url", "media_refused"],
  [400, "failed to get http url content", "media_refused"],
  [400, "wrong type of the web page content", "media_refused"],
  [400, "file is too big", "media_refused"],
  [400, "photo_invalid_dimensions", "media_refused"],
  [400, "image_process_failed", "media_refused"],
  [400, "can't use the media", "media_refused"],
  [413, "", "media_refused"],
  [400, "", "content_refused"],
];

/** Classifies a documented refusal: a call that failed with a 4xx sent nothing. Returns null for any other answer. */
export function readRejection(answer: Answer, now: number): Rejected | Retryable | null {
  const failure = readFailure(answer);
  if (answer.is === "silence" || failure === undefined || answer.status >= 500) return null;
  const networkMessage = failure.description;
  if (answer.status === 429) {
    const seconds = Math.min(Math.max(failure.parameters?.retry_after ?? 30, 1), 6 * 3_600);
    return { is: "retryable", error: "network_quota", networkMessage, notBefore: now + seconds * 1000 };
  }
  const description = failure.description.toLowerCase();
  const entry = CATALOGUE.find(([status, fragment]) => status === answer.status && description.includes(fragment));
  return entry === undefined ? null : { is: "rejected", error: entry[2], networkMessage };
}
