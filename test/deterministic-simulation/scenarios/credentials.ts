// Credentials whose renewal meets a fault, or that can no longer be unsealed.

import { PASSING } from "../../support/d1-errors.ts";
import { NO_FAULTS, rulePlan } from "../faults.ts";
import type { Point } from "../scheduler.ts";
import { isOwn, MINUTE, post, type Scenario, SECOND } from "./scenario.ts";

export const credentialScenarios: Record<string, Scenario> = {
  "the key of all credentials is gone": {
    tenants: [["bluesky", "x"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      world.sealing.lose();
      post(world, workload, workload.tenants[0], { afterMs: MINUTE });
    },
  },
};

const TOKEN_ENDED = JSON.stringify({ error: { code: 190, message: "Session has expired", type: "OAuthException" } });
/** A call that renews a credential. */
const RENEWAL = /oauth|token|refresh/i;

/** The network answers after the process has ended at a call of another network. */
credentialScenarios["a process ends while it renews a credential that is good for one exchange"] = {
  tenants: [["tiktok", "bluesky"]],
  plan() {
    let isRenewing = false;
    return rulePlan(
      [
        {
          kind: "kill_before",
          at({ port, what, platform, process }) {
            if (port === "wire" && process.kind !== "api" && RENEWAL.test(what)) isRenewing = true;
            return isRenewing && platform === "bluesky";
          },
          verdict: { is: "kill", when: "before" },
          times: 1,
        },
      ],
      (platform) => (platform === "tiktok" ? 5 * SECOND : undefined),
    );
  },
  begin(world, workload) {
    const [tenant] = workload.tenants;
    for (const channel of tenant?.channels ?? [])
      post(world, workload, tenant, {
        channels: [channel],
        afterMs: 70 * MINUTE,
        files: channel.platform === "tiktok" ? [3] : [],
      });
  },
};

/** The first question comes when no further one is planned, and finds that the token has expired. */
credentialScenarios["an object is taken over as it renews a credential to ask for a post for the last time"] = {
  tenants: [["threads"]],
  plan(world, workload) {
    let isSent = false;
    const isAsking = ({ port, what }: Point) => isSent && port === "wire" && what.startsWith("GET ");
    return rulePlan([
      {
        kind: "wire_reset_accepted",
        at({ irrevocable }) {
          if (irrevocable !== true || isSent) return false;
          isSent = true;
          workload.at(world.now() + SECOND, () => workload.stopEverything(65 * MINUTE));
          return true;
        },
        verdict: { is: "lost", when: "after" },
      },
      {
        kind: "wire_expired",
        at: isAsking,
        verdict: { is: "answer", carriedOut: false, status: 401, headers: {}, body: TOKEN_ENDED },
        times: 1,
      },
      {
        kind: "replace",
        at: (point) => isAsking(point) && point.what.endsWith("/me"),
        verdict: { is: "replace" },
        times: 1,
      },
    ]);
  },
  begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
};

/** TikTok's token is renewed one hour after it was issued: from the first poll until after the last one. */
credentialScenarios["a credential cannot be renewed while a video that never arrived is looked for"] = {
  tenants: [["tiktok"]],
  plan(world) {
    const startsAt = world.now();
    return rulePlan([
      {
        kind: "wire_refused",
        at: ({ port, what }) => port === "wire" && what.startsWith("PUT "),
        verdict: { is: "lost", when: "before" },
        times: 1,
      },
      {
        kind: "wire_5xx",
        at: ({ port, what }) => port === "wire" && RENEWAL.test(what) && world.now() < startsAt + 150 * MINUTE,
        verdict: { is: "answer", carriedOut: false, status: 500, headers: {}, body: "" },
      },
    ]);
  },
  begin(world, workload) {
    post(world, workload, workload.tenants[0], { afterMs: 60 * MINUTE - 3 * SECOND, files: [3] });
  },
};

for (const platform of ["tiktok", "x", "pinterest"])
  credentialScenarios[`a renewed ${platform} credential meets a database that is away, and the end of its process`] = {
    tenants: [[platform]],
    plan(world) {
      let renewedAt: number | null = null;
      const since = () => (renewedAt === null ? -1 : world.now() - renewedAt);
      return rulePlan([
        {
          kind: "kill_before",
          at({ port, what, process }) {
            if (port === "wire" && process.kind !== "api" && RENEWAL.test(what)) renewedAt ??= world.now();
            return port === "db" && since() >= 5 * SECOND;
          },
          verdict: { is: "kill", when: "before" },
          times: 1,
        },
        {
          kind: "db_busy",
          at: (point) => point.port === "db" && isOwn(point) && since() >= 0 && since() < 30 * SECOND,
          verdict: { is: "lost", when: "before", text: PASSING.overloaded },
        },
      ]);
    },
    begin(world, workload) {
      const startsAt = world.now();
      world.database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", startsAt + 30 * SECOND);
      workload.at(startsAt + 60 * MINUTE, () => world.networks.expire(platform));
      const files = platform === "tiktok" ? [3] : [0];
      post(world, workload, workload.tenants[0], { afterMs: 5 * MINUTE, files });
      post(world, workload, workload.tenants[0], { afterMs: 90 * MINUTE, files });
    },
  };

for (const platform of ["instagram", "tiktok", "linkedin", "pinterest", "threads", "x", "youtube", "bluesky"])
  for (const when of ["before", "after"] as const)
    credentialScenarios[
      `a renewed credential of ${platform} meets a database whose answer is lost ${when} the commit`
    ] = {
      tenants: [[platform]],
      plan: () => {
        let renewed = false;
        return rulePlan([
          {
            kind: when === "before" ? "lost_before" : "lost_after",
            at: ({ port, what, process }) => {
              if (port === "wire" && process.kind !== "api" && RENEWAL.test(what)) renewed = true;
              return renewed && port === "db";
            },
            verdict: { is: "lost", when },
            times: 1,
          },
        ]);
      },
      begin(world, workload) {
        const startsAt = world.now();
        world.database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", startsAt + 30 * SECOND);
        // These two networks renew a token only while it is valid.
        if (platform !== "instagram" && platform !== "threads")
          workload.at(startsAt + 20 * SECOND, () => world.networks.expire(platform));
        const files = platform === "tiktok" || platform === "youtube" ? [3] : [0];
        post(world, workload, workload.tenants[0], { afterMs: 5 * MINUTE, files });
        post(world, workload, workload.tenants[0], { afterMs: 90 * MINUTE, files });
      },
    };

for (const platform of ["tiktok", "x", "pinterest"])
  credentialScenarios[`the sealing keys are rotated while a credential of ${platform} is renewed`] = {
    tenants: [[platform]],
    plan: (world) =>
      rulePlan(
        [
          {
            kind: "fine",
            at({ port, what, process }) {
              const isRenewal = port === "wire" && process.kind !== "api" && RENEWAL.test(what);
              if (isRenewal) world.sealing.reseal();
              return isRenewal;
            },
            verdict: { is: "fine" },
            times: 1,
          },
        ],
        () => 2 * SECOND,
      ),
    begin(world, workload) {
      const startsAt = world.now();
      world.sealing.rotate();
      const renewAt = startsAt + MINUTE;
      world.database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", renewAt);
      workload.at(renewAt, () => world.networks.expire(platform));
      const files = platform === "tiktok" ? [3] : [0];
      post(world, workload, workload.tenants[0], { afterMs: 5 * MINUTE, files });
      post(world, workload, workload.tenants[0], { afterMs: 90 * MINUTE, files });
    },
  };
