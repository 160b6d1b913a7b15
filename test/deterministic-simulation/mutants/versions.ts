// Bugs in how one release goes on with what another has left.
import { into } from "../planting.ts";
import { UNKNOWN } from "../versions.ts";
import type { Mutants } from "./mutant.ts";

const writing = into<typeof import("../../../src/store/deliveries/write.ts")>("src/store/deliveries/write.ts");

export const OF_VERSIONS: Mutants = {
  "a settlement with a member of another release is not read": {
    scenarios: "a rollback goes on",
    injections: [
      writing("settleDeliveries", (settle) => async (db, settlements) => {
        const isForeign = settlements.some((settlement) => Object.keys(UNKNOWN).some((name) => name in settlement));
        if (isForeign) throw new Error("unrecognized key");
        return settle(db, settlements);
      }),
    ],
  },
};
