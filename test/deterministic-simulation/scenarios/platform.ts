// Faults of the platform: a bucket that is away, a database answer that takes half a minute, and late alarms.
import { NO_FAULTS, rulePlan } from "../faults.ts";
import type { Point } from "../scheduler.ts";
import { isOwn, MINUTE, post, type Scenario, SECOND } from "./scenario.ts";

export const platformScenarios: Record<string, Scenario> = {
  "the bucket is away for ten minutes while posts with files are due": {
    tenants: [["x", "facebook", "pinterest"]],
    plan: (world) => {
      const awayUntil = world.now() + 11 * MINUTE;
      return rulePlan([
        {
          kind: "lost_before",
          at: (point) => point.port === "bucket" && isOwn(point) && world.now() < awayUntil,
          verdict: { is: "lost", when: "before" },
        },
      ]);
    },
    begin(world, workload) {
      for (const files of [[0], [1]]) post(world, workload, workload.tenants[0], { afterMs: MINUTE, files });
    },
  },
  "the database's answer is on its way for half a minute, and another post is due an hour later": {
    tenants: [["telegram", "bluesky"]],
    plan: (world) => {
      const slowUntil = world.now() + 30 * MINUTE;
      const isReading = ({ port, what, process }: Point) =>
        port === "db" && process.kind === "alarm" && what.includes("select thread_parts");
      return rulePlan([
        {
          kind: "pause_after",
          at: (point) => isReading(point) && world.now() < slowUntil,
          verdict: { is: "pause", when: "after", ms: 29 * SECOND },
        },
      ]);
    },
    begin(world, workload) {
      for (const afterMs of [MINUTE, 61 * MINUTE]) post(world, workload, workload.tenants[0], { afterMs });
    },
  },
  "a post comes due while its object works alone after the ends of another, and ends it too": {
    tenants: [["x", "bluesky"]],
    plan: (_world, workload) => {
      const [, , first = "", second = ""] = workload.tenants[0]?.files ?? [];
      const ends = (file: string, times: number) => ({
        kind: "poison",
        at: (point: Point) => point.port === "bucket" && isOwn(point) && point.what.includes(file),
        verdict: { is: "kill", when: "before" } as const,
        times,
      });
      return rulePlan([ends(first, 4), ends(second, 10)]);
    },
    begin(world, workload) {
      const [tenant] = workload.tenants;
      const [x, bluesky] = tenant?.channels ?? [];
      if (x === undefined || bluesky === undefined) return;
      post(world, workload, tenant, { channels: [x], files: [2], afterMs: MINUTE });
      post(world, workload, tenant, { channels: [bluesky], files: [3], afterMs: MINUTE + 22 * SECOND });
    },
  },
  "the alarms of many workspaces ring up to five minutes late": {
    tenants: Array.from({ length: 12 }, () => ["bluesky"]),
    // Only alarms that are set before anything is due are late. An alarm that replaces one of them is on time.
    plan: (world) => {
      const setUntil = world.now() + MINUTE;
      return { ...NO_FAULTS, strikes: (kind) => kind === "alarm_late" && world.now() < setUntil };
    },
    begin(world, workload) {
      for (const tenant of workload.tenants) post(world, workload, tenant, { afterMs: MINUTE });
    },
  },
};
