// Processes and objects that end, are frozen, or are not started.
import { NO_FAULTS, rulePlan } from "../faults.ts";
import { tooMany } from "../network-answers.ts";
import type { Point, Process } from "../scheduler.ts";
import { bystander, isOwn, MINUTE, many, OTHER, oneForEach, post, type Scenario, SECOND } from "./scenario.ts";

export const processScenarios: Record<string, Scenario> = {
  "a process ends as the first of fifty sends begins": {
    tenants: [many("telegram", 50)],
    plan: () =>
      rulePlan([
        {
          kind: "kill_before",
          at: ({ irrevocable }) => irrevocable === true,
          verdict: { is: "kill", when: "before" },
          times: 1,
        },
      ]),
    begin: oneForEach,
  },
  "a post that ends its process whenever it is taken up": {
    tenants: [["x", "telegram", "bluesky"], OTHER],
    plan: (_world, workload) => {
      const poison = workload.tenants[0]?.files[2] ?? "";
      return rulePlan([
        {
          kind: "poison",
          at: (point) => point.port === "bucket" && isOwn(point) && point.what.includes(poison),
          verdict: { is: "kill", when: "before" },
        },
      ]);
    },
    begin(world, workload) {
      const [first, other] = workload.tenants;
      const [x] = first?.channels ?? [];
      if (x === undefined) return;
      post(world, workload, first, { channels: [x], files: [2], afterMs: MINUTE });
      for (let i = 0; i < 6; i++) post(world, workload, first, { afterMs: MINUTE });
      bystander(world, workload, other);
    },
  },
  "every alarm of a workspace fails seven times": {
    tenants: [["bluesky"]],
    plan: () =>
      rulePlan([
        {
          kind: "kill_before",
          at: ({ process }) => process.kind === "alarm" && process.workspace !== null,
          verdict: { is: "kill", when: "before" },
          times: 7,
        },
      ]),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
  "a process stands still twice, and nobody takes its place": {
    tenants: [["x"]],
    plan: () =>
      rulePlan([
        {
          kind: "freeze",
          at: ({ port, process }) => port === "bucket" && process.kind === "alarm",
          verdict: { is: "freeze", ms: 6 * MINUTE, replaced: false },
          times: 2,
        },
      ]),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { files: [0, 1], afterMs: MINUTE }),
  },
  "a process goes on that was taken over before the network asked to wait": {
    tenants: [["youtube"]],
    plan: () =>
      rulePlan([
        {
          kind: "freeze",
          at: ({ port, process }) => port === "bucket" && process.kind === "alarm",
          verdict: { is: "freeze", ms: 3 * MINUTE, replaced: true },
          times: 1,
        },
        {
          kind: "wire_429",
          at: ({ port, what }) => port === "wire" && what.startsWith("POST /upload/"),
          verdict: tooMany("youtube", "600"),
          times: 1,
        },
      ]),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { files: [3], afterMs: MINUTE }),
  },
  "the network asks a process to wait whose delivery another has written": {
    tenants: [["instagram"]],
    plan() {
      let slow: Process | null = null;
      return rulePlan([
        {
          kind: "freeze",
          at({ port, process, what }) {
            const isFirst = slow === null && port === "wire" && what.endsWith("/content_publishing_limit");
            if (isFirst) slow = process;
            return isFirst;
          },
          verdict: { is: "freeze", ms: 7 * SECOND, replaced: true },
        },
        {
          kind: "wire_429",
          at: ({ port, process, what }) => port === "wire" && process === slow && what.endsWith("/media"),
          verdict: tooMany("instagram", "600"),
        },
        {
          // Meanwhile, the other one has a container and checks later whether it is ready.
          kind: "wire_garbage",
          at: ({ port, process, n, what }) =>
            port === "wire" && process !== slow && n !== null && what.startsWith("GET "),
          verdict: { is: "answer", carriedOut: false, status: 200, headers: {}, body: "{}" },
          times: 1,
        },
      ]);
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { files: [0], afterMs: MINUTE }),
  },
  "a process ends that has heard of one account, and the call for another is lost": {
    tenants: [["facebook", "facebook"]],
    plan() {
      let searches = 0;
      let sends = 0;
      const isSend = ({ port, irrevocable, n }: Point) => port === "wire" && irrevocable === true && n !== null;
      const isSearch = ({ port, what }: Point) => port === "wire" && what.endsWith("/published_posts");
      return rulePlan([
        {
          // The other account's turn comes after the end.
          kind: "pause_before",
          at: (point) => isSearch(point) && ++searches === 2,
          verdict: { is: "pause", when: "before", ms: 10 * SECOND },
        },
        {
          kind: "wire_5xx",
          at: isSearch,
          verdict: { is: "answer", carriedOut: false, status: 500, headers: {}, body: "" },
        },
        {
          kind: "kill_before",
          at: (point) => sends === 1 && point.port === "db" && isOwn(point),
          verdict: { is: "kill", when: "before" },
          times: 1,
        },
        { kind: "wire_refused", at: (point) => isSend(point) && ++sends > 1, verdict: { is: "lost", when: "before" } },
      ]);
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
  "nothing runs for more than a day": {
    tenants: [["bluesky", "telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      post(world, workload, workload.tenants[0], { afterMs: MINUTE });
      workload.at(world.now() + 30 * SECOND, () => workload.stopEverything(25 * 60 * MINUTE));
    },
  },
  "a post ends its process after each call of its network": {
    tenants: [["x", "bluesky"]],
    plan: () =>
      rulePlan([
        {
          kind: "poison",
          // Includes the calls that search for the post, which carry nothing that identifies it.
          at: ({ port, platform }) => port === "wire" && platform === "x",
          verdict: { is: "kill", when: "after" },
        },
      ]),
    begin(world, workload) {
      const [tenant] = workload.tenants;
      post(world, workload, tenant, { afterMs: MINUTE });
      post(world, workload, tenant, { afterMs: MINUTE, channels: tenant?.channels.slice(1) });
    },
  },
  "a process ends four times before it sends, and as it has noted that its network has the post": {
    tenants: [["facebook"]],
    plan() {
      let isSent = false;
      return rulePlan([
        {
          kind: "kill_before",
          at: (point) => point.port === "bucket" && isOwn(point),
          verdict: { is: "kill", when: "before" },
          times: 4,
        },
        {
          kind: "kill_after",
          at(point) {
            const isNoted = isSent && point.port === "db" && isOwn(point);
            isSent ||= point.irrevocable === true && point.n !== null;
            return isNoted;
          },
          verdict: { is: "kill", when: "after" },
          times: 1,
        },
      ]);
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { files: [3], afterMs: MINUTE }),
  },
  "a process ends whenever it asks what became of a video": {
    tenants: [["facebook"]],
    plan: () =>
      rulePlan([
        {
          kind: "poison",
          at: ({ port, n, what }) => port === "wire" && n !== null && what.startsWith("GET "),
          verdict: { is: "kill", when: "after" },
          times: 20,
        },
      ]),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { files: [3], afterMs: MINUTE }),
  },
  "a process ends as its first comments are out": {
    tenants: [["facebook", "instagram"]],
    plan: () =>
      rulePlan(
        ["facebook", "instagram"].map((network) => ({
          kind: "kill_after",
          at: ({ port, platform, what }) => port === "wire" && platform === network && /^POST .*\/comments$/.test(what),
          verdict: { is: "kill", when: "after" },
          times: 1,
        })),
      ),
    begin: (world, workload) =>
      void post(world, workload, workload.tenants[0], { files: [0], comments: true, afterMs: MINUTE }),
  },
  "a process stands still before its first comment, and another makes it": {
    tenants: [["threads"]],
    plan() {
      const counts = { containers: 0, publishes: 0 };
      const isSecond = (point: Point, counted: keyof typeof counts, end: string) =>
        point.port === "wire" && point.what.startsWith("POST ") && point.what.endsWith(end) && ++counts[counted] === 2;
      return rulePlan([
        {
          kind: "freeze",
          at: (point) => isSecond(point, "containers", "/threads"),
          verdict: { is: "freeze", ms: 7 * MINUTE, replaced: true },
        },
        {
          kind: "kill_after",
          at: (point) => isSecond(point, "publishes", "/threads_publish"),
          verdict: { is: "kill", when: "after" },
        },
      ]);
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { comments: true, afterMs: MINUTE }),
  },
  "an object stands still as it announces sends, and another takes its place": {
    tenants: [["telegram", "telegram", "x"]],
    plan() {
      let roundTrips = 0;
      return rulePlan([
        {
          kind: "freeze",
          at: (point) => point.port === "db" && isOwn(point) && ++roundTrips === 2,
          verdict: { is: "freeze", ms: 4 * SECOND, replaced: true },
          times: 1,
        },
        // The first one continues while all announced sends of the other have no answer.
        {
          kind: "pause_after",
          at: ({ irrevocable }) => irrevocable === true,
          verdict: { is: "pause", when: "after", ms: 6 * SECOND },
        },
      ]);
    },
    begin: oneForEach,
  },
};
