// Bugs in switching off an endpoint that acknowledges nothing.
import { DAY_MS } from "../../../src/domain/limits.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const endpoints = into<typeof import("../../../src/domain/webhook.ts")>("src/domain/webhook.ts");

export const OF_ENDPOINTS: Mutants = {
  "an endpoint is switched off after a day of failures": {
    scenarios: "an endpoint fails",
    injections: [
      endpoints("FAILING_MAX_MS", () => DAY_MS),
      endpoints("disabledBy", (decide) => (answer, failingSince, now) => {
        const isLong = failingSince !== null && now - failingSince >= DAY_MS;
        return answer.outcome !== "delivered" && isLong ? "failing" : decide(answer, failingSince, now);
      }),
    ],
  },
  "an endpoint that fails is never switched off": {
    scenarios: "an endpoint fails",
    injections: [endpoints("disabledBy", (decide) => (answer, _failingSince, now) => decide(answer, null, now))],
  },
};
