// Networks that hang, are slow, refuse posts, or lose them.
import { PLATFORMS } from "../classes.ts";
import { NO_FAULTS, type Rule, rulePlan } from "../faults.ts";
import { tooMany } from "../network-answers.ts";
import type { Point } from "../scheduler.ts";
import type { World } from "../world.ts";
import { bystander, MINUTE, many, OTHER, oneForEach, post, type Scenario, SECOND } from "./scenario.ts";

/** Every call of a network hangs between two instants after the start. */
function hangs(world: World, platform: string, fromMs: number, toMs: number): Rule {
  const startsAt = world.now();
  return {
    kind: "outage_of_a_network",
    at: (point) =>
      point.port === "wire" &&
      point.platform === platform &&
      world.now() >= startsAt + fromMs &&
      world.now() < startsAt + toMs,
    verdict: { is: "hang", lands: null, headersCame: false },
  };
}

const isDelete = ({ port, what }: Point): boolean =>
  port === "wire" && /^DELETE |deleteRecord|deleteMessage/.test(what);

/** Of all takedown calls, every third never arrives, and the answer of every third is lost. */
function lostDeletes(): Rule[] {
  let takedowns = 0;
  const lost = (place: number, when: "before" | "after", kind: string): Rule => ({
    kind,
    at: (point) => isDelete(point) && takedowns % 3 === place,
    verdict: { is: "lost", when },
  });
  const counted: Rule = { kind: "fine", at: (point) => isDelete(point) && takedowns++ < 0, verdict: { is: "fine" } };
  return [counted, lost(0, "before", "wire_refused"), lost(1, "after", "wire_reset_accepted")];
}

