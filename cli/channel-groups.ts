// Finds the channel groups that people name, and their channels.
import type { Answer } from "../src/client/client.ts";
import { allPages, type Client } from "./api/client.ts";
import type { Channel } from "./channel.ts";
import { usage } from "./failure.ts";
import { oneLine } from "./output/terminal.ts";

type ChannelGroup = Answer<"channel-groups.list">["channel_groups"][number];

const GROUPS_MAX = 1_000;

export async function allChannelGroups(client: Client): Promise<ChannelGroup[]> {
  const { items } = await allPages(async (cursor) => {
    const { body } = await client.call("channel-groups.list", { query: { limit: "200", cursor } });
    return { items: body.channel_groups, next: body.next };
  }, GROUPS_MAX);
  return items;
}

/** The channels of the groups with these names, which `findGroup` finds. */
export async function findGroupedChannels(client: Client, names: string[], channels: Channel[]): Promise<Channel[]> {
  if (names.length === 0) return [];
  const groups = await allChannelGroups(client);
  const ids = new Set(names.flatMap((name) => findGroup(name, groups).channels));
  return channels.filter(({ id }) => ids.has(id));
}

/** The one group that `named` refers to: an id, or a name in any case. */
export function findGroup(named: string, groups: ChannelGroup[]): ChannelGroup {
  const byId = groups.find(({ id }) => id === named);
  if (byId !== undefined) return byId;
  const matches = groups.filter(({ name }) => name.toLowerCase() === named.toLowerCase());
  const [group] = matches;
  if (group === undefined) {
    const known = groups.map(({ name }) => `\`${oneLine(name)}\``).join(", ");
    throw usage(
      `Not found: no channel group \`${oneLine(named)}\`.`,
      known === "" ? "this workspace has no channel groups yet" : `one of: ${known}`,
    );
  }
  if (matches.length > 1) {
    const ids = matches.map(({ id }) => id).join(" or ");
    throw usage(`\`${oneLine(named)}\` is the name of ${matches.length} channel groups.`, `use one of: ${ids}`);
  }
  return group;
}
