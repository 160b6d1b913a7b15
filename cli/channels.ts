// Finds channels by the names that people type: an id, a handle, a platform, or platform and handle together.

import { allPages, type Client } from "./api/client.ts";
import type { Channel } from "./channel.ts";
import { usage } from "./failure.ts";
import { oneLine } from "./output/terminal.ts";

/** `--channel`, where several channels may be named. */
export const CHANNEL_FLAG = { type: "string", short: "c", value: "CHANNEL", multiple: true } as const;

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
export function findChannel(name: string, channels: Channel[]): Channel {
  const byId = channels.find(({ id }) => id === name);
  if (byId !== undefined) return byId;
  const plainName = plain(name);
  const matches = channels.filter(
    ({ platform, handle }) =>
      plainName === plain(handle) || plainName === platform || plainName === `${platform}:${plain(handle)}`,
  );
  // A platform's name never matches a handle on another platform, and a disconnected duplicate does not make a name
  // ambiguous.
  const usable = matches.filter(({ state }) => state === "connected");
  const [only] = usable.length === 1 ? usable : matches;
  if (only === undefined) {
    throw usage(
      `Not found: no channel \`${oneLine(name)}\`.`,
      channels.length === 0
        ? "this workspace has no channels yet: crier channels connect PLATFORM"
        : `one of: ${channels.map((channel) => nameFor(channel, channels)).join(", ")}`,
    );
  }
  if (usable.length !== 1 && matches.length > 1) {
    throw usage(
      `\`${oneLine(name)}\` is the name of ${matches.length} channels.`,
      `use one of: ${matches.map((channel) => nameFor(channel, channels)).join(" or ")}`,
    );
  }
  return only;
}

/** The shortest name with which `findChannel` finds this channel and no other. */
export function nameFor(channel: Channel, channels: Channel[]): string {
  const { id, platform, handle } = channel;
  const isAlone = (test: (candidate: Channel) => boolean) => channels.filter(test).length === 1;
  const names = (candidate: Channel) => [plain(candidate.handle), candidate.platform];
  if (isAlone((candidate) => names(candidate).includes(plain(handle)))) return oneLine(handle);
  const isSame = (candidate: Channel) => candidate.platform === platform && plain(candidate.handle) === plain(handle);
  return isAlone(isSame) ? `${platform}:${oneLine(handle)}` : id;
}

/** The names of channels, separated by commas; `empty` for none. A channel that is gone has its id. */
export function formatChannelNames(ids: string[], channels: Channel[], empty: string): string {
  if (ids.length === 0) return empty;
  return ids
    .map((id) => {
      const channel = channels.find((candidate) => candidate.id === id);
      return channel === undefined ? id : nameFor(channel, channels);
    })
    .join(", ");
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
