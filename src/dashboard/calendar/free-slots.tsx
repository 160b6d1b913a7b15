// Free slots, shown at their times in the calendar. A press starts a new post for the slot.
import { useMemo } from "react";
import { Link } from "wouter";
import { NEXT_SLOTS_MAX } from "../../domain/limits.ts";
import { useChannels, useRead } from "../reads.ts";
import { fetchFreeSlots } from "../slots/free-slots.ts";
import { dayName } from "./days.ts";
import type { Entry } from "./entries.ts";
import { TimeOfDay } from "./time-of-day.tsx";

const EVERY_MS = 60_000;
/** Local times of a day, such as `2026-12-01T09:30`, by day. */
export type FreeSlots = ReadonlyMap<string, readonly string[]>;
export const NO_SLOTS: readonly string[] = [];
const NOWHERE: FreeSlots = new Map();

/** The next free slots of a channel, or those that are free on every channel. `isShown`: whether they are visible; hidden slots are not fetched. */
export function useFreeSlots(channel: string | undefined, isShown: boolean): FreeSlots {
  const { data: workspaceChannels = [] } = useChannels();
  const channels = channel === undefined ? workspaceChannels.map(({ id }) => id) : [channel];
  const slots = useRead(
    // Under "posts", because adding or removing a post fills or frees a slot.
    ["posts", "free slots", channels],
    (client, signal) => fetchFreeSlots(client, channels, NEXT_SLOTS_MAX, signal),
    { every: EVERY_MS, keep: true, when: isShown },
  );
  const { data } = slots;
  return useMemo(
    () =>
      data === undefined || !isShown
        ? NOWHERE
        : Map.groupBy(
            data.map(({ at_local }) => at_local.slice(0, 16)),
            (slotTime) => slotTime.slice(0, 10),
          ),
    [data, isShown],
  );
}

export function FreeSlot({ at }: { at: string }) {
  return (
    <Link href={`/compose?at=${at}`} className="free-slot">
      <TimeOfDay time={at.slice(11)} />{" "}
      <span>
        free<span className="visually-hidden"> slot on {dayName(at.slice(0, 10))}: write a post for it</span>
      </span>
    </Link>
  );
}

export interface Line {
  time: string;
  /** The post at this time; null: a free slot. */
  entry: Entry | null;
}
/** The posts and free slots of a day, by time. */
export const mergeLines = (entries: readonly Entry[], free: readonly string[]): Line[] =>
  [
    ...entries.map((entry): Line => ({ time: entry.time, entry })),
    ...free.map((slotTime): Line => ({ time: slotTime.slice(11), entry: null })),
  ].sort((first, second) => (first.time < second.time ? -1 : first.time > second.time ? 1 : 0));
