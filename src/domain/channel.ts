import { DAY_MS } from "./limits.ts";
import type { RefusalCode } from "./refusal-codes.ts";

export const CHANNEL_STATES = ["connected", "not_connected", "needs_reconnect"] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

export interface ChannelFacts {
  hasCredential: boolean;
  /** Epoch milliseconds; null when it renews itself or never expires. */
  tokenExpiresAt: number | null;
  /** Why the credential was given up, if it was. */
  lostReason: string | null;
}

/** The state that a channel shows at `now` (epoch milliseconds). */
export function channelState(channel: ChannelFacts, now: number): ChannelState {
  if (!channel.hasCredential) return channel.lostReason === null ? "not_connected" : "needs_reconnect";
  return channel.tokenExpiresAt !== null && channel.tokenExpiresAt <= now ? "needs_reconnect" : "connected";
}

/** Why a post cannot be sent through this channel at `now`; null when it can. */
export function whyUnusable(channel: ChannelFacts, now: number): RefusalCode | null {
  switch (channelState(channel, now)) {
    case "connected":
      return null;
    case "not_connected":
      return "channel_not_connected";
    default:
      return "channel_needs_reconnect";
  }
}

/** Before a credential ends that only a user can renew, its owner is warned so long ahead, once each. */
const WARNINGS_MS = [7 * DAY_MS, DAY_MS];

/** When to tell next that a credential ends at `expiresAt` (null: it does not), in epoch milliseconds; null: no more. */
export function nextExpiryWarning(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  return WARNINGS_MS.map((ahead) => expiresAt - ahead).find((at) => at > now) ?? null;
}
