// If a caller names a channel by its handle or platform instead of its id, the refusal gives the id.
import type { Context, Reviewer } from "../../context.ts";
import { LIST_LIMIT_MAX } from "../../domain/limits.ts";
import type { Violation } from "../../domain/refusal.ts";
import { type ChannelRow, listChannels } from "../../store/channels/channels.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { getReachableChannels } from "../reach.ts";

/** A longer list would not help. */
const IDS_MAX = 5;

/** Adds the ids of the intended channels to violations about unknown channels. Reads only if there are any. */
export async function withChannelIds(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  violations: Violation[],
): Promise<Violation[]> {
  const { workspaceId } = caller;
  const isUnknown = ({ code }: Violation) => code === "unknown_channel" || code === "override_for_unknown_channel";
  if (!violations.some(isUnknown)) return violations;
  const channels = await listChannels(ctx.databaseOf(workspaceId), workspaceId, {
    limit: LIST_LIMIT_MAX,
    before: null,
    only: getReachableChannels(caller),
  });
  const channelsNamed = indexChannelNames(channels);
  return violations.map((violation) => {
    const name = isUnknown(violation) ? (violation.channel ?? "") : "";
    const matches = channelsNamed(name);
    if (matches.length === 0) return violation;
    const ids = matches.slice(0, IDS_MAX).map(({ id, platform }) => `\`${id}\` on ${platform}`);
    return { ...violation, hint: `A channel is identified by its id: \`${name}\` is ${ids.join(", or ")}.` };
  });
}

/** The fields by which channels are found. */
export type NamedChannel = Pick<ChannelRow, "id" | "platform" | "handle">;

/**
 * Finds the channels that match a name: by handle or platform, with or without the `@`, or by the part of the handle
 * before its first dot. The channels are indexed once, so each look-up costs the same however many there are.
 */
export function indexChannelNames(channels: readonly NamedChannel[]): (name: string) => readonly NamedChannel[] {
  const ways = [
    Map.groupBy(channels, ({ handle }) => plainly(handle)),
    Map.groupBy(channels, ({ platform }) => platform),
    Map.groupBy(channels, ({ handle }) => plainly(handle).split(".")[0]),
  ];
  return (name) => {
    const plainName = plainly(name);
    if (plainName === "") return [];
    return ways.map((channelIndex) => channelIndex.get(plainName)).find((matches) => matches !== undefined) ?? [];
  };
}

const plainly = (name: string) => name.trim().replace(/^@/, "").toLowerCase();
