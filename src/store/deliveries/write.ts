// Writes the results of a publisher's sessions in one round trip: settlements, then send intents, all or nothing.
import { compiledBatch } from "../db/compiled-batch.ts";
import type { Database } from "../db/db.ts";
import { leftValues, readLeft } from "./guard.ts";
import { intentValues, readWrittenIntents, type SendIntent, type WrittenIntent, writeIntents } from "./send-intent.ts";
import {
  getSettleNeeds,
  readSettled,
  type Settled,
  type Settlement,
  type SettleNeeds,
  settleStatements,
  settleValues,
} from "./settle.ts";

/** The results of writing settlements and send intents, in their order. */
export interface Written {
  settled: Settled[];
  intents: WrittenIntent[];
}

const intends = compiledBatch((db) => ({ intents: writeIntents(db), left: readLeft(db) }));
/** The compiled batches of settlements with such needs: alone, and with send intents. */
const compileBatches = (needs: SettleNeeds) => ({
  settles: compiledBatch((db) => ({ ...settleStatements(db, needs), left: readLeft(db) })),
  both: compiledBatch((db) => ({ ...settleStatements(db, needs), intents: writeIntents(db), left: readLeft(db) })),
});
type Batches = ReturnType<typeof compileBatches>;
const compiled = new Map<string, Batches>();

/** The batches with exactly these statements. */
function batchesFor(needs: SettleNeeds): Batches {
  const { hasFiles, hasWork, hasDelays } = needs;
  const name = [hasFiles, hasWork, hasDelays].join();
  const batches = compiled.get(name) ?? compileBatches(needs);
  compiled.set(name, batches);
  return batches;
}

/** Settlements, or send intents, per round trip: this stays far below the 30 seconds of D1. */
const TOGETHER_MAX = 100;
/**
 * Their characters as one parameter. A character takes up to three bytes, and a parameter at most 2 MB
 * (developers.cloudflare.com/d1/platform/limits, read 2026-11-24).
 */
const TOGETHER_CHARACTERS_MAX = 500_000;

/** The characters of the long fields of a settlement or a send intent. */
function countCharacters(input: Settlement | SendIntent): number {
  if (!("transition" in input)) return input.publishKey.length;
  const { transition, event, part } = input;
  const partLength = part === undefined ? 0 : JSON.stringify(part).length;
  const texts = [transition.publishKey, transition.detail, transition.networkMessage, event?.body];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), partLength);
}

/**
 * Takes as many from the beginning of `waiting` as fit into one round trip, at least one. `inputOf`: the record to
 * write for each.
 */
export function takeTogether<Waiting>(
  waiting: Waiting[],
  inputOf: (waiting: Waiting) => Settlement | SendIntent,
): Waiting[] {
  let [count, characters] = [0, 0];
  for (const each of waiting.slice(0, TOGETHER_MAX)) {
    characters += countCharacters(inputOf(each));
    if (count > 0 && characters > TOGETHER_CHARACTERS_MAX) break;
    count++;
  }
  return waiting.splice(0, count);
}

/**
 * Writes settlements and send intents: at least one, and no more than `takeTogether` takes. Idempotent: a repetition
 * changes nothing and returns the state of the rows.
 */
export async function writeDeliveries(
  db: Database,
  settlements: Settlement[],
  intents: SendIntent[],
): Promise<Written> {
  const guardValues = leftValues([...settlements, ...intents].map(({ guard }) => guard));
  if (settlements.length === 0) {
    const { left } = await intends(db, { ...intentValues(intents), ...guardValues });
    return { settled: [], intents: readWrittenIntents(intents, left) };
  }
  const { settles, both } = batchesFor(getSettleNeeds(settlements));
  const values = { ...settleValues(settlements), ...guardValues };
  const results = await (intents.length === 0
    ? settles(db, values)
    : both(db, { ...values, ...intentValues(intents) }));
  const settled = await settleOtherwise(db, settlements, readSettled(settlements, results));
  return { settled, intents: readWrittenIntents(intents, results.left) };
}

/** Retries unwritten settlements in their form for a row that another session has changed since. */
async function settleOtherwise(db: Database, settlements: Settlement[], settled: Settled[]): Promise<Settled[]> {
  const alternatives = settlements.map(({ otherwise }, i) => (settled[i]?.written === true ? undefined : otherwise));
  const again = alternatives.filter((alternative) => alternative !== undefined);
  if (again.length === 0) return settled;
  const results = await settleDeliveries(db, again);
  return settled.map((first, i) =>
    alternatives[i] === undefined ? first : (results[again.indexOf(alternatives[i])] ?? first),
  );
}

/** Writes settlements, in as many round trips as they need. Returns the result of each. */
export async function settleDeliveries(db: Database, settlements: Settlement[]): Promise<Settled[]> {
  const waiting = [...settlements];
  const settled: Settled[] = [];
  while (waiting.length > 0) {
    const together = takeTogether(waiting, (settlement) => settlement);
    settled.push(...(await writeDeliveries(db, together, [])).settled);
  }
  return settled;
}
