import type { Json } from "../json.ts";
import type { FailureCode } from "./failure.ts";
import type { Alteration } from "./readback.ts";

/** Why an answer is what it is. Both may be absent: the code of a refusal says it already. */
export interface Reason {
  /** In Crier's own words, as a clause. */
  detail?: string;
  /** In the network's words, as it sent them: a stranger's text, which is never shown as Crier's. */
  networkMessage?: string;
}

/** The reason alone, to build another outcome from. */
export const reasonFor = ({ detail, networkMessage }: Reason): Reason => ({
  ...(detail === undefined ? {} : { detail }),
  ...(networkMessage === undefined ? {} : { networkMessage }),
});

/** Published: the network's id for it and its address, as far as the network gives one. */
export interface Live {
  is: "live";
  id: string;
  url: string | null;
  /** `none` when `url` is known, `pending` when it comes later, `not_reported` when the network never gives one. */
  urlState: "none" | "pending" | "not_reported";
  /** What its owner should know although it is out, and do about it. */
  note?: string;
  /** The publish handle to keep from now on. */
  handle?: Json;
  /** Epoch milliseconds before which the network asked not to be called, when it was asked for the id or the address. */
  notBefore?: number;
}
/** A draft is in the account's inbox at the network: its owner publishes it there, and nobody says whether that happened. */
export interface HandedOver {
  is: "handed_over";
  /** The network's id of the draft. */
  id: string;
  /** What its owner should know. */
  note?: string;
}
/** Accepted; the network finishes alone. Ask again with the same handle, never publish again. */
export interface Processing {
  is: "processing";
  handle: Json;
  /** Epoch milliseconds at which to ask next. */
  askAt: number;
}
/** A documented refusal that goes away by itself; nothing was published. */
export interface Retryable extends Reason {
  is: "retryable";
  error: FailureCode;
  /** Epoch milliseconds before which the network asked not to be called; kept for the whole channel. */
  notBefore?: number;
  /** Epoch milliseconds before which this delivery alone does not go on: the network is preparing, no try was used up. */
  retryAt?: number;
  /** The network takes so many in any 24 hours, and does not say when there is room again. */
  isOfDay?: boolean;
}
/** A documented refusal that stays; nothing was published. */
export interface Rejected extends Reason {
  is: "rejected";
  error: FailureCode;
}
/** The call may or may not have been carried out. */
export interface Unknown extends Reason {
  is: "unknown";
  /** As with `Retryable`: nothing is asked before either. */
  notBefore?: number;
  /** Nobody will ever be able to tell: asking again is of no use. */
  final?: true;
  /** The network was asked, could answer, and does not show the post. It may still come for some minutes. */
  isAbsent?: true;
}
/** The network refused the access token; nothing was published. One renewal and one more try are allowed. */
export interface Unauthorized extends Reason {
  is: "unauthorized";
}
/** The network's final word that our handle published nothing and never will: a new one may be made. */
export interface Void extends Reason {
  is: "void";
  error: FailureCode;
}
/** Our handle published nothing so far, and publishing under it again is safe. */
export interface NotPublished {
  is: "not_published";
}
/** A published post, as it was found. */
interface There {
  is: "there";
  url: string | null;
  /** What it shows otherwise than it was accepted. `later`: it does not show it yet; absent: it cannot be compared. */
  altered?: Alteration[] | "later";
}
/** The network says that there is no such post. A second question has to find the same before it is believed. */
interface Gone {
  is: "gone";
  /** Milliseconds until that second question, where the network is known to say so falsely for longer than usual. */
  confirmAfterMs?: number;
}
/** What verifying a published post found. `unknown` is a verification that failed: never a reason to call it gone. */
export type VerifyOutcome = There | Gone | Unknown;
/** What became of taking a post down. `missing`: the network says that there is no such post, or none for us. */
export type TakenDown =
  | { is: "taken_down" }
  | ({ is: "missing" } & Reason)
  | Retryable
  | Rejected
  | Unknown
  | Unauthorized;
/** What became of a first comment. */
export type Commented = { is: "commented" } | Retryable | Rejected | Unknown | Unauthorized;
/** Its answer was lost, and the network does not show it, yet, or could not be asked: it is looked for again. */
export interface NotFound extends Reason {
  is: "not_found";
  /** As with `Unknown`. */
  notBefore?: number;
}
/** What had no answer, and was not found either; `notBefore`: until when the network asked to wait (epoch milliseconds). */
export const notFound = (unknown: Unknown, notBefore?: number): NotFound => ({
  is: "not_found",
  ...reasonFor(unknown),
  ...(notBefore === undefined ? {} : { notBefore }),
});
/** What became of an addition to a live post. */
export type Added = { is: "added" } | Retryable | Rejected | Unknown | Unauthorized;

/** All that a network can answer to the one irrevocable call. */
export type Outcome = Live | HandedOver | Processing | Retryable | Rejected | Unknown | Unauthorized;
/** What making everything ready may end in, beside being ready. None of it published anything. */
export type PrepareOutcome = { is: "prepared"; handle: Json } | Retryable | Rejected | Unauthorized;
/** What reconciling a handle may end in. */
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

/** Until when the network asked to be left alone, in epoch milliseconds, where it did. */
export function askedWait(answer: { is: string } | Retryable | Unknown | NotFound | undefined): number | undefined {
  return answer !== undefined && WITH_WAITS.includes(answer.is) && "notBefore" in answer ? answer.notBefore : undefined;
}
const WITH_WAITS = ["retryable", "unknown", "not_found"];
