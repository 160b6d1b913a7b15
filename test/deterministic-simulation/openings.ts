// Crier's view of a simulated database. When a process has ended, the next process reuses its view, also in the next
// world, because opening a view costs more than most processes do with it.
import { type Database, openDatabase } from "../../src/store/db/db.ts";
import type { Gate, SimulatedDatabase } from "./database.ts";

/** A database as one process sees it. */
export interface Opening {
  readonly database: Database;
  /** What its calls pass; null: it is unused. */
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

/** Releases the view of a process that can make no more calls. */
export function close(simulated: SimulatedDatabase, opening: Opening): void {
  opening.gate = null;
  const unused = free.get(simulated) ?? [];
  free.set(simulated, unused);
  unused.push(opening);
}
