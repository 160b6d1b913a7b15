// Bugs in the assignment of slots.
import { sql } from "drizzle-orm";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const slots = into<typeof import("../../../src/store/slots.ts")>("src/store/slots.ts");

export const OF_SLOTS: Mutants = {
  "a post takes the slot that was free when it was read": {
    scenarios: "callers race for the slots",
    injections: [
      slots(
        "firstFree",
        () =>
          ({ candidates: [first = 0] }) =>
            sql`${first}`,
      ),
    ],
  },
};
