// A workspace moves to another database while it publishes. Nothing is lost, sent twice, or later than the move explains.
import { chancePlan, NO_FAULTS, type Plan, rulePlan } from "../faults.ts";
import { Chance } from "../prng.ts";
import type { World } from "../world.ts";
import { isOwn, MINUTE, many, post, type Scenario, SECOND } from "./scenario.ts";

const NETWORKS = ["telegram", "x", "bluesky", "facebook", "instagram"];
/** Longer than a move takes. */
const BUSY_MS = 6 * MINUTE;

function moving(plan: (world: World) => Plan, startsMs: number, diesAt: number[] = []): Scenario {
  return {
    tenants: [[...NETWORKS, ...many("telegram", 3)]],
    hasTwoDatabases: true,
    plan,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      for (let ms = 5 * SECOND; ms < BUSY_MS; ms += 5 * SECOND) {
        const n = ms / (5 * SECOND);
        const channel = tenant.channels[n % tenant.channels.length];
        if (channel === undefined) continue;
        post(world, workload, tenant, {
          channels: [channel],
          files: channel.platform === "instagram" ? [0] : [],
          afterMs: ms,
        });
      }
      workload.at(world.now() + startsMs, () => void world.moveAway(tenant, diesAt));
    },
  };
}

/** Other faults, from a separate generator. */
const troubled = (seed: number) => (world: World) => {
  const calmAt = world.now() + 20 * MINUTE;
  return chancePlan(new Chance(seed), () => world.now() >= calmAt);
};

export const moveScenarios: Record<string, Scenario> = {};
// A move takes about fifty seconds. One or two of them are between the comparison of a row and the switch.
for (let ms = 4_000; ms < 60_000; ms += 4_000)
  moveScenarios[`a workspace is moved, and ${ms} ms later a post is due`] = {
    tenants: [["telegram"]],
    hasTwoDatabases: true,
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      post(world, workload, tenant, { afterMs: 10 * SECOND + ms });
      workload.at(world.now() + 10 * SECOND, () => void world.moveAway(tenant, []));
    },
  };
// An answer of a network during the move stays with the publisher, which cannot find the workspace's new database.
for (let ms = 30_000; ms < 60_000; ms += 3_000)
  moveScenarios[`a workspace is moved as its post goes out after ${ms} ms, and the accounts are away after that`] = {
    tenants: [["telegram"]],
    hasTwoDatabases: true,
    plan: (world) =>
      rulePlan([
        {
          kind: "pause_after",
          at: ({ irrevocable }) => irrevocable === true,
          verdict: { is: "pause", when: "after", ms: 8 * SECOND },
        },
        {
          kind: "lost_before",
          at: (point) =>
            point.what === "query 1 select workspaces" && isOwn(point) && world.database !== world.databases[0],
          verdict: { is: "lost", when: "before" },
          times: 4,
        },
      ]),
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      post(world, workload, tenant, { afterMs: 10 * SECOND + ms });
      workload.at(world.now() + 10 * SECOND, () => void world.moveAway(tenant, []));
    },
  };
for (const startsMs of [20_000, 122_700])
  moveScenarios[`a workspace is moved while it publishes, from ${startsMs} ms on`] = moving(() => NO_FAULTS, startsMs);
for (const diesAt of [
  [70, 90],
  [110, 30, 230],
])
  moveScenarios[`a workspace is moved while it publishes, and its move breaks off before ${diesAt.join(", ")}`] =
    moving(() => NO_FAULTS, 45_000, diesAt);
for (let seed = 1; seed <= 4; seed++)
  moveScenarios[`a workspace is moved while it publishes, and other things go wrong (${seed})`] = moving(
    troubled(seed),
    10_000 + 7_919 * seed,
    seed % 3 === 0 ? [40 + 9 * seed] : [],
  );
