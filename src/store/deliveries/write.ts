// What the sessions of a publisher write, in one round trip: settlements, then send intents, all or nothing.
import { compiledBatch } from "../db/compiled-batch.ts";
import type { Database } from "../db/db.ts";
import {
  intentsOf,
  type SendIntent,
  sendIntentStatements,
  sendIntentValues,
  type WrittenIntent,
} from "./send-intent.ts";
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

const intends = compiledBatch(sendIntentStatements);
/** The batches of settlements with such needs: alone, and with send intents. */
const batchesOf = (needs: SettleNeeds) => ({
  settles: compiledBatch((db) => settleStatements(db, needs)),
  both: compiledBatch((db) => ({ ...settleStatements(db, needs), ...sendIntentStatements(db) })),
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
  if (settlements.length === 0) {
    const { written } = await intends(db, sendIntentValues(intents));
    return { settled: [], intents: intentsOf(intents, written) };
  }
  const { settles, both } = batchesFor(needsOf(settlements));
  if (intents.length === 0) {
    return { settled: settledOf(settlements, await settles(db, settleValues(settlements))), intents: [] };
  }
  const rows = await both(db, { ...settleValues(settlements), ...sendIntentValues(intents) });
  return { settled: settledOf(settlements, rows), intents: intentsOf(intents, rows.written) };
}

/** Writes settlements. Returns what became of each. */
export async function settleDeliveries(db: Database, settlements: Settlement[]): Promise<Settled[]> {
  return settlements.length === 0 ? [] : (await writeDeliveries(db, settlements, [])).settled;
}
