// The reason for an outcome, in the form that the database and the API use.
import { toNetworkMessage } from "../visible-text.ts";
import type { FailureCode } from "./failure.ts";
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

const CONSENT_AGAIN = "connect the channel again and grant all requested permissions";
/** Refusals that a new consent may fix. */
const FIXES: Partial<Record<FailureCode, string>> = {
  permission_missing: `${CONSENT_AGAIN}; the channel's \`missing_permissions\` lists those that it lacks`,
  token_expired: CONSENT_AGAIN,
  token_revoked: CONSENT_AGAIN,
};

/** Explains a refusal by its consequence, and says if a new consent may fix it. */
export function explainRefusal(consequence: string, refusal: Reason & { error: FailureCode }) {
  const { detail, ...otherFields } = explain(consequence, refusal);
  const fix = FIXES[refusal.error];
  return { ...otherFields, detail: fix === undefined ? detail : `${detail}; ${fix}` };
}

/** A reason on one line, for logs and reports. */
export const describeReason = ({ detail, networkMessage }: Reason): string =>
  [detail, networkMessage].filter((text) => text !== undefined).join(": ");

/** Adds a clause in Crier's words to a reason. */
export const addDetail = (reason: Reason, detail: string): Reason => ({
  ...reason,
  detail: reason.detail === undefined ? detail : `${reason.detail}; ${detail}`,
});
