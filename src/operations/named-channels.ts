// Refuses lists of channels that callers named.
import type { Context } from "../context.ts";
import { refuse } from "../domain/refusal.ts";
import { channelsByIds } from "../store/channels/channels.ts";

/** Throws `duplicate_channel` if a channel is named twice. */
export function refuseTwice(channels: readonly string[]): void {
  const twice = channels.findIndex((id, i) => channels.indexOf(id) < i);
  if (twice !== -1) throw refuse("duplicate_channel", { field: `/channels/${twice}` });
}

/** Throws `unknown_channel` if a channel is not in the workspace. */
export async function refuseUnknownChannel(ctx: Context, workspaceId: string, channels: string[]): Promise<void> {
  const present = await channelsByIds(ctx.databaseOf(workspaceId), workspaceId, channels);
  const presentIds = new Set(present.map(({ id }) => id));
  const unknown = channels.findIndex((id) => !presentIds.has(id));
  if (unknown !== -1) throw refuse("unknown_channel", { field: `/channels/${unknown}` });
}
