// Crier's view of a simulated database. Opening one, and building the statements that are kept with it, costs more than
// what most processes do with it: what nobody uses any more is taken by the next one, in the next world, too.
import { type Database, openDatabase } from "../../src/store/db/db.ts";
import type { Gate, SimulatedDatabase } from "./database.ts";

/** A database as one process has it. */
export interface Opening {
  readonly database: Database;
  /** What its calls pass; null: nobody has it. */
  gate: Gate | null;
}

const free = new WeakMap<SimulatedDatabase, Opening[]>();

/** Opens `simulated` for one process, whose calls pass `gate`. */
export function open(simulated: SimulatedDatabase, gate: Gate): Opening {
  const opening = free.get(simulated)?.pop() ?? openNew(simulated);
  opening.gate = gate;
  return opening;
}

function openNew(simulated: SimulatedDatabase): Opening {
  const opening: Opening = {
    database: openDatabase(
      simulated.binding((what, statements, act) => {
        if (opening.gate === null) throw new Error("a process that has ended uses its database");
        return opening.gate(what, statements, act);
      }),
    ),
    gate: null,
  };
  return opening;
}

/** Nothing of the process that had it can come any more. */
export function close(simulated: SimulatedDatabase, opening: Opening): void {
  opening.gate = null;
  const its = free.get(simulated) ?? [];
  free.set(simulated, its);
  its.push(opening);
}
