import { nextVerificationAt, type Rechecks, rarerRechecks } from "../domain/delivery/verification.ts";
import { readRechecks } from "../networks/index.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";

/**
 * How often a live delivery is rechecked: as often as when it was accepted, or less often if its workspace has chosen that
 * since. It is never rechecked more often, because its price was shown when it was accepted.
 */
export const resolveRechecks = ({
  delivery: { platform, rechecks },
  wanted,
}: Pick<FollowUp, "delivery" | "wanted">): Rechecks =>
  rarerRechecks(readRechecks(platform, rechecks), readRechecks(platform, wanted));

/** When a live delivery is rechecked next, in epoch milliseconds, or null if it is not rechecked again. */
export function nextRecheckAt(followUp: Pick<FollowUp, "delivery" | "wanted" | "now">): number | null {
  const { urlState, publishedAt } = followUp.delivery;
  return nextVerificationAt({ urlState, publishedAt, rechecks: resolveRechecks(followUp) }, followUp.now);
}
