import { DAY_MS } from "./limits.ts";
import type { RefusalCode } from "./refusal-codes.ts";

export const CHANNEL_STATES = ["connected", "not_connected", "needs_reconnect"] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

export interface ChannelFacts {
  hasCredential: boolean;
  /** Epoch milliseconds; null if the token renews itself or never expires. */
  tokenExpiresAt: number | null;
  /** Why the credential was given up; null if it was not. */
  lostReason: string | null;
}

/** The state that a channel shows at `now` (epoch milliseconds). */
export function channelState(channel: ChannelFacts, now: number): ChannelState {
  if (!channel.hasCredential) return channel.lostReason === null ? "not_connected" : "needs_reconnect";
  return channel.tokenExpiresAt !== null && channel.tokenExpiresAt <= now ? "needs_reconnect" : "connected";
}

/** Returns why a post cannot be sent through this channel at `now`, or null if it can. */
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

/** How long before a credential expires that only a user can renew its owner is warned, once each. */
const WARNINGS_MS = [7 * DAY_MS, DAY_MS];

/**
 * Returns when to warn next that a credential expires at `expiresAt` (null: it does not), in epoch milliseconds, or null if
 * no warning is left.
 */
export function nextExpiryWarning(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  return WARNINGS_MS.map((ahead) => expiresAt - ahead).find((warnAt) => warnAt > now) ?? null;
}
