import type { Json } from "../json.ts";
import type { FailureCode } from "./failure.ts";
import type { Alteration } from "./readback.ts";

/** The reason for an answer. Both members may be absent if the code of the refusal says enough. */
export interface Reason {
  /** In Crier's own words, as a clause. */
  detail?: string;
  /** In the network's words, unchanged: third-party text that is never shown as Crier's. */
  networkMessage?: string;
}

/** Copies only the reason, to build another outcome from it. */
export const reasonFor = ({ detail, networkMessage }: Reason): Reason => ({
  ...(detail === undefined ? {} : { detail }),
  ...(networkMessage === undefined ? {} : { networkMessage }),
});

/** The post is published. The outcome has the post's id and address, as far as the network reports them. */
export interface Live {
  is: "live";
  id: string;
  url: string | null;
  /** `none` if `url` is known, `pending` if it comes later, `not_reported` if the network never reports one. */
  urlState: "none" | "pending" | "not_reported";
  /** Advice for the owner, although the post is published. */
  note?: string;
  /** The publish key to keep from now on. */
  publishKey?: Json;
  /**
   * Epoch milliseconds before which the network asked not to be called. The network may ask this when Crier reads the id or the
   * address.
   */
  notBefore?: number;
}
/**
 * A draft is in the account's inbox at the network. Its owner publishes it there, and the network does not report whether
 * that happened.
 */
export interface HandedOver {
  is: "handed_over";
  /** The network's id of the draft. */
  id: string;
  /** Advice for the owner. */
  note?: string;
}
/** The network accepted the post and finishes on its own. Ask again with the same publish key; never publish again. */
export interface Processing {
  is: "processing";
  publishKey: Json;
  /** When to ask for the status again, in epoch milliseconds. */
  askAt: number;
}
/** A documented, temporary refusal; nothing was published. */
export interface Retryable extends Reason {
  is: "retryable";
  error: FailureCode;
  /** Epoch milliseconds before which the network asked not to be called; applies to the whole channel. */
  notBefore?: number;
  /** Epoch milliseconds before which only this delivery waits: the network is preparing it, and no try was used up. */
  retryAt?: number;
  /**
   * Nothing was tried for this delivery: a call for another one of its channel failed a moment ago. It waits until then (epoch
   * milliseconds), and no try was used up.
   */
  untriedUntil?: number;
  /** The network limits the posts in any 24 hours, and does not say when there is room again. */
  isOfDay?: boolean;
}
/** A documented, permanent refusal; nothing was published. */
export interface Rejected extends Reason {
  is: "rejected";
  error: FailureCode;
}
/** The call may or may not have been carried out. */
export interface Unknown extends Reason {
  is: "unknown";
  /** The same as in `Retryable`. Crier does not ask for the status before this time either. */
  notBefore?: number;
  /** The outcome can never be determined, so asking again is useless. */
  final?: true;
  /** The network was asked, could answer, and does not show the post. It may still appear for some minutes. */
  isAbsent?: true;
}
/** The network refused the access token; nothing was published. One renewal and one more try are allowed. */
export interface Unauthorized extends Reason {
  is: "unauthorized";
}
/** The network's final answer that our publish key published nothing and never will, so a new one may be made. */
export interface Void extends Reason {
  is: "void";
  error: FailureCode;
}
/** Our publish key has published nothing so far, and publishing again with it is safe. */
export interface NotPublished {
  is: "not_published";
}
/** A published post as the recheck found it. */
interface There {
  is: "there";
  url: string | null;
  /**
   * Differences from the accepted content. `later`: the network does not show the content yet; absent: it cannot be compared.
   */
  altered?: Alteration[] | "later";
}
/** The network says that the post does not exist. A second check must confirm that before Crier believes it. */
interface Gone {
  is: "gone";
  /** Milliseconds until that second check, for networks that are known to give this answer wrongly for longer than usual. */
  confirmAfterMs?: number;
}
/**
 * The result of rechecking a published post. `unknown` means that the recheck failed, which never makes the post count as
 * gone.
 */
export type RecheckOutcome = There | Gone | Unknown;
/** The result of taking a post down. `missing`: the network says that the post does not exist, or not for us. */
export type TakenDown =
  | { is: "taken_down" }
  | ({ is: "missing" } & Reason)
  | Retryable
  | Rejected
  | Unknown
  | Unauthorized;
/** The result of editing the text of a post. `missing`: as with a takedown. `publishKey`: the key to keep from now on. */
export type Edited =
  | { is: "edited"; publishKey?: Json }
  | ({ is: "missing" } & Reason)
  | Retryable
  | Rejected
  | Unknown
  | Unauthorized;
/** The result of a first comment. */
export type Commented = { is: "commented" } | Retryable | Rejected | Unknown | Unauthorized;
/** The answer was lost, and the network does not show the result yet, or could not be asked. It is reconciled again. */
export interface NotFound extends Reason {
  is: "not_found";
  /** As with `Unknown`. */
  notBefore?: number;
}
/**
 * Builds the outcome of a call that had no answer and was not found. `notBefore`: until when the network asked to wait (epoch
 * milliseconds).
 */
export const notFound = (unknown: Unknown, notBefore?: number): NotFound => ({
  is: "not_found",
  ...reasonFor(unknown),
  ...(notBefore === undefined ? {} : { notBefore }),
});
/** The result of an addition to a live post. */
export type Added = { is: "added" } | Retryable | Rejected | Unknown | Unauthorized;

/** All possible answers of a network to the one irrevocable call. */
export type Outcome = Live | HandedOver | Processing | Retryable | Rejected | Unknown | Unauthorized;
/** The results of preparing a post. None of them has published anything. */
export type PrepareOutcome = { is: "prepared"; publishKey: Json } | Retryable | Rejected | Unauthorized;
/** The results of reconciling a publish key. */
export type ReconcileOutcome =
  | Live
  | HandedOver
  | Processing
  | Rejected
  | Unknown
  | Unauthorized
  | Void
  | NotPublished
  | Retryable;

/** Returns until when the network asked not to be called, in epoch milliseconds, if it did. */
export function askedWait(answer: { is: string } | Retryable | Unknown | NotFound | undefined): number | undefined {
  return answer !== undefined && WITH_WAITS.includes(answer.is) && "notBefore" in answer ? answer.notBefore : undefined;
}
const WITH_WAITS = ["retryable", "unknown", "not_found"];
