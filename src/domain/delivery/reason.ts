// Why an answer was what it was, in the form that rows and views keep.
import { toNetworkMessage } from "../visible-text.ts";
import type { Reason } from "./outcome.ts";

export interface KeptReason {
  /** In Crier's own words. */
  detail: string | null;
  /** What the network said, cleaned. Absent: it said nothing. */
  networkMessage?: string;
}

/** A reason as it is stored. */
export function keepReason({ detail, networkMessage }: Reason): KeptReason {
  const message = toNetworkMessage(networkMessage);
  return { detail: detail ?? null, ...(message === undefined ? {} : { networkMessage: message }) };
}

/** A reason that begins with what it led to, as `the first comment was refused: HTTP 403`. */
export function explain(consequence: string, reason: Reason): KeptReason & { detail: string } {
  const { detail, ...said } = keepReason(reason);
  return { ...said, detail: detail === null ? consequence : `${consequence}: ${detail}` };
}

/** A reason on one line, for logs and reports that people read. */
export const describeReason = ({ detail, networkMessage }: Reason): string =>
  [detail, networkMessage].filter((words) => words !== undefined).join(": ");

/** A reason with one more clause of Crier's. */
export const addDetail = (reason: Reason, detail: string): Reason => ({
  ...reason,
  detail: reason.detail === undefined ? detail : `${reason.detail}; ${detail}`,
});
