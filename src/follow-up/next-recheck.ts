import { nextVerificationAt, type VerifiedDelivery } from "../domain/delivery/verification.ts";
import { readRechecks } from "../networks/index.ts";

/** When a live delivery is looked at next on its network, in epoch milliseconds; null: never again. */
export const nextRecheckAt = (
  delivery: Pick<VerifiedDelivery, "urlState"> & { platform: string; publishedAt: number | null },
  now: number,
): number | null => nextVerificationAt({ ...delivery, rechecks: readRechecks(delivery.platform) }, now);
