// What is being done about a delivery that is neither waiting nor over, in words, and until when.
import { isoInstant } from "../instant.ts";
import { DEADLINE_MS } from "../limits.ts";
import { lastProbeAt } from "./retry.ts";
import { type DeliveryState, isEnded } from "./transitions.ts";

interface DeliveryUnderWay {
  state: DeliveryState;
  /** Epoch milliseconds. */
  nextAt: number | null;
  sentAt: number | null;
  /** What the network said last. */
  detail: string | null;
}

/** When it is looked at next, epoch milliseconds. Null while a call is under way, and once it has ended. */
export function nextActionAt({ state, nextAt }: Pick<DeliveryUnderWay, "state" | "nextAt">): number | null {
  return state === "sending" || state === "staged" || isEnded(state) ? null : nextAt;
}

/** A sentence for its owner; null: its state says it all. */
export function describeProgress({ state, sentAt, detail }: DeliveryUnderWay): string | null {
  const because = detail === null ? "" : ` (${detail})`;
  if (state === "verifying" && sentAt !== null) {
    const until = toMinute(lastProbeAt(sentAt));
    return `The network has not said whether it published the post${because}. Crier looks for it there until ${until} at the latest, and sends nothing twice.`;
  }
  if (state === "processing" && sentAt !== null) {
    const until = toMinute(sentAt + DEADLINE_MS);
    return `The network has accepted the post and is still working on it${because}. Crier asks until ${until}.`;
  }
  if (state === "staged" && detail !== null) return `The network is not ready for the post yet${because}.`;
  return null;
}

/** `2026-11-24 12:30 UTC`. */
const toMinute = (instant: number): string => `${isoInstant(instant).slice(0, 16).replace("T", " ")} UTC`;
