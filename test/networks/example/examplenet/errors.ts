// What Examplenet's refusals mean: by status, https://example.net/docs/errors, read 2026-11-21.
import { type Meaning, toOutcome } from "../../../../src/networks/shared/error-catalogue.ts";
import { type Answer, retryAt } from "../../../../src/networks/shared/http-call.ts";

const MEANINGS: Record<number, Meaning> = {
  401: { is: "unauthorized" },
  422: { is: "rejected", error: "content_refused" },
  429: { is: "retryable", error: "network_quota", waitMs: 60_000 },
};

/** What a documented refusal means; null when the answer is none. */
export function rejectionOf(answer: Answer, now: number) {
  const meaning = answer.is === "answer" ? MEANINGS[answer.status] : undefined;
  if (answer.is === "silence" || meaning === undefined) return null;
  return toOutcome(meaning, { detail: `HTTP ${answer.status}` }, now, retryAt(answer.headers, now));
}

export const isMissing = (answer: Answer) => answer.is === "answer" && answer.status === 404;
