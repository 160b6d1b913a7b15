// Finds channels by the names that people type: an id, a handle, a platform, or platform and handle together.

import { allPages, type Client } from "./api/client.ts";
import type { Channel } from "./channel.ts";
import { usage } from "./failure.ts";
import { oneLine } from "./output/terminal.ts";

const CHANNELS_MAX = 10_000;

export async function allChannels(client: Client): Promise<Channel[]> {
  const { items } = await allPages(async (cursor) => {
    const { body } = await client.call("channels.list", { query: { limit: "200", cursor } });
    return { items: body.channels, next: body.next };
  }, CHANNELS_MAX);
  return items;
}

/**
 * The one channel that `named` refers to: an id, a handle (with or without `@`), a platform, or `platform:handle`. An
 * ambiguous name is refused with a suggestion.
 */
export function findChannel(named: string, channels: Channel[]): Channel {
  const byId = channels.find(({ id }) => id === named);
  if (byId !== undefined) return byId;
  const wanted = plain(named);
  const found = channels.filter(
    ({ platform, handle }) =>
      wanted === plain(handle) || wanted === platform || wanted === `${platform}:${plain(handle)}`,
  );
  // A platform's name never matches a handle on another platform, and a disconnected duplicate does not make a name
  // ambiguous.
  const usable = found.filter(({ state }) => state === "connected");
  const [only] = usable.length === 1 ? usable : found;
  if (only === undefined) {
    throw usage(
      `Not found: no channel \`${oneLine(named)}\`.`,
      channels.length === 0
        ? "this workspace has none yet: crier channels connect PLATFORM"
        : `one of: ${channels.map((channel) => nameFor(channel, channels)).join(", ")}`,
    );
  }
  if (usable.length !== 1 && found.length > 1) {
    throw usage(
      `\`${oneLine(named)}\` is the name of ${found.length} channels.`,
      `say which: ${found.map((channel) => nameFor(channel, channels)).join(" or ")}`,
    );
  }
  return only;
}

/** The shortest name with which `findChannel` finds this channel and no other. */
export function nameFor(channel: Channel, channels: Channel[]): string {
  const { id, platform, handle } = channel;
  const isAlone = (test: (other: Channel) => boolean) => channels.filter(test).length === 1;
  const names = (other: Channel) => [plain(other.handle), other.platform];
  if (isAlone((other) => names(other).includes(plain(handle)))) return oneLine(handle);
  const isSame = (other: Channel) => other.platform === platform && plain(other.handle) === plain(handle);
  return isAlone(isSame) ? `${platform}:${oneLine(handle)}` : id;
}

/** `@ada on examplenet`. */
export function spoken({ platform, handle }: Channel): string {
  return `${oneLine(handle)} on ${platform}`;
}

function plain(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/^([a-z]+:)?@/, "$1");
}
