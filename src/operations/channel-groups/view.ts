import type * as z from "zod";
import type { ChannelGroup } from "../../contract/channel-groups.ts";
import type { ChannelGroupRow } from "../../store/channel-groups.ts";

/** `only`: the channels that the caller may see; null: all. */
export const channelGroupView = (
  { id, name, channels }: ChannelGroupRow,
  only: readonly string[] | null = null,
): z.input<typeof ChannelGroup> => ({
  id,
  name,
  channels: only === null ? channels : channels.filter((channel) => only.includes(channel)),
});
