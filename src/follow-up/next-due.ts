import { nextRecheckAt, nextSearchAt, type Rechecks, rarerRechecks } from "../domain/delivery/recheck.ts";
import { lastSentAt } from "../domain/delivery/stored-facts.ts";
import { readRechecks } from "../networks/index.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";

/**
 * How often a live delivery is rechecked: as often as when it was accepted, or less often if its workspace has chosen that
 * since. It is never rechecked more often, because its price was shown when it was accepted.
 */
export const resolveRechecks = ({
  delivery: { platform, terms },
  wanted,
}: Pick<FollowUp, "delivery" | "wanted">): Rechecks =>
  rarerRechecks(readRechecks(platform, terms?.rechecks ?? null), readRechecks(platform, wanted));

/**
 * When a delivery without pending work is due again, in epoch milliseconds: a live one for its next recheck, one with an
 * unknown outcome for its next search. Null: never.
 */
export function nextDueAt(followUp: Pick<FollowUp, "delivery" | "wanted" | "now">): number | null {
  const { delivery, now } = followUp;
  const { state, networkPost, publishedAt } = delivery;
  switch (state) {
    case "outcome_unknown":
      return nextSearchAt(lastSentAt(delivery) ?? now, now);
    case "live":
      return nextRecheckAt(
        { urlState: networkPost?.urlState ?? "none", publishedAt, rechecks: resolveRechecks(followUp) },
        now,
      );
    default:
      return null;
  }
}
