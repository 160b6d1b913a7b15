// Slots that no post has yet, where they are in the calendar: a press writes for one.
import { useMemo } from "react";
import { Link } from "wouter";
import { NEXT_SLOTS_MAX } from "../../domain/limits.ts";
import { useChannels, useRead } from "../reads.ts";
import { freeSlotsOf } from "../slots/free-slots.ts";
import { dayName } from "./days.ts";
import type { Entry } from "./entries.ts";

const EVERY_MS = 60_000;
/** Local times of a day, such as `2026-12-01T09:30`, by the day. */
export type FreeSlots = ReadonlyMap<string, readonly string[]>;
export const NO_SLOTS: readonly string[] = [];
const NOWHERE: FreeSlots = new Map();

/** The next free slots of a channel, or those that are free on every channel. `shown`: whether anybody sees them. */
export function useFreeSlots(channel: string | undefined, shown: boolean): FreeSlots {
  const { data: all = [] } = useChannels();
  const channels = channel === undefined ? all.map(({ id }) => id) : [channel];
  const slots = useRead(
    // Under "posts": a post that comes or goes takes a slot or leaves one.
    ["posts", "free slots", channels],
    (client, signal) => freeSlotsOf(client, channels, NEXT_SLOTS_MAX, signal),
    { every: EVERY_MS, keep: true, when: shown },
  );
  const { data } = slots;
  return useMemo(
    () =>
      data === undefined || !shown
        ? NOWHERE
        : Map.groupBy(
            data.map(({ at_local }) => at_local.slice(0, 16)),
            (at) => at.slice(0, 10),
          ),
    [data, shown],
  );
}

export function FreeSlot({ at }: { at: string }) {
  return (
    <Link href={`/compose?at=${at}`} className="free-slot">
      <time>{at.slice(11)}</time>{" "}
      <span>
        free<span className="visually-hidden"> slot on {dayName(at.slice(0, 10))}: write for it</span>
      </span>
    </Link>
  );
}

export interface Line {
  time: string;
  /** What is there; null: a free slot. */
  entry: Entry | null;
}
/** Posts and free slots of a day in the order of their times. */
export const linesOf = (entries: readonly Entry[], free: readonly string[]): Line[] =>
  [
    ...entries.map((entry): Line => ({ time: entry.time, entry })),
    ...free.map((at): Line => ({ time: at.slice(11), entry: null })),
  ].sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
