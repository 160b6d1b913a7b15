// Finds the free slots of a post: generates the instants of its slots in portions, and drops those that other posts
// have taken.
import { PUBLISH_AHEAD_MAX_MS, SLOT_AHEAD_MIN_MS } from "../../domain/limits.ts";
import { type Slot, serves, slotInstants } from "../../domain/slots.ts";
import { ask } from "../../store/db/batch.ts";
import type { Database } from "../../store/db/db.ts";
import { readFree, type SlotWish } from "../../store/slots.ts";

/** How many instants are checked in each round, earliest first. */
const PARTS = [50, 250, 1_000, Number.POSITIVE_INFINITY];

/** A post, and the slots of its workspace in their time zone. */
export interface SlotSearch extends Omit<SlotWish, "candidates"> {
  slots: Slot[];
  timezone: string;
}

/** The slot instants that fit a post, free or not, ascending. */
export function listInstants({ slots, timezone, channels }: SlotSearch, range: { from: number; until: number }) {
  const serving = slots.filter((slot) => serves(slot, channels));
  return slotInstants(serving, timezone, range);
}

/** The next free instants within 366 days, up to `count`, each at least a minute ahead. `now`: epoch milliseconds. */
export async function findFree(db: Database, search: SlotSearch, now: number, count: number): Promise<number[]> {
  const { slots: _slots, timezone: _timezone, ...post } = search;
  const instants = listInstants(search, { from: now + SLOT_AHEAD_MIN_MS, until: now + PUBLISH_AHEAD_MAX_MS });
  const free: number[] = [];
  for (const size of PARTS) {
    const candidates = take(instants, size);
    if (candidates.length === 0) break;
    free.push(...(await ask(db, readFree(db, { ...post, candidates }, count - free.length))));
    if (free.length >= count || candidates.length < size) break;
  }
  return free;
}

function take(instants: Iterator<number, void>, count: number): number[] {
  const nextInstants: number[] = [];
  while (nextInstants.length < count) {
    const { value, done } = instants.next();
    if (done === true || value === undefined) break;
    nextInstants.push(value);
  }
  return nextInstants;
}
