// The next slots that are free on all of the given channels.
import type { Answer, Client } from "../../client/client.ts";
import { CHANNELS_PER_POST_MAX } from "../../domain/limits.ts";

export type FreeSlot = Answer<"slots.next">["slots"][number];

/** At most `count` slots; empty if no slot has all these channels. */
export async function fetchFreeSlots(
  client: Client,
  channels: readonly string[],
  count: number,
  signal: AbortSignal,
): Promise<FreeSlot[]> {
  if (channels.length === 0 || channels.length > CHANNELS_PER_POST_MAX) return [];
  return (await client.call("slots.next", { query: { channels: channels.join(","), count }, signal })).body.slots;
}
