// Bugs in the recovery after the database was restored to an earlier minute.
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const restoring = into<typeof import("../../../src/store/after-restore.ts")>("src/store/after-restore.ts");

/** A restore without the step of this name. */
export const without = (says: string): Mutants[string] => ({
  scenarios: "the database goes back",
  injections: [
    restoring(
      "applyStanding",
      (apply) =>
        (...input) =>
          apply(...input).filter((change) => !change.says.startsWith(says)),
    ),
  ],
});

export const OF_RESTORES: Mutants = {
  "after a restore, what was sent since counts as waiting": without("deliveries may have been sent"),
  "after a restore, posts that were cancelled or edited since go out": without("posts were cancelled"),
  "after a restore, channels that were disconnected since publish": without("channels stopped again"),
};
