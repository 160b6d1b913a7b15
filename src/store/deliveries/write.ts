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
import { needsOf, type Settled, type Settlement, settledOf, settleStatements, settleValues } from "./settle.ts";

/** What became of settlements and send intents, in their order. */
export interface Written {
  settled: Settled[];
  intents: WrittenIntent[];
}

const intends = compiledBatch(sendIntentStatements);
/** A batch for each of what settlements may need. */
const variants = [false, true].flatMap((hasFiles) =>
  [false, true].map((hasDelays) => {
    const needs = { hasFiles, hasDelays };
    return {
      needs,
      settles: compiledBatch((db) => settleStatements(db, needs)),
      both: compiledBatch((db) => ({ ...settleStatements(db, needs), ...sendIntentStatements(db) })),
    };
  }),
);

function variantOf(settlements: Settlement[]) {
  const { hasFiles, hasDelays } = needsOf(settlements);
  const variant = variants.find(({ needs }) => needs.hasFiles === hasFiles && needs.hasDelays === hasDelays);
  if (variant === undefined) throw new Error("there is a variant for every need");
  return variant;
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
  const { settles, both } = variantOf(settlements);
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
