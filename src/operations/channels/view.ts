import type * as z from "zod";
import type { Channel } from "../../contract/channels.ts";
import { type ChannelFacts, channelState } from "../../domain/channel.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";

export function channelFacts(row: ChannelRow): ChannelFacts {
  return { hasCredential: row.credential !== null, tokenExpiresAt: row.tokenExpiresAt, lostReason: row.lostReason };
}

export function channelView(row: ChannelRow, now: number): z.input<typeof Channel> {
  return {
    id: row.id,
    platform: row.platform,
    handle: row.handle,
    name: row.name,
    avatar_url: row.avatarUrl,
    profile_url: row.profileUrl,
    connected: row.credential !== null,
    state: channelState(channelFacts(row), now),
    token_expires_at: isoOrNull(row.tokenExpiresAt),
    waits_until: row.notBefore === null || row.notBefore <= now ? null : isoInstant(row.notBefore),
    created_at: isoInstant(row.createdAt),
  };
}
