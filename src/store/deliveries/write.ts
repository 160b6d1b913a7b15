// What the sessions of a publisher write, in one round trip: settlements, then send intents, all or nothing.
import { compiledBatch } from "../db/compiled-batch.ts";
import type { Database } from "../db/db.ts";
import { leftValues, readLeft } from "./guard.ts";
import { intentsOf, intentValues, type SendIntent, type WrittenIntent, writeIntents } from "./send-intent.ts";
import {
  needsOf,
  type Settled,
  type Settlement,
  type SettleNeeds,
  settledOf,
  settleStatements,
  settleValues,
} from "./settle.ts";

/** What became of settlements and send intents, in their order. */
export interface Written {
  settled: Settled[];
  intents: WrittenIntent[];
}

const intends = compiledBatch((db) => ({ intents: writeIntents(db), left: readLeft(db) }));
/** The batches of settlements with such needs: alone, and with send intents. */
const batchesOf = (needs: SettleNeeds) => ({
  settles: compiledBatch((db) => ({ ...settleStatements(db, needs), left: readLeft(db) })),
  both: compiledBatch((db) => ({ ...settleStatements(db, needs), intents: writeIntents(db), left: readLeft(db) })),
});
const plain = batchesOf({ hasFiles: false, hasDelays: false });
const withFiles = batchesOf({ hasFiles: true, hasDelays: false });
const withDelays = batchesOf({ hasFiles: false, hasDelays: true });
const withAll = batchesOf({ hasFiles: true, hasDelays: true });

function batchesFor({ hasFiles, hasDelays }: SettleNeeds) {
  if (hasDelays) return hasFiles ? withAll : withDelays;
  return hasFiles ? withFiles : plain;
}

/** Writes settlements and send intents, at least one of them. A second time changes nothing and says what the rows have. */
export async function writeDeliveries(
  db: Database,
  settlements: Settlement[],
  intents: SendIntent[],
): Promise<Written> {
  const all = leftValues([...settlements, ...intents].map(({ guard }) => guard));
  if (settlements.length === 0) {
    const { left } = await intends(db, { ...intentValues(intents), ...all });
    return { settled: [], intents: intentsOf(intents, left) };
  }
  const { settles, both } = batchesFor(needsOf(settlements));
  const values = { ...settleValues(settlements), ...all };
  const found = await (intents.length === 0 ? settles(db, values) : both(db, { ...values, ...intentValues(intents) }));
  const settled = await settleOtherwise(db, settlements, settledOf(settlements, found));
  return { settled, intents: intentsOf(intents, found.left) };
}

/** Writes what was not written in the form for a row that another session has changed since. */
async function settleOtherwise(db: Database, settlements: Settlement[], settled: Settled[]): Promise<Settled[]> {
  const others = settlements.map(({ otherwise }, i) => (settled[i]?.written === true ? undefined : otherwise));
  const again = others.filter((other) => other !== undefined);
  if (again.length === 0) return settled;
  const results = await settleDeliveries(db, again);
  return settled.map((first, i) => (others[i] === undefined ? first : (results[again.indexOf(others[i])] ?? first)));
}

/** Writes settlements. Returns what became of each. */
export async function settleDeliveries(db: Database, settlements: Settlement[]): Promise<Settled[]> {
  return settlements.length === 0 ? [] : (await writeDeliveries(db, settlements, [])).settled;
}
