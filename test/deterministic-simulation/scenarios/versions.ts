// An upgrade and a rollback, each with the other release's data in the queue and in the storage of objects.
import { rulePlan } from "../faults.ts";
import type { Version } from "../versions.ts";
import { isOwn, MINUTE, post, type Scenario, SECOND } from "./scenario.ts";

/**
 * The database is away when the networks answer, so that records wait in the storage of an object. The other release is deployed
 * before the database is back.
 */
const deployedAmid = (version: Version): Scenario => ({
  tenants: [["bluesky", "telegram", "youtube", "x"]],
  hasWebhooks: true,
  plan(world) {
    let since: number | null = null;
    return rulePlan([
      {
        kind: "db_busy",
        at(point) {
          if (point.irrevocable === true) since ??= world.now();
          return point.port === "db" && isOwn(point) && since !== null && world.now() < since + MINUTE;
        },
        verdict: { is: "lost", when: "before" },
      },
    ]);
  },
  begin(world, workload) {
    world.version = version;
    const [tenant] = workload.tenants;
    for (const channel of tenant?.channels ?? []) {
      const files = channel.platform === "youtube" ? [3] : [];
      post(world, workload, tenant, { channels: [channel], files, afterMs: MINUTE });
    }
    workload.at(world.now() + MINUTE + 40 * SECOND, () => world.processes.deploy(5 * SECOND));
    workload.at(world.now() + 60 * MINUTE, () => {});
  },
});

export const versionScenarios: Record<string, Scenario> = {
  "an upgrade goes on with what the release before has kept and sent": deployedAmid("before"),
  "a rollback goes on with what the release after has kept and sent": deployedAmid("after"),
};
