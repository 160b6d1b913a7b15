// What callers do later or concurrently: they retry a day after a failure, reconnect a channel during its renewal, use one key
// for two posts, have more channels than one lane, and have an endpoint that is gone next to one that works.
import { PLANS } from "../../../src/domain/plan.ts";
import { getThreadPosition } from "../attribution.ts";
import { GONE } from "../endpoint-addresses.ts";
import { NO_FAULTS, rulePlan } from "../faults.ts";
import { NO, tooMany } from "../network-answers.ts";
import { listPlaylists } from "../networks.ts";
import type { Point } from "../scheduler.ts";
import { buildText, type Channel } from "../wanted.ts";
import { MINUTE, many, post, type Scenario, SECOND } from "./scenario.ts";

const HOUR = 60 * MINUTE;
const no = NO.bluesky ?? { status: 400, body: "{}" };

export const laterScenarios: Record<string, Scenario> = {
  "a delivery that was refused is sent again a day and an hour later": {
    tenants: [["bluesky"]],
    plan: () =>
      rulePlan([
        {
          kind: "wire_no",
          at: ({ irrevocable }) => irrevocable === true,
          verdict: { is: "answer", carriedOut: false, headers: {}, ...no },
          times: 1,
        },
      ]),
    begin(world, workload) {
      const [tenant] = workload.tenants;
      const wanted = post(world, workload, tenant, { afterMs: MINUTE });
      const channel = wanted.first.channels[0] ?? "";
      workload.at(world.now() + 25 * HOUR, () => {
        const noted = wanted.retry(channel, world.now());
        const params = { id: String(wanted.postId), channel };
        workload.request(wanted.workspace, "posts.retry-delivery", { params, body: {} }, (answer) =>
          noted(answer.is === "answer" ? answer.status : null),
        );
      });
    },
  },
  "a workspace has more channels than one lane takes, and a post for all of them": {
    tenants: [many("telegram", 20)],
    plan: () => NO_FAULTS,
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: 3 * MINUTE + 5 * SECOND }),
  },
  "two posts are asked for under one key": {
    tenants: [["telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      for (const [place, msBetween] of [0, 0, 5, MINUTE].entries()) {
        const first = post(world, workload, tenant, { afterMs: HOUR });
        if (tenant === undefined) return;
        const other = workload.want(tenant, { ...first.first, text: buildText(workload.wanted.length, 1) }, first.key);
        workload.create(other, world.now() + msBetween + place);
      }
    },
  },
  "a post is asked for twice under one key, and takes the last place of a month": {
    tenants: [["telegram"]],
    plan(world) {
      const startsAt = world.now() + SECOND;
      let reads = 0;
      const isRead = ({ port, process, what }: Point) =>
        port === "db" && process.kind === "api" && what.endsWith("select workspaces") && world.now() > startsAt;
      // Both have read that there is a place before either takes it.
      const pauses = [SECOND, 3 * SECOND].map((ms, i) => ({
        kind: "pause_after",
        at: (point: Point) => isRead(point) && reads === i && ++reads > 0,
        verdict: { is: "pause", when: "after", ms } as const,
      }));
      return rulePlan(pauses);
    },
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      workload.lowerPlan();
      for (let used = 1; used < (PLANS.free.posts_per_month ?? 0); used++)
        post(world, workload, tenant, { afterMs: HOUR });
      workload.at(world.now() + MINUTE, () => {
        const wanted = post(world, workload, tenant, { afterMs: HOUR });
        workload.create(wanted, world.now());
      });
    },
  },
};

laterScenarios["an endpoint is gone for good while messages wait for another"] = {
  tenants: [["telegram"]],
  hasWebhooks: true,
  plan: () =>
    rulePlan([
      {
        kind: "wire_5xx",
        at: ({ platform, what }) => platform === "webhook" && what.endsWith("/crier/0"),
        verdict: { is: "answer", carriedOut: false, status: 503, headers: {}, body: "" },
        times: 2,
      },
    ]),
  begin(world, workload) {
    const [tenant] = workload.tenants;
    if (tenant === undefined) return;
    const body = { url: GONE };
    world.receiver.gone.add(GONE);
    workload.request(tenant.id, "webhooks.create", { body }, () => {});
    for (const afterMs of [MINUTE, MINUTE + SECOND, 5 * MINUTE]) post(world, workload, tenant, { afterMs });
  },
};

/** Postpones each of the two once, in either order. */
laterScenarios["a thumbnail and a playlist are put off once each"] = {
  tenants: [["youtube"]],
  plan: () =>
    rulePlan(
      ["/thumbnails/set", "/playlistItems"].map((call) => ({
        kind: "wire_429",
        at: ({ port, what }) => port === "wire" && what.startsWith("POST") && what.endsWith(call),
        verdict: tooMany("youtube", "20"),
        times: 1,
      })),
    ),
  begin(world, workload) {
    const [tenant] = workload.tenants;
    const options = ({ account }: Channel) => ({
      thumbnail_media: tenant?.files[0],
      playlist: listPlaylists(account)[0],
    });
    post(world, workload, tenant, { afterMs: MINUTE, files: [3], options });
    workload.at(world.now() + 3 * HOUR, () => {});
  },
};

/** The thread stays live, because its other parts exist. */
laterScenarios["the owner of an account takes the second part of a thread off its network"] = {
  tenants: [["bluesky"]],
  plan: () => NO_FAULTS,
  begin(world, workload) {
    post(world, workload, workload.tenants[0], { parts: 2 });
    workload.at(world.now() + HOUR, () => {
      const second = world.networks.visible().find((entry) => getThreadPosition(entry) === 1);
      if (second !== undefined) world.networks.remove(second);
    });
    workload.at(world.now() + 72 * HOUR, () => {});
  },
};
