// Describes in words what Crier does with a delivery that has started but not ended, and until when.
import { isoInstant } from "../instant.ts";
import { DEADLINE_MS } from "../limits.ts";
import { lastProbeAt } from "./retry.ts";
import { type DeliveryState, isEnded } from "./transitions.ts";

interface DeliveryUnderWay {
  state: DeliveryState;
  /** Epoch milliseconds. */
  nextAt: number | null;
  sentAt: number | null;
  /** The network's last message. */
  detail: string | null;
}

/**
 * When Crier continues with the delivery, in epoch milliseconds. Null while a call is in progress, and after the delivery has
 * ended.
 */
export function nextActionAt({ state, nextAt }: Pick<DeliveryUnderWay, "state" | "nextAt">): number | null {
  return state === "sending" || state === "staged" || isEnded(state) ? null : nextAt;
}

/** A sentence for the owner of the post; null if the state alone says enough. */
export function describeProgress({ state, sentAt, detail }: DeliveryUnderWay): string | null {
  const because = detail === null ? "" : ` (${detail})`;
  if (state === "reconciling" && sentAt !== null) {
    const until = toMinute(lastProbeAt(sentAt));
    return `The network has not confirmed whether it published the post${because}. Crier looks for the post until ${until} at the latest, and sends nothing twice.`;
  }
  if (state === "processing" && sentAt !== null) {
    const until = toMinute(sentAt + DEADLINE_MS);
    return `The network has accepted the post and is still processing it${because}. Crier checks its status until ${until}.`;
  }
  if (state === "staged" && detail !== null) return `The network is not ready for the post yet${because}.`;
  return null;
}

/** `2026-11-24 12:30 UTC`. */
const toMinute = (instant: number): string => `${isoInstant(instant).slice(0, 16).replace("T", " ")} UTC`;