export const networkScenarios: Record<string, Scenario> = {
  "Telegram hangs for five minutes while fifty posts are due": {
    tenants: [many("telegram", 50)],
    plan: (world) => rulePlan([hangs(world, "telegram", MINUTE, 6 * MINUTE)]),
    begin: oneForEach,
  },
  "one hanging post of Telegram": {
    tenants: [["telegram", "bluesky"], OTHER],
    plan: (world) => rulePlan([hangs(world, "telegram", 0, 10 * MINUTE)]),
    begin(world, workload) {
      const [first, other] = workload.tenants;
      const [telegram, bluesky] = first?.channels ?? [];
      if (telegram === undefined || bluesky === undefined) return;
      post(world, workload, first, { channels: [telegram], afterMs: 69 * SECOND });
      post(world, workload, first, { channels: [bluesky], afterMs: 80 * SECOND });
      bystander(world, workload, other);
    },
  },
  "twenty channels on a host that never answers": {
    tenants: [["x", ...many("bluesky", 20)], OTHER],
    plan: (world) => rulePlan([hangs(world, "bluesky", 0, 20 * MINUTE)]),
    begin(world, workload) {
      const [first, other] = workload.tenants;
      const channels = first?.channels ?? [];
      post(world, workload, first, { channels: channels.slice(1), afterMs: 60 * SECOND });
      post(world, workload, first, { channels: channels.slice(0, 1), afterMs: 65 * SECOND });
      bystander(world, workload, other);
    },
  },
  "a channel of 150 posts at a second each": {
    tenants: [["linkedin"], ["x"]],
    plan: () => rulePlan([], (platform) => (platform === "linkedin" ? 1_000 : undefined)),
    begin(world, workload) {
      const [first, other] = workload.tenants;
      for (let i = 0; i < 150; i++) post(world, workload, first, { afterMs: MINUTE });
      bystander(world, workload, other);
    },
  },
  "networks ask to wait when a post is taken down": {
    tenants: [["bluesky", "telegram", "facebook"]],
    plan: () => rulePlan([{ kind: "wire_429", at: isDelete, verdict: tooMany("", "60"), times: 3 }]),
    begin(world, workload) {
      post(world, workload, workload.tenants[0], { afterMs: MINUTE });
      workload.at(world.now() + 10 * MINUTE, () => workload.takeDownAll());
    },
  },
  "a network asks to wait at a post behind one that took its time": {
    tenants: [["bluesky"]],
    plan() {
      const isSent = ({ irrevocable }: Point) => irrevocable === true;
      return rulePlan([
        { kind: "pause_after", at: isSent, verdict: { is: "pause", when: "after", ms: 20 * SECOND }, times: 1 },
        { kind: "wire_429", at: isSent, verdict: tooMany("bluesky", "60"), times: 1 },
      ]);
    },
    begin(world, workload) {
      for (let i = 0; i < 2; i++) post(world, workload, workload.tenants[0], { afterMs: MINUTE });
    },
  },
  "a network asks a channel to wait for a second, at a post that it refused before": {
    tenants: [["bluesky"], ["x"]],
    plan() {
      const asks = (seconds: string, times: number): Rule => ({
        kind: "wire_429",
        at: ({ irrevocable }) => irrevocable === true,
        verdict: tooMany("bluesky", seconds),
        times,
      });
      // The third try of the first posts is the last refused one. The later posts have been due since the second try.
      return rulePlan([asks("300", 4), asks("1", 2)]);
    },
    begin(world, workload) {
      // The waits end just after a sweep.
      for (const tenant of workload.tenants)
        for (const afterMs of [57 * SECOND, 8 * MINUTE]) post(world, workload, tenant, { afterMs });
    },
  },
  "a post is taken off its network": {
    tenants: [["bluesky", "x", "threads"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      post(world, workload, workload.tenants[0], { afterMs: MINUTE });
      workload.at(world.now() + 5 * MINUTE, () => workload.removeAll());
      // The run lasts until the removal is noticed.
      workload.at(world.now() + 49 * 60 * MINUTE, () => {});
    },
  },
  "everything is taken down, and half of the answers are lost": {
    tenants: [["bluesky", "facebook", "linkedin", "pinterest", "telegram", "threads", "x"]],
    plan: () => rulePlan(lostDeletes()),
    begin(world, workload) {
      for (let i = 0; i < 3; i++) post(world, workload, workload.tenants[0], { afterMs: MINUTE, files: [0] });
      workload.at(world.now() + 10 * MINUTE, () => workload.takeDownAll());
      // The run lasts until the outcome is known.
      workload.at(world.now() + 73 * 60 * MINUTE, () => {});
    },
  },
  "a post that is out without an answer is sent again and refused": {
    tenants: [["bluesky"]],
    plan() {
      let isRefused = false;
      return rulePlan([
        {
          kind: "wire_timeout_accepted",
          at: ({ irrevocable }) => irrevocable === true,
          verdict: { is: "hang", lands: 0, headersCame: false },
          times: 1,
        },
        {
          kind: "wire_unseen",
          at: ({ what }) => !isRefused && what.includes("repo.getRecord"),
          verdict: {
            is: "answer",
            carriedOut: false,
            status: 400,
            headers: {},
            body: '{"error":"RecordNotFound","message":"Could not locate record"}',
          },
        },
        {
          kind: "wire_4xx",
          at({ irrevocable }) {
            if (irrevocable !== true || isRefused) return false;
            isRefused = true;
            return true;
          },
          verdict: {
            is: "answer",
            carriedOut: false,
            status: 400,
            headers: {},
            body: '{"error":"InvalidRequest","message":"Not this one"}',
          },
          times: 1,
        },
      ]);
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
  "networks work for more than two minutes on what they are to publish": {
    tenants: [["instagram", "threads", "facebook"]],
    plan: () =>
      rulePlan([
        {
          kind: "wire_late",
          at: ({ irrevocable, n }) => irrevocable === true && n !== null,
          verdict: { is: "hang", lands: 2.3 * MINUTE, headersCame: false },
          times: 3,
        },
      ]),
    begin(world, workload) {
      const [tenant] = workload.tenants;
      for (const channel of tenant?.channels ?? [])
        post(world, workload, tenant, {
          channels: [channel],
          files: channel.platform === "facebook" ? [3] : [0],
          afterMs: MINUTE,
        });
    },
  },
  "Threads asks to wait as the posts before a part are noted": {
    tenants: [["threads"]],
    plan: () =>
      rulePlan([
        {
          kind: "wire_429",
          at: ({ port, what }) => port === "wire" && /^GET .*\/replies$/.test(what),
          verdict: tooMany("threads", "30"),
          times: 1,
        },
      ]),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE, parts: 2 }),
  },
  "a network shows a post otherwise that is not live yet on another account": {
    tenants: [["pinterest", "pinterest"]],
    plan(world) {
      const foundAt = world.now() + 20 * MINUTE;
      let sends = 0;
      return rulePlan([
        {
          kind: "wire_timeout_accepted",
          at: ({ irrevocable }) => irrevocable === true && sends++ % 2 === 1,
          verdict: { is: "hang", lands: 0, headersCame: false },
        },
        {
          kind: "wire_unseen",
          at: ({ what }) => what.startsWith("GET /v5/boards/") && world.now() < foundAt,
          verdict: { is: "answer", carriedOut: false, status: 200, headers: {}, body: '{"items":[],"bookmark":null}' },
        },
      ]);
    },
    begin(world, workload) {
      world.altered.isOn = true;
      for (let i = 0; i < 10; i++) post(world, workload, workload.tenants[0], { files: [0], afterMs: MINUTE });
    },
  },
  "a network asks to be left alone for a quarter of an hour": {
    tenants: [[...PLATFORMS]],
    plan: () =>
      rulePlan(
        PLATFORMS.map((network) => ({
          kind: "wire_429",
          at: ({ irrevocable, platform }) => irrevocable === true && platform === network,
          verdict: tooMany(network, "900"),
          times: 1,
        })),
      ),
    begin(world, workload) {
      const [tenant] = workload.tenants;
      for (const channel of tenant?.channels ?? [])
        post(world, workload, tenant, {
          channels: [channel],
          files: ["tiktok", "youtube"].includes(channel.platform) ? [3] : [0],
          afterMs: MINUTE,
        });
    },
  },
};

/** The answer of a network that asks for a second, however often it is called. */
const everSecond = (at: Rule["at"]) => () =>
  rulePlan(
    PLATFORMS.map((name) => ({
      kind: "wire_429",
      at: (point, index) => point.port === "wire" && point.platform === name && at(point, index),
      verdict: tooMany(name, "1"),
    })),
  );

for (const platform of PLATFORMS) {
  const files = ["tiktok", "youtube"].includes(platform) ? [3] : [0];
  const brief = (when: string, at: Rule["at"]) => {
    networkScenarios[`${platform} asks to wait a second, for ever, ${when}`] = {
      tenants: [[platform]],
      plan: everSecond(at),
      begin(world, workload) {
        for (let i = 0; i < 3; i++) post(world, workload, workload.tenants[0], { files, afterMs: MINUTE });
      },
    };
  };
  brief("when a post is published", ({ irrevocable }) => irrevocable === true);
  brief("whatever it is asked", () => true);
}
for (const platform of ["facebook", "instagram", "threads"])
  networkScenarios[`${platform} asks to wait a second, for ever, once a post is live`] = {
    tenants: [[platform]],
    plan(world) {
      const isLive = () => world.database.rows("SELECT 1 FROM deliveries WHERE state = 'live'").length > 0;
      return everSecond(isLive)();
    },
    begin(world, workload) {
      post(world, workload, workload.tenants[0], { files: [0], comments: true, afterMs: MINUTE });
      workload.at(world.now() + 14 * 60 * MINUTE, () => workload.takeDownAll());
      // The run lasts until the outcome is known.
      workload.at(world.now() + 75 * 60 * MINUTE, () => {});
    },
  };
