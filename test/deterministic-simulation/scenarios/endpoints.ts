// An endpoint fails for days, forever or until it recovers, next to one that works.

import { FAILING } from "../endpoint-addresses.ts";
import { NO_FAULTS } from "../faults.ts";
import { MINUTE, post, type Scenario } from "./scenario.ts";

const DAY = 24 * 60 * MINUTE;
const DAYS = 8;

/** `failsForMs`: when it recovers. */
const failing = (failsForMs: number): Scenario => ({
  tenants: [["telegram"]],
  hasWebhooks: true,
  plan: () => NO_FAULTS,
  begin(world, workload) {
    const [tenant] = workload.tenants;
    if (tenant === undefined) return;
    world.receiver.failsUntil = world.now() + failsForMs;
    workload.request(tenant.id, "webhooks.create", { body: { url: FAILING } }, () => {});
    for (let day = 0; day < DAYS; day++)
      workload.at(world.now() + day * DAY + MINUTE, () => void post(world, workload, tenant));
  },
});

export const endpointScenarios: Record<string, Scenario> = {
  "an endpoint fails for good": failing(Number.POSITIVE_INFINITY),
  "an endpoint fails for three days and recovers": failing(3 * DAY),
  "an endpoint fails for six days and recovers": failing(6 * DAY),
};
