// What a hand does between two deliveries of its channel: it writes how the one ended and claims the next, in one transaction.
import { type ClaimResult, claimStatements, readClaims, type Want } from "./claims.ts";
import type { Database } from "./db.ts";
import { type Ended, type Ending, readEndings, settleStatements } from "./endings.ts";

export interface Turn {
  /** null: there is nothing to write. */
  ending: Ending | null;
  /** null: the channel's next delivery is not claimed. */
  want: Want | null;
}
export interface Turned {
  /** null: there was nothing to write. */
  ended: Ended | null;
  claim: ClaimResult;
}

const NOTHING: ClaimResult = { is: "nothing", nextAt: null };

/** The turns of many hands; all endings are written before the first claim. */
export async function turnAll(db: Database, turns: Turn[]): Promise<Turned[]> {
  const endings = turns.flatMap(({ ending }) => ending ?? []);
  const wants = turns.flatMap(({ ending, want }) => (want === null ? [] : [{ ...want, anew: ending === null }]));
  let ended: Ended[] = [];
  let claims: ClaimResult[] = [];
  if (endings.length === 0) {
    claims = readClaims(wants, await db.batch(claimStatements(db, wants)));
  } else if (wants.length === 0) {
    ended = readEndings(endings, await db.batch(settleStatements(db, endings)));
  } else {
    const results = await db.batch([...settleStatements(db, endings), ...claimStatements(db, wants)]);
    const [a, b, c, d, e, f, g, h, ...claimed] = results;
    ended = readEndings(endings, [a, b, c, d, e, f, g, h]);
    claims = readClaims(wants, claimed);
  }
  return turns.map(({ ending, want }) => ({
    ended: (ending === null ? undefined : ended.shift()) ?? null,
    claim: (want === null ? undefined : claims.shift()) ?? NOTHING,
  }));
}
