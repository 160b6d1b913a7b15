// Facts about a delivery that are written together and are not searched for: each group is one JSON column of its row.
import type { Cost } from "../posts/price.ts";
import type { DeliveryDecision } from "./decide-outcome.ts";
import type { FailureCode } from "./failure.ts";
import type { Live } from "./outcome.ts";
import type { Readback } from "./readback.ts";
import type { RecheckResult, Rechecks } from "./recheck.ts";

/** A file in the bucket, by the id of its library entry and the ETag of the content that was sent. */
export interface SentContent {
  id: string;
  etag: string;
}

/** One irrevocable call. It is written before the call is made, and without `answered_at` it may have been carried out. */
export interface Send {
  fencing_token: number;
  /** The SHA-256 of everything that is published; empty if the call was assumed after a restore. */
  payload_hash: string;
  /** The files that are sent from the bucket; absent if there are none. */
  files?: SentContent[];
  /** Epoch milliseconds. */
  sent_at: number;
  /** Absent, like the next two fields, if the call made the post live. */
  answered_at?: number;
  outcome?: string;
  detail?: string | null;
}

/** When a delivery was last sent, in epoch milliseconds; null: never. */
export const lastSentAt = ({ sends }: { sends: readonly Send[] }): number | null => sends.at(-1)?.sent_at ?? null;

/** The outcome of the last try, and how many retries came before it. In a thread, those of the current part. */
export interface LastTry {
  retries: number;
  error: FailureCode | null;
  /** The reason, in Crier's own words. */
  detail: string | null;
  /** The network's message, cleaned. */
  networkMessage: string | null;
}

const UNTRIED: LastTry = { retries: 0, error: null, detail: null, networkMessage: null };

/** The last try of a delivery. One that was not tried yet has no retries and no reason. */
export const getLastTry = ({ lastTry }: { lastTry: LastTry | null }): LastTry => lastTry ?? UNTRIED;

/** A decision as the last try that is stored; null if there is nothing to say about it. */
export function toLastTry(
  decision: Pick<DeliveryDecision, "retries" | "error" | "detail" | "networkMessage">,
): LastTry | null {
  const { retries, error, detail, networkMessage = null } = decision;
  const isSilent = retries === 0 && error === null && detail === null && networkMessage === null;
  return isSilent ? null : { retries, error, detail, networkMessage };
}

/** The post on its network, or the draft that was handed over. In a thread, the first part. */
export interface NetworkPost extends Pick<Live, "id" | "url" | "urlState"> {
  /** When it was last seen there or looked for, in epoch milliseconds. */
  checkedAt?: number;
  /** The first of the consecutive rechecks that did not find it; absent if the last one found it. */
  missingSince?: number;
  /** The comparison with what was accepted; absent if it was not compared yet. */
  readback?: Readback;
  /** Each recheck so far, in order; absent before the first. */
  rechecks?: RecheckResult[];
  /** Its last edit; absent if it has the text with which it was published. */
  edit?: LastEdit;
}

/** The last edit of a live text that the network confirmed. */
interface LastEdit {
  text: string;
  /** Epoch milliseconds. */
  at: number;
  /** How many edits were confirmed so far, this one included. */
  count: number;
}

/** What the workspace accepted for a delivery. */
export interface Terms {
  /** How often the live post is rechecked; null: as its network's rule says. */
  rechecks: Rechecks | null;
  /** The network's charge; null: there is none. */
  cost: Cost | null;
}

/** The stored form of terms; null if they say nothing. */
export const toTerms = (terms: Terms): Terms | null => (terms.rechecks === null && terms.cost === null ? null : terms);
