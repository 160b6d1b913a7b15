// Lost answers of the database, and a database that is away.

import { PASSING, UNDONE } from "../../support/d1-errors.ts";
import { type Plan, type Rule, rulePlan } from "../faults.ts";
import type { Point } from "../scheduler.ts";
import type { World } from "../world.ts";
import { isOwn, MINUTE, many, oneForEach, post, type Scenario } from "./scenario.ts";

/** Loses the answer of trip `k` to the database. Callers' own requests do not count. */
function lostRoundTrip(k: number, when: "before" | "after" = "after"): Rule {
  let roundTrips = 0;
  return {
    kind: `lost_${when}`,
    at: (point) => point.port === "db" && isOwn(point) && ++roundTrips === k,
    verdict: { is: "lost", when },
    times: 1,
  };
}

/**
 * From the first call that `begins` selects, the database does nothing for a minute and fails with `text`. `first` is the
 * effect of that call.
 */
function away(
  world: World,
  begins: (point: Point) => boolean,
  first: "before" | "after" = "before",
  text: string = PASSING.overloaded,
): Plan {
  let since: number | null = null;
  return rulePlan([
    {
      kind: `lost_${first}`,
      at(point) {
        if (since !== null || !begins(point)) return false;
        since = world.now();
        return point.port === "db";
      },
      verdict: { is: "lost", when: first },
    },
    {
      kind: "db_busy",
      at: (point) => point.port === "db" && isOwn(point) && since !== null && world.now() < since + MINUTE,
      verdict: { is: "lost", when: "before", text },
    },
  ]);
}

export const databaseScenarios: Record<string, Scenario> = {
  "the answer of the first claim is lost": {
    tenants: [["x", "bluesky"]],
    plan: () => rulePlan([lostRoundTrip(1)]),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
  "the database is away as soon as the network has answered": {
    tenants: [["telegram", "x", "linkedin"]],
    plan: (world) => away(world, ({ irrevocable }) => irrevocable === true),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
  "the database is away as soon as sends are announced": {
    tenants: [["telegram", "x", "linkedin"]],
    plan(world) {
      let roundTrips = 0;
      return away(world, (point) => point.port === "db" && isOwn(point) && ++roundTrips === 2, "after");
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
};

for (const text of UNDONE)
  databaseScenarios[`the network has answered, and the database says: ${text}`] = {
    tenants: [["telegram", "x", "linkedin"]],
    plan: (world) => away(world, ({ irrevocable }) => irrevocable === true, "before", text),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  };

for (const platform of ["telegram", "x", "bluesky"])
  for (const when of ["before", "after"] as const)
    for (let k = 1; k <= 6; k++)
      databaseScenarios[`fifty posts on ${platform}: the answer of trip ${k} is lost ${when} its commit`] = {
        tenants: [many(platform, 50)],
        plan: () => rulePlan([lostRoundTrip(k, when)]),
        begin: oneForEach,
      };
