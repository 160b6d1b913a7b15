// The tables of docs/delivery.md, printed from the table of moves and from the promises that the simulation checks.

import { FOLLOW_UP_MOVES, FOLLOW_UP_WHEN, type FollowUpMove } from "../../../src/domain/delivery/follow-up-moves.ts";
import {
  type DeliveryState,
  isState,
  MOVES,
  type Move,
  maybeSent,
  movesBetween,
  STATUS_OF,
  WHEN,
} from "../../../src/domain/delivery/transitions.ts";
import { PROMISES } from "../../deterministic-simulation/promises.ts";
import { table } from "./table.ts";

const STATES = Object.keys(STATUS_OF).filter(isState);
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

/** Marks moves that only some deliveries make: moves of threads, and moves that repeat a call. */
function markMove(from: DeliveryState, to: DeliveryState): string {
  if (movesBetween(from, to).every(({ ofThread }) => ofThread === true)) return " (*thread*)";
  return to === "sending" && maybeSent(from) ? " (*repeat*)" : "";
}

function stateTable(): string {
  const moves: readonly Move[] = Object.values(MOVES);
  return table(
    ["state", "shown as", "what may follow"],
    STATES.map((state) => {
      const next = [...new Set(moves.filter(({ from }) => from.includes(state)).map(({ to }) => to))];
      const successors = next.map((to) => `\`${to}\`${markMove(state, to)}`).join(", ");
      return [`\`${state}\``, `\`${STATUS_OF[state]}\``, successors || "nothing"];
    }),
  );
}

const moveTable = () =>
  table(
    ["move", "from", "to", "by", "event", "cause"],
    Object.entries<Move>(MOVES).map(([name, { from, to, by, event }], i) => [
      ...[`\`${name}\``, code(from), `\`${to}\``, by.join(", "), event === null ? "" : code([event])],
      String(Object.values(WHEN)[i]),
    ]),
  );

const followUpTable = () =>
  table(
    ["move", "from", "to", "only", "cause"],
    Object.entries<FollowUpMove>(FOLLOW_UP_MOVES).map(([name, { from, to, only = "" }], i) => [
      `\`${name}\``,
      code(from),
      `\`${to}\``,
      only,
      String(Object.values(FOLLOW_UP_WHEN)[i]),
    ]),
  );

const promiseTable = () =>
  table(
    ["name", "promise"],
    Object.entries(PROMISES).map(([name, promise]) => [`\`${name}\``, promise]),
  );

export const DELIVERY_TABLES = {
  states: stateTable,
  moves: moveTable,
  "follow-ups": followUpTable,
  promises: promiseTable,
};
