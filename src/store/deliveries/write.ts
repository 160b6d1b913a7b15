// Writes the results of a publisher's sessions in one round trip: records, then send intents, all or nothing.
import type { Database } from "../db/db.ts";
import { type AnswerRow, preparedBatch } from "../db/prepared-sql.ts";
import { readMessage } from "../webhooks/messages.ts";
import { leftValues, readLeftRow, selectLeft } from "./guard.ts";
import {
  type DeliveryRecord,
  getRecordNeeds,
  type Recorded,
  type RecordNeeds,
  readRecorded,
  recordStatements,
  recordValues,
} from "./record.ts";
import { intentValues, readWrittenIntents, type SendIntent, type WrittenIntent, writeIntents } from "./send-intent.ts";

/** The results of writing records and send intents, in their order. */
export interface Written {
  recorded: Recorded[];
  intents: WrittenIntent[];
}

const writesIntents = preparedBatch(
  (db) => ({ intents: writeIntents(db), left: selectLeft() }),
  (rowsFrom) => rowsFrom("left").map(readLeftRow),
);
/** The prepared batches of records with such needs: alone, and with send intents. */
function prepareBatches(needs: RecordNeeds) {
  const read = (rowsFrom: (name: "left" | "messages") => AnswerRow[]) => ({
    left: rowsFrom("left").map(readLeftRow),
    messages: rowsFrom("messages").map(readMessage),
  });
  return {
    alone: preparedBatch((db) => ({ ...recordStatements(db, needs), left: selectLeft() }), read),
    both: preparedBatch(
      (db) => ({ ...recordStatements(db, needs), intents: writeIntents(db), left: selectLeft() }),
      read,
    ),
  };
}
type Batches = ReturnType<typeof prepareBatches>;
const prepared = new Map<string, Batches>();

/** The batches with exactly these statements. */
function batchesFor(needs: RecordNeeds): Batches {
  const { hasFiles, hasWork, hasThreadParts, hasDelays } = needs;
  const name = [hasFiles, hasWork, hasThreadParts, hasDelays].join();
  const batches = prepared.get(name) ?? prepareBatches(needs);
  prepared.set(name, batches);
  return batches;
}

/** Records, or send intents, per round trip: this stays far below the 30 seconds of D1. */
const TOGETHER_MAX = 100;
/**
 * Their characters as one parameter. A character takes up to three bytes, and a parameter at most 2 MB
 * (developers.cloudflare.com/d1/platform/limits, read 2026-11-24).
 */
const TOGETHER_CHARACTERS_MAX = 500_000;

/** The characters of the long fields of a record or a send intent. */
function countCharacters(input: DeliveryRecord | SendIntent): number {
  if (!("decision" in input)) return input.publishKey.length;
  const { decision, event, threadPart } = input;
  const threadPartLength = threadPart === undefined ? 0 : JSON.stringify(threadPart).length;
  const texts = [decision.publishKey, decision.detail, decision.networkMessage, event?.body];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), threadPartLength);
}

/**
 * Takes as many from the beginning of `waiting` as fit into one round trip, at least one. `inputOf`: the record to
 * write for each.
 */
export function takeTogether<Waiting>(
  waiting: Waiting[],
  inputOf: (waiting: Waiting) => DeliveryRecord | SendIntent,
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
 * Writes records and send intents: at least one, and no more than `takeTogether` takes. Idempotent: a repetition
 * changes nothing and returns the state of the rows.
 */
export async function writeDeliveries(
  db: Database,
  records: DeliveryRecord[],
  intents: SendIntent[],
): Promise<Written> {
  const guardValues = leftValues([...records, ...intents].map(({ guard }) => guard));
  if (records.length === 0) {
    const left = await writesIntents(db, { ...intentValues(intents), ...guardValues });
    return { recorded: [], intents: readWrittenIntents(intents, left) };
  }
  const { alone, both } = batchesFor(getRecordNeeds(records));
  const values = { ...recordValues(records), ...guardValues };
  const results = await (intents.length === 0 ? alone(db, values) : both(db, { ...values, ...intentValues(intents) }));
  const recorded = await recordOtherwise(db, records, readRecorded(records, results));
  return { recorded, intents: readWrittenIntents(intents, results.left) };
}

/** Retries unwritten records in their form for a row that another session has changed since. */
async function recordOtherwise(db: Database, records: DeliveryRecord[], recorded: Recorded[]): Promise<Recorded[]> {
  const alternatives = records.map(({ otherwise }, i) => (recorded[i]?.written === true ? undefined : otherwise));
  const again = alternatives.filter((alternative) => alternative !== undefined);
  if (again.length === 0) return recorded;
  const results = await recordDeliveries(db, again);
  return recorded.map((first, i) =>
    alternatives[i] === undefined ? first : (results[again.indexOf(alternatives[i])] ?? first),
  );
}

/** Writes records, in as many round trips as they need. Returns the result of each. */
export async function recordDeliveries(db: Database, records: DeliveryRecord[]): Promise<Recorded[]> {
  const waiting = [...records];
  const recorded: Recorded[] = [];
  while (waiting.length > 0) {
    const together = takeTogether(waiting, (record) => record);
    recorded.push(...(await writeDeliveries(db, together, [])).recorded);
  }
  return recorded;
}
