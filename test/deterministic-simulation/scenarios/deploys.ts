// Deploys while objects work: for a while, the old and the new version run on the same rows and storage.
import { NO_FAULTS } from "../faults.ts";
import { MINUTE, many, oneForEach, post, type Scenario, SECOND } from "./scenario.ts";

export const deployScenarios: Record<string, Scenario> = {
  "a new version is deployed amid sixteen sends, whose answers the old one still gets": {
    tenants: [many("telegram", 16)],
    plan: () => ({ ...NO_FAULTS, latencyMs: () => 2 * SECOND }),
    begin(world, workload) {
      const startsAt = world.now();
      oneForEach(world, workload);
      workload.at(startsAt + MINUTE + SECOND, () => world.processes.deploy(30 * SECOND));
    },
  },
  "a new version is deployed as files are on their way, and the old one is ended before they are there": {
    tenants: [["facebook", "youtube", "tiktok", "x"]],
    plan: () => ({ ...NO_FAULTS, latencyMs: () => 3 * SECOND }),
    begin(world, workload) {
      const startsAt = world.now();
      for (const channel of workload.channels)
        post(world, workload, workload.tenants[0], { channels: [channel], files: [3], afterMs: MINUTE });
      workload.at(startsAt + MINUTE + 5 * SECOND, () => world.processes.deploy(SECOND));
    },
  },
  "three new versions are deployed within a minute in which threads go out": {
    tenants: [["bluesky", "threads", "x"]],
    plan: () => ({ ...NO_FAULTS, latencyMs: () => 2 * SECOND }),
    begin(world, workload) {
      const startsAt = world.now();
      post(world, workload, workload.tenants[0], { parts: 3, comments: false, afterMs: MINUTE });
      for (const afterMs of [3 * SECOND, 20 * SECOND, 40 * SECOND])
        workload.at(startsAt + MINUTE + afterMs, () => world.processes.deploy(10 * SECOND));
    },
  },
};
