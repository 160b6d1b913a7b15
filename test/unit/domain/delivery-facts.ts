// A delivery that was sent once when it was due, with answers of a network.
import type { DeliveryFacts, Recovery } from "../../../src/domain/delivery/decide-outcome.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** When it was due. */
export const T0 = 1_800_000_000_000;
export const fresh: DeliveryFacts = { hasOpenSend: false, attempts: 1, retries: 0, scheduledFor: T0, sentAt: T0 };
/** A network that can look a post up, and recognizes a repeated post. */
export const keyed: Recovery = { canAsk: true, republishAfterMs: 150_000 };
export const makeMoment = (now: number) => ({ now, jitter: 0.5 });

export const live = { is: "live", id: "1", url: "https://x.example/1", urlState: "none" } as const;
export const rejected = { is: "rejected", error: "content_refused", detail: "no" } as const;
export const busy = { is: "retryable", error: "network_unavailable", detail: "down" } as const;
