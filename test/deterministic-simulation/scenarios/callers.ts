// Callers who change their posts at the worst moment.
import { NO_FAULTS, rulePlan } from "../faults.ts";
import { FILES, listPlaylists } from "../networks.ts";
import { buildText, type Channel } from "../wanted.ts";
import { isOwn, MINUTE, many, oneForEach, post, type Scenario, SECOND } from "./scenario.ts";

const missing = (): never => {
  throw new Error("there is no post");
};

/** A video is live, and its owner takes it down before its follow-ups begin. */
const takenDownBeforeAddition: Scenario = {
  tenants: [["youtube"]],
  plan(world, workload) {
    const isLive = () => world.database.rows("SELECT 1 FROM deliveries WHERE state = 'live'").length > 0;
    return rulePlan([
      {
        kind: "pause_after",
        at(point) {
          const isRead =
            point.port === "db" && isOwn(point) && /^query .*select follow_ups/.test(point.what) && isLive();
          if (isRead) workload.at(world.now() + SECOND, () => workload.takeDownAll());
          return isRead;
        },
        verdict: { is: "pause", when: "after", ms: 5 * SECOND },
        times: 1,
      },
    ]);
  },
  begin(world, workload) {
    const options = ({ handle }: Channel) => ({ playlist: listPlaylists(handle)[0] ?? "" });
    post(world, workload, workload.tenants[0], { afterMs: MINUTE, files: [3], options });
  },
};

export const callerScenarios: Record<string, Scenario> = {
  "a video is taken down before its playlist gets it": takenDownBeforeAddition,
  "thirty people edit a post of tomorrow": {
    tenants: [["bluesky", "x"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const wanted = post(world, workload, workload.tenants[0], { afterMs: 12 * 60 * MINUTE });
      for (let i = 0; i < 30; i++)
        workload.at(world.now() + MINUTE, () =>
          workload.edit(wanted, { text: buildText(wanted.n, ++wanted.revisions) }),
        );
    },
  },
  "an uploaded file is changed between the last look at it and the publishing": {
    tenants: [["instagram", "threads", "facebook", "pinterest", "x", "bluesky", "linkedin"]],
    plan(_world, workload) {
      const [tenant] = workload.tenants;
      const [file, other] = FILES;
      const id = tenant?.files[0];
      if (tenant === undefined || file === undefined || other === undefined || id === undefined) return NO_FAULTS;
      return rulePlan([
        {
          kind: "file_changed",
          at({ port, process }) {
            if (port === "wire" && process.kind !== "api" && workload.swapped.size === 0)
              workload.swap(tenant, id, { ...file, bytes: other.bytes });
            return false;
          },
          verdict: { is: "fine" },
        },
      ]);
    },
    begin(world, workload) {
      const [tenant] = workload.tenants;
      for (const channel of tenant?.channels ?? [])
        post(world, workload, tenant, { channels: [channel], files: [0], afterMs: MINUTE });
    },
  },
  "different things of a post are edited at once": {
    tenants: [["bluesky", "x"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      for (let i = 0; i < 8; i++) {
        const wanted = post(world, workload, workload.tenants[0], { afterMs: 60 * MINUTE });
        const [first = ""] = wanted.first.channels;
        workload.at(world.now() + MINUTE, () => workload.edit(wanted, { text: buildText(wanted.n, 2) }));
        workload.at(world.now() + MINUTE, () =>
          workload.edit(wanted, { overrides: { [first]: { text: buildText(wanted.n, 3) } } }),
        );
        workload.at(world.now() + MINUTE, () => workload.edit(wanted, { publishAt: wanted.first.publishAt ?? 0 }));
      }
    },
  },
  "a post is cancelled long before its time": {
    tenants: [["bluesky", "telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const wanted = post(world, workload, workload.tenants[0], { afterMs: 10 * MINUTE });
      workload.at(world.now() + MINUTE, () => workload.cancel(wanted));
    },
  },
  "a post is cancelled as it goes out": {
    tenants: [many("telegram", 12)],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const dueAt = world.now() + MINUTE;
      oneForEach(world, workload);
      for (const [i, wanted] of workload.wanted.entries()) workload.at(dueAt + i * 12, () => workload.cancel(wanted));
    },
  },
  "a channel is disconnected as a post goes out": {
    tenants: [many("telegram", 12)],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const dueAt = world.now() + MINUTE;
      oneForEach(world, workload);
      for (const [i, channel] of workload.channels.entries())
        workload.at(dueAt + i * 12, () => workload.disconnect(channel));
    },
  },
};

for (let k = 1; k <= 6; k++)
  callerScenarios[`a post is cancelled while its publisher waits for trip ${k} to the database`] = {
    tenants: [["threads"]],
    plan(world, workload) {
      let roundTrips = 0;
      return rulePlan([
        {
          kind: "pause_before",
          at(point) {
            if (point.port !== "db" || !isOwn(point) || ++roundTrips !== k) return false;
            workload.at(world.now(), () => workload.cancel(workload.wanted[0] ?? missing()));
            return true;
          },
          verdict: { is: "pause", when: "before", ms: SECOND },
          times: 1,
        },
      ]);
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  };
