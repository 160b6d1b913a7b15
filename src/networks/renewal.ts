// Computes when the credential of an idle channel is renewed.
import type { Json } from "../domain/json.ts";
import { DAY_MS } from "../domain/limits.ts";
import type { Network } from "./network.ts";

/**
 * How long an idle channel's credential may go without renewal. This does not depend on the lifetime of its access token,
 * because unused grants expire.
 */
const RENEW_IDLE_MS = 7 * DAY_MS;

/** When a credential that was just stored is renewed although nothing is published (epoch milliseconds); null: never. */
export function computeRenewAt(network: Pick<Network, "refreshAt">, credential: Json, now: number): number | null {
  const due = network.refreshAt?.(credential) ?? null;
  return due === null ? null : Math.max(due, now + RENEW_IDLE_MS);
}
