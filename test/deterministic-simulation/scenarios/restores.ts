// The database is restored to an earlier minute while posts go out, are cancelled and edited, and wait for their networks. No
// post goes out twice, and no stopped post goes out.
import { chancePlan, NO_FAULTS, type Plan } from "../faults.ts";
import { Chance } from "../prng.ts";
import { buildText } from "../wanted.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, many, post, type Scenario, SECOND } from "./scenario.ts";

const NETWORKS = ["telegram", "x", "bluesky", "facebook", "threads", ...many("telegram", 2)];
/** The minute to which the database is restored. */
const MINUTE_MS = 2 * MINUTE;
/** Until then, a post is due every ten seconds. */
const BUSY_MS = 12 * MINUTE;

/** What callers do between that minute and the restore. */
function changeMinds(world: World, workload: Workload): void {
  const from = world.now() + MINUTE_MS;
  for (const wanted of workload.wanted) {
    const at = from + 10 * SECOND + (wanted.n % 6) * 20 * SECOND;
    if (wanted.n % 5 === 1) workload.at(at, () => workload.cancel(wanted));
    if (wanted.n % 5 === 2)
      workload.at(at, () => workload.edit(wanted, { text: buildText(wanted.n, ++wanted.revisions) }));
    // Earlier than in the restored rows, so it has gone out before the restore.
    if (wanted.n % 5 === 3) workload.at(at, () => workload.edit(wanted, { publishAt: world.now() + 5 * SECOND }));
  }
  const [last] = workload.channels.slice(-1);
  if (last !== undefined) workload.at(from + MINUTE, () => workload.disconnect(last));
}

function restoring(plan: (world: World) => Plan, restoredMs: number): Scenario {
  return {
    tenants: [NETWORKS],
    plan,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      for (let ms = 10 * SECOND; ms < BUSY_MS; ms += 10 * SECOND) {
        const n = ms / (10 * SECOND);
        const channel = tenant.channels[n % tenant.channels.length];
        if (channel === undefined) continue;
        const comments = channel.platform === "facebook";
        post(world, workload, tenant, {
          channels: [channel],
          comments,
          parts: channel.platform === "x" && n % 2 === 0 ? 2 : 0,
          afterMs: ms,
        });
      }
      changeMinds(world, workload);
      world.timeTravel(workload, { minute: world.now() + MINUTE_MS, at: world.now() + restoredMs });
    },
  };
}

const troubled = (seed: number) => (world: World) => {
  const calmAt = world.now() + 20 * MINUTE;
  return chancePlan(new Chance(seed), () => world.now() >= calmAt);
};

export const restoreScenarios: Record<string, Scenario> = {};
// Each pause finds other calls in progress.
for (let i = 0; i < 6; i++) {
  const restoredMs = 5 * MINUTE + i * 10 * SECOND + 150 * i;
  restoreScenarios[`the database goes back, and was paused after ${restoredMs} ms`] = restoring(
    () => NO_FAULTS,
    restoredMs,
  );
}
for (let seed = 1; seed <= 6; seed++)
  restoreScenarios[`the database goes back while other things go wrong (${seed})`] = restoring(
    troubled(seed),
    5 * MINUTE + 3_331 * seed,
  );
