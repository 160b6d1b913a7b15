// The table of moves as conditions of statements: one that has such a condition changes nothing in another state.
import { sql } from "drizzle-orm";
import { type DeliveryState, MOVES } from "../../domain/delivery/transitions.ts";
import { deliveries } from "../db/schema.ts";

/** States as a list of SQL. They are names of our own, so they are written out. */
export const stateList = (states: readonly DeliveryState[]) => `(${states.map((state) => `'${state}'`).join(", ")})`;

/** True of a delivery in one of these states. */
export const isInState = (states: readonly DeliveryState[]) =>
  sql`${deliveries.state} IN ${sql.raw(stateList(states))}`;

/** True of a delivery whose state may be left by a move. */
export const mayMove = (move: keyof typeof MOVES) => isInState(MOVES[move].from);
