// Posts that repeat, and posts with a time of its own for one channel.
import { NO_FAULTS, type Plan, rulePlan } from "../faults.ts";
import { Series } from "../series.ts";
import { buildText, type Wanted } from "../wanted.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, post, type Scenario, SECOND } from "./scenario.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A series for all channels of the first workspace; the second channel has a time of its own. */
function repeatDaily(
  world: World,
  workload: Workload,
  {
    times = 3,
    publishAt = world.now() + 5 * MINUTE,
    instants,
  }: { times?: number; publishAt?: number; instants?: number[] } = {},
): Series {
  const [tenant] = workload.tenants;
  if (tenant === undefined) throw new Error("no workspace");
  const [, second] = tenant.channels;
  const overrides =
    second === undefined ? {} : { [second.id]: { publish_at: new Date(publishAt + 3 * HOUR).toISOString() } };
  const fields = { media: [], channels: tenant.channels.map(({ id }) => id), overrides, thread: [], publishAt };
  const wish = { fields, times, key: "series", ...(instants === undefined ? {} : { instants }) };
  return new Series(world, workload, tenant, wish);
}

/** A plan that strikes the statement that makes a next post, each time in another way. */
const strikesMaking = (): Plan => {
  const at = ({ process, what }: { process: { kind: string }; what: string }) =>
    process.kind === "sweep" && what.includes("insert posts");
  return rulePlan([
    { kind: "lost_after", at, verdict: { is: "lost", when: "after" }, times: 1 },
    { kind: "kill_after", at, verdict: { is: "kill", when: "after" }, times: 1 },
    { kind: "lost_before", at, verdict: { is: "lost", when: "before" }, times: 1 },
    { kind: "kill_before", at, verdict: { is: "kill", when: "before" }, times: 1 },
  ]);
};

/** The last local time is shown twice, or is skipped, by the clocks of Berlin. */
const inBerlin = (startsAt: string, instants: string[]): Scenario => ({
  tenants: [["telegram"]],
  startsAt: Date.parse(startsAt),
  plan: () => NO_FAULTS,
  begin(world, workload) {
    world.database.change("UPDATE workspaces SET timezone = 'Europe/Berlin'");
    const [publishAt = 0, ...further] = instants.map((instant) => Date.parse(instant));
    repeatDaily(world, workload, { times: instants.length, publishAt, instants: further });
  },
});

/** Edits that leave the overrides alone. */
function editOthers(world: World, workload: Workload, wanted: Wanted): void {
  const text = (ms: number) =>
    workload.at(world.now() + ms, () => workload.edit(wanted, { text: buildText(wanted.n, ++wanted.revisions) }));
  text(MINUTE);
  workload.at(world.now() + 2 * MINUTE, () => workload.edit(wanted, { publishAt: world.now() + 3 * MINUTE }));
  text(3 * MINUTE);
}

export const seriesScenarios: Record<string, Scenario> = {
  "a post repeats on three days, with a time of its own for one channel": {
    tenants: [["telegram", "bluesky"]],
    hasWebhooks: true,
    plan: () => NO_FAULTS,
    begin: (world, workload) => void repeatDaily(world, workload),
  },
  "a post repeats, and the answers to the making of the next ones are lost": {
    tenants: [["telegram"]],
    plan: strikesMaking,
    begin: (world, workload) => void repeatDaily(world, workload, { times: 4 }),
  },
  "a post repeats over a night whose hour comes twice": inBerlin("2026-10-24T00:00:03Z", [
    "2026-10-24T00:30:00Z",
    "2026-10-25T00:30:00Z",
    "2026-10-26T01:30:00Z",
  ]),
  "a post repeats over a night whose hour is skipped": inBerlin("2027-03-27T00:00:03Z", [
    "2027-03-27T01:30:00Z",
    "2027-03-29T00:30:00Z",
    "2027-03-30T00:30:00Z",
  ]),
  "a post repeats, and each post waits for approval": {
    tenants: [["telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      world.database.change("UPDATE workspaces SET approval = 'all'");
      const series = repeatDaily(world, workload);
      // Nobody approves the third post.
      for (const [i, wanted] of series.posts.slice(0, 2).entries())
        workload.at(world.now() + i * DAY + 4 * MINUTE, () => workload.approve(wanted));
    },
  },
  "a post repeats in a month that has room for two of its posts": {
    tenants: [["telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      const counted = 28;
      world.database.change("UPDATE workspaces SET plan = 'free'");
      world.database.change(
        "INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, '2026-11', ?)",
        tenant?.id ?? "",
        counted,
      );
      world.countedBefore.set(`${tenant?.id} 2026-11`, counted);
      repeatDaily(world, workload);
    },
  },
  "posts with a time of its own for one channel are edited": {
    tenants: [["telegram", "bluesky", "x"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      for (const ownMs of [10 * MINUTE, 50 * MINUTE]) {
        const publish_at = new Date(world.now() + ownMs).toISOString();
        const options = ({ platform }: { platform: string }) => (platform === "bluesky" ? { publish_at } : {});
        editOthers(world, workload, post(world, workload, tenant, { afterMs: 20 * MINUTE, options }));
      }
    },
  },
};
// A stop meets the making of the next post.
for (let ms = 0; ms < 4; ms++)
  seriesScenarios[`a series is stopped ${ms * 20} s after its post is due`] = {
    tenants: [["telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const publishAt = world.now() + 5 * MINUTE;
      const series = repeatDaily(world, workload, { publishAt });
      workload.at(publishAt + ms * 20 * SECOND, () => series.stop());
    },
  };
