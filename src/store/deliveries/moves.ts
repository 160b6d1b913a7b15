// The table of moves as SQL conditions: a statement with such a condition changes nothing in any other state.
import { sql } from "drizzle-orm";
import { type DeliveryState, MOVES } from "../../domain/delivery/transitions.ts";
import { deliveries } from "../db/schema.ts";

/** States as an SQL list. They are our own constants, so they are inlined. */
export const stateList = (states: readonly DeliveryState[]) => `(${states.map((state) => `'${state}'`).join(", ")})`;

/** True of a delivery in one of these states. */
export const isInState = (states: readonly DeliveryState[]) =>
  sql`${deliveries.state} IN ${sql.raw(stateList(states))}`;

/** True of a delivery whose state permits a move. */
export const mayMove = (move: keyof typeof MOVES) => isInState(MOVES[move].from);
