// Bugs in the handling of another release's data.
import { into } from "../planting.ts";
import { UNKNOWN } from "../versions.ts";
import type { Mutants } from "./mutant.ts";

const writing = into<typeof import("../../../src/store/deliveries/write.ts")>("src/store/deliveries/write.ts");

export const OF_VERSIONS: Mutants = {
  "a record with a member of another release is not read": {
    scenarios: "a rollback goes on",
    injections: [
      writing("recordDeliveries", (record) => async (db, records) => {
        const isForeign = records.some((one) => Object.keys(UNKNOWN).some((name) => name in one));
        if (isForeign) throw new Error("unrecognized key");
        return record(db, records);
      }),
    ],
  },
};
