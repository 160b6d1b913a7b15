// The meaning of Examplenet's refusals by status: https://example.net/docs/errors, read 2026-11-21.
import { type Meaning, toOutcome } from "../../../../src/networks/shared/error-catalogue.ts";
import { type Answer, retryAt } from "../../../../src/networks/shared/http-call.ts";

const MEANINGS: Record<number, Meaning> = {
  401: { is: "unauthorized" },
  422: { is: "rejected", error: "content_refused" },
  429: { is: "retryable", error: "network_quota", waitMs: 60_000 },
};

/** The meaning of a documented refusal; null for any other answer. */
export function readRejection(answer: Answer, now: number) {
  const meaning = answer.is === "answer" ? MEANINGS[answer.status] : undefined;
  if (answer.is === "silence" || meaning === undefined) return null;
  return toOutcome(meaning, { detail: `HTTP ${answer.status}` }, now, retryAt(answer.headers, now));
}

export const isMissing = (answer: Answer) => answer.is === "answer" && answer.status === 404;
