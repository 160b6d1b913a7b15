// The meaning of Graph API errors for a delivery. Numbers: docs/graph-api/guides/error-handling and, marked C, the
// open-source publisher postiz-app (facebook.provider.ts), both read 2026-11-20.
import {
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
  type Unknown,
} from "../../domain/delivery/outcome.ts";
import { HOUR_MS } from "../../domain/limits.ts";
import type { MediaFile } from "../media-file.ts";
import { type Meaning, toOutcome } from "../shared/error-catalogue.ts";
import { reasonOfFile } from "../shared/file-reason.ts";
import { type Answer, retryAt, unavailable, unknown } from "../shared/http-call.ts";
import {
  findMeaning,
  type GraphEntry,
  type GraphError,
  isPersonNeeded,
  readGraphError,
  regainAt,
  VERSION_ERRORS,
} from "../shared/meta/graph.ts";
import { ACCESS } from "./access.ts";

/** If the answer does not say how long: an hour is the window of the limits of an app and of a person. */
const quota: Meaning = { is: "retryable", error: "network_quota", waitMs: HOUR_MS };
/**
 * What counts the last 24 hours. Calls for a Page (32 and 80001): "a 24-hour sliding window", developers.facebook.com/blog/post/2016/06/16;
 * "Calls within 24 hours", docs/graph-api/overview/rate-limiting. 30 reels per Page: "within a 24-hour moving period",
 * documentation/video-api/guides/reels-publishing of 2026-07-30. No page gives the reels' refusal a number; 613 is the one for limits of
 * a single call. All read 2026-11-26.
 */
const dayQuota: Meaning = { is: "retryable", error: "network_quota", waitMs: HOUR_MS, isOfDay: true };
/** A block for spam lasts for hours; no page says how many. */
const blocked: Meaning = { is: "retryable", error: "network_quota", waitMs: 6 * HOUR_MS };
const permission: Meaning = { is: "rejected", error: "permission_missing" };
const content: Meaning = { is: "rejected", error: "content_refused" };
const media: Meaning = { is: "rejected", error: "media_refused" };
const duplicate: Meaning = { is: "rejected", error: "duplicate_content" };
/** A problem of the network itself: a publishing call may still have been carried out. */
const trouble: Meaning = { is: "unknown" };

const codes = (numbers: number[], means: Meaning) => numbers.map((code): GraphEntry => ({ code, means }));
/** Numbers that come as a code or as a subcode. */
const either = (numbers: number[], means: Meaning) =>
  numbers.flatMap((number): GraphEntry[] => [
    { code: number, means },
    { subcode: number, means },
  ]);

const ERRORS: readonly GraphEntry[] = [
  ...codes([1, 2], trouble),
  // C.
  ...either([1363047, 1609010], trouble),
  ...codes([4, 17, 341], quota),
  ...codes([32, 613, 80001], dayQuota),
  ...codes([368], blocked),
  // Posting too fast: C.
  ...either([1390008], blocked),
  // Every reason of 190 (458 app removed, 459 and 464 checkpoint, 460 password, 463 expired, 467 invalid, 492 role).
  ...codes([102, 190], { is: "unauthorized" }),
  ...codes([3, 10], permission),
  { code: [200, 299], means: permission },
  // A page that does not exist, or not for us.
  { code: 100, subcode: 33, means: permission },
  // Page publishing authorization, identity to be confirmed, restrictions of the account: C.
  ...either([1404078, 4854002, 1404112, 1404006], permission),
  ...VERSION_ERRORS,
  ...codes([506], duplicate),
  // Photos that were posted before: C.
  ...either([1366051], duplicate),
  ...codes([100], content),
  // Abuse and standards; links to facebook.com, links without a preview, invalid links: C.
  ...either([1346003, 1404102, 1609008, 1609005, 2061006], content),
  // Size or type of a photo, and files that are not photos: C.
  ...either([1366046, 1349125, 2069019], media),
];

const NOT_KNOWN: Meaning = content;

const needsPerson = ({ message }: GraphError): Rejected => ({
  is: "rejected",
  error: "permission_missing",
  detail: ACCESS.problems.sign_in_at_facebook.fix,
  networkMessage: message,
});

/**
 * A missing permission comes with the number of a wrong parameter: mrdotb/facebook-api-video-upload issue 16, read
 * 2026-11-24.
 */
const isVideoPermission = ({ code, subcode, message }: GraphError) =>
  code === 100 && subcode === null && message.startsWith("(#100) No permission to publish the video");

/** The words that many projects quote, read 2026-11-27: the Page's business has not verified the domain of the link. */
const isForeignLink = ({ code, message }: GraphError) =>
  code === 100 && message.startsWith("(#100) Only owners of the URL have the ability");
const FOREIGN_LINK =
  "`link_card` needs a link on a domain that the Page's business has verified: without it, Facebook reads the card from the page";

/** Classifies an unsuccessful answer to a call that publishes. */
export function publishFailure(answer: Answer, now: number): Retryable | Rejected | Unauthorized | Unknown {
  if (answer.is === "silence") return unknown(answer, now);
  const notBefore = regainAt(answer.headers, now) ?? retryAt(answer.headers, now);
  const error = readGraphError(answer);
  if (error === null) {
    // A gateway in front of the API also rate limits, and sends no error body.
    if (answer.status === 429) return toOutcome(quota, { detail: "HTTP 429" }, now, notBefore);
    return unknown(answer, now);
  }
  const reason = { networkMessage: error.message };
  if (isPersonNeeded(error)) return needsPerson(error);
  if (isVideoPermission(error)) return toOutcome(permission, reason, now);
  if (isForeignLink(error)) return { is: "rejected", error: "content_refused", detail: FOREIGN_LINK, ...reason };
  if (answer.status >= 500) return { ...unknown(answer, now), ...reason };
  const meaning = findMeaning(error, ERRORS) ?? NOT_KNOWN;
  return toOutcome(meaning.is === "rejected" && error.transient ? trouble : meaning, reason, now, notBefore);
}

/** Classifies a failed harmless call: a problem of the network itself is a reason to try later. */
export function failure(answer: Answer, now: number): Retryable | Rejected | Unauthorized {
  const failed = publishFailure(answer, now);
  if (failed.is !== "unknown") return failed;
  const later = unavailable(answer, now);
  return readGraphError(answer) === null ? later : { ...later, ...reasonFor(failed) };
}

/** Classifies the failure of a call about one file, and names the file: a refusal refuses that file. */
export function fileFailure(file: MediaFile, answer: Answer, now: number): Retryable | Rejected | Unauthorized {
  const failed = failure(answer, now);
  const reason = reasonOfFile(file, reasonFor(failed));
  return failed.is === "rejected" && failed.error === "content_refused"
    ? { is: "rejected", error: "media_refused", ...reason }
    : { ...failed, ...reason };
}

/** Whether the network says that this object does not exist for us: no page documents a number for it. */
export function isMissing(answer: Answer): boolean {
  const error = readGraphError(answer);
  return error?.code === 100 && error.subcode === 33;
}

/** The network's statement that a token is dead: expired or revoked. null if it said no such thing. */
export function deadToken(answer: Answer): Rejected | null {
  const error = readGraphError(answer);
  if (error === null || (error.code !== 190 && error.code !== 102)) return null;
  if (isPersonNeeded(error)) return needsPerson(error);
  const word = error.subcode === 463 ? "token_expired" : "token_revoked";
  return { is: "rejected", error: word, networkMessage: error.message };
}
