import type { Injection } from "../planting.ts";

/** A planted bug, which shows whether the simulation can see it. */
interface Mutant {
  injections: readonly Injection[];
  /** Part of the names of the scenarios that are tried first. */
  scenarios?: string;
  /** The networks on which it shows; undefined: all. */
  only?: readonly string[];
  /** Full runs search for it. */
  isFull?: true;
  /** Runs in which the month turns search for it. */
  isTurning?: true;
}
export type Mutants = Record<string, Mutant>;
