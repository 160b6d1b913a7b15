// What the sessions of a publisher write, in one round trip: settlements, then send intents, all or nothing.
import { type BatchPart, bothParts, mapPart } from "../db/batch.ts";
import { compiledPart } from "../db/compiled-batch.ts";
import type { Database } from "../db/db.ts";
import {
  type IntentRows,
  intentsOf,
  type SendIntent,
  sendIntentPart,
  sendIntentValues,
  type WrittenIntent,
} from "./send-intent.ts";
import {
  needsOf,
  type Settled,
  type SettledRows,
  type Settlement,
  type SettleNeeds,
  settledOf,
  settlePart,
  settleValues,
} from "./settle.ts";

/** What became of settlements and send intents, in their order. */
export interface Written {
  settled: Settled[];
  intents: WrittenIntent[];
}

interface WrittenRows {
  settled: SettledRows | null;
  intents: IntentRows | null;
}

const settlesOnly = (db: Database, needs: SettleNeeds): BatchPart<WrittenRows> =>
  mapPart(settlePart(db, needs), (settled) => ({ settled, intents: null }));
const intendsOnly = (db: Database): BatchPart<WrittenRows> =>
  mapPart(sendIntentPart(db), (intents) => ({ settled: null, intents }));
const both = (db: Database, needs: SettleNeeds): BatchPart<WrittenRows> =>
  mapPart(bothParts(settlePart(db, needs), sendIntentPart(db)), ([settled, intents]) => ({ settled, intents }));

const runIntends = compiledPart(intendsOnly);
/** By what they need: whether there are files, and whether a network has asked to wait. */
const variants = [false, true].flatMap((hasFiles) =>
  [false, true].map((hasDelays) => {
    const needs = { hasFiles, hasDelays };
    return {
      needs,
      settles: compiledPart((db) => settlesOnly(db, needs)),
      both: compiledPart((db) => both(db, needs)),
    };
  }),
);

function runOf(settlements: Settlement[], intents: SendIntent[]) {
  if (settlements.length === 0) return runIntends;
  const { hasFiles, hasDelays } = needsOf(settlements);
  const variant = variants.find(({ needs }) => needs.hasFiles === hasFiles && needs.hasDelays === hasDelays);
  if (variant === undefined) throw new Error("there is a variant for every need");
  return intents.length === 0 ? variant.settles : variant.both;
}

/** Writes settlements and send intents, at least one of them. A second time changes nothing and says what the rows have. */
export async function writeDeliveries(
  db: Database,
  settlements: Settlement[],
  intents: SendIntent[],
): Promise<Written> {
  const values = {
    ...(settlements.length > 0 ? settleValues(settlements) : {}),
    ...(intents.length > 0 ? sendIntentValues(intents) : {}),
  };
  const rows = await runOf(settlements, intents)(db, values);
  return {
    settled: rows.settled === null ? [] : settledOf(settlements, rows.settled),
    intents: rows.intents === null ? [] : intentsOf(intents, rows.intents),
  };
}

/** Writes settlements. */
export async function settleDeliveries(db: Database, settlements: Settlement[]): Promise<Settled[]> {
  return settlements.length === 0 ? [] : (await writeDeliveries(db, settlements, [])).settled;
}
