import type { Injection } from "../planting.ts";

/** A bug that is planted to see whether the simulation sees it. */
interface Mutant {
  injections: readonly Injection[];
  /** Schedules of scenarios/ that are tried first, by a piece of their names. */
  scenarios?: string;
  /** Networks on which it can show; all where left out. */
  only?: readonly string[];
  /** It is looked for by full runs. */
  isFull?: true;
  /** It is looked for by runs in which the month turns. */
  isTurning?: true;
}
export type Mutants = Record<string, Mutant>;
