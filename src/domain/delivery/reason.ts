// The reason for an outcome, in the form that the database and the API use.
import { toNetworkMessage } from "../visible-text.ts";
import type { Reason } from "./outcome.ts";

export interface KeptReason {
  /** In Crier's own words. */
  detail: string | null;
  /** The network's message, cleaned. Absent if the network sent no message. */
  networkMessage?: string;
}

/** Converts a reason to the form in which it is stored. */
export function keepReason({ detail, networkMessage }: Reason): KeptReason {
  const message = toNetworkMessage(networkMessage);
  return { detail: detail ?? null, ...(message === undefined ? {} : { networkMessage: message }) };
}

/** A reason that begins with its consequence, as in `the first comment was refused: HTTP 403`. */
export function explain(consequence: string, reason: Reason): KeptReason & { detail: string } {
  const { detail, ...otherFields } = keepReason(reason);
  return { ...otherFields, detail: detail === null ? consequence : `${consequence}: ${detail}` };
}

/** A reason on one line, for logs and reports. */
export const describeReason = ({ detail, networkMessage }: Reason): string =>
  [detail, networkMessage].filter((words) => words !== undefined).join(": ");

/** Adds a clause in Crier's words to a reason. */
export const addDetail = (reason: Reason, detail: string): Reason => ({
  ...reason,
  detail: reason.detail === undefined ? detail : `${reason.detail}; ${detail}`,
});
