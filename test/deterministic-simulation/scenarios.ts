// Schedules that somebody thought of, each after a failure that an engine of ours once had. They end with nothing wrong.
import { PLATFORMS } from "./classes.ts";
import { NO_FAULTS, type Plan, type Rule, rulePlan, tooMany } from "./faults.ts";
import { D1_ERRORS } from "./limits.ts";
import { FILES, optionsOf } from "./networks.ts";
import type { Point } from "./scheduler.ts";
import type { Tenant } from "./tenants.ts";
import { type Channel, commentOf, type Overrides, textOf, type Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export interface Scenario {
  /** For each workspace the network of each of its accounts. */
  tenants: string[][];
  plan(world: World, workload: Workload): Plan;
  begin(world: World, workload: Workload): void;
}

const missing = (): never => {
  throw new Error("there is no post");
};
const many = (platform: string, count: number): string[] => Array.from({ length: count }, () => platform);

/** A post of a workspace for these channels, due `afterMs` after the beginning; `files` by their place in `FILES`. */
function post(
  world: World,
  workload: Workload,
  tenant: Tenant | undefined,
  {
    afterMs = 0,
    channels,
    files = [],
    comments = false,
  }: { afterMs?: number; channels?: Channel[]; files?: number[]; comments?: boolean } = {},
): Wanted {
  if (tenant === undefined) throw new Error("no such workspace");
  const to = channels ?? tenant.channels;
  const media = files.map((i) => tenant.files[i] ?? "");
  const n = workload.wanted.length;
  const overrides: Overrides = {};
  for (const { id, platform } of to) {
    const comment = comments ? { first_comment: commentOf(n, 1) } : {};
    const own = { ...optionsOf(platform), ...(media.length > 0 ? { media } : {}), ...comment };
    if (Object.keys(own).length > 0) overrides[id] = own;
  }
  const publishAt = afterMs === 0 ? null : world.now() + afterMs;
  const fields = {
    text: textOf(n, 1),
    media: [],
    channels: to.map(({ id }) => id),
    overrides,
    publishAt,
    draft: false,
  };
  const wanted = workload.want(tenant, fields, `key-${n}`);
  workload.create(wanted, world.now());
  return wanted;
}

const isOwn = ({ process }: Point): boolean => process.kind !== "api";
/** Each call of a network hangs between two instants after the beginning. */
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
/** The answer of the `k`th trip to the database is lost; callers' own requests do not count. */
function lostTrip(k: number, when: "before" | "after" = "after"): Rule {
  let seen = 0;
  return {
    kind: `lost_${when}`,
    at: (point) => point.port === "db" && isOwn(point) && ++seen === k,
    verdict: { is: "lost", when },
    times: 1,
  };
}

/** Of calls that take a post down every third never arrives, and the answer of every third is lost. */
function lostDeletes(): Rule[] {
  let asked = 0;
  const isDelete = ({ port, what }: Point) => port === "wire" && /^DELETE |deleteRecord|deleteMessage/.test(what);
  const lost = (place: number, when: "before" | "after", kind: string): Rule => ({
    kind,
    at: (point) => isDelete(point) && asked % 3 === place,
    verdict: { is: "lost", when },
  });
  const counted: Rule = { kind: "fine", at: (point) => isDelete(point) && asked++ < 0, verdict: { is: "fine" } };
  return [counted, lost(0, "before", "wire_refused"), lost(1, "after", "wire_reset_accepted")];
}

/** A post of its own for each account of a workspace, all due at one instant. */
function oneForEach(world: World, workload: Workload): void {
  const [tenant] = workload.tenants;
  for (const channel of tenant?.channels ?? []) post(world, workload, tenant, { channels: [channel], afterMs: MINUTE });
}

/** The database gives no answer for a minute from the first call on that `begins` names; that one's commit is `first`. */
function away(world: World, begins: (point: Point) => boolean, first: "before" | "after" = "before"): Plan {
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
      verdict: { is: "lost", when: "before", text: D1_ERRORS.overloaded },
    },
  ]);
}

const OTHER = ["x", "linkedin"];
/** A workspace that has nothing to do with the trouble: one post a while after it has begun, and one later. */
function bystander(world: World, workload: Workload, tenant: Tenant | undefined): void {
  post(world, workload, tenant, { afterMs: 70 * SECOND });
  post(world, workload, tenant, { afterMs: 3 * MINUTE });
}

const scenarios: Record<string, Scenario> = {
  "Telegram hangs for five minutes while fifty posts are due": {
    tenants: [many("telegram", 50)],
    plan: (world) => rulePlan([hangs(world, "telegram", MINUTE, 6 * MINUTE)]),
    begin: oneForEach,
  },
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
  "the answer of the first claim is lost": {
    tenants: [["x", "bluesky"]],
    plan: () => rulePlan([lostTrip(1)]),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
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
  "thirty people edit a post of tomorrow": {
    tenants: [["bluesky", "x"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const wanted = post(world, workload, workload.tenants[0], { afterMs: 12 * 60 * MINUTE });
      for (let i = 0; i < 30; i++)
        workload.at(world.now() + MINUTE, () => workload.edit(wanted, { text: textOf(wanted.n, ++wanted.revisions) }));
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
  "nothing runs for more than a day": {
    tenants: [["bluesky", "telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      post(world, workload, workload.tenants[0], { afterMs: MINUTE });
      workload.at(world.now() + 30 * SECOND, () => workload.stopEverything(25 * 60 * MINUTE));
    },
  },
  "a post is taken off its network": {
    tenants: [["bluesky", "x", "threads"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      post(world, workload, workload.tenants[0], { afterMs: MINUTE });
      workload.at(world.now() + 5 * MINUTE, () => workload.removeAll());
      // Somebody waits until it is noticed.
      workload.at(world.now() + 49 * 60 * MINUTE, () => {});
    },
  },
  "everything is taken down, and half of the answers are lost": {
    tenants: [["bluesky", "facebook", "linkedin", "pinterest", "telegram", "threads", "x"]],
    plan: () => rulePlan(lostDeletes()),
    begin(world, workload) {
      for (let i = 0; i < 3; i++) post(world, workload, workload.tenants[0], { afterMs: MINUTE, files: [0] });
      workload.at(world.now() + 10 * MINUTE, () => workload.takeDownAll());
      // Somebody waits until it is known.
      workload.at(world.now() + 73 * 60 * MINUTE, () => {});
    },
  },
  "different things of a post are edited at once": {
    tenants: [["bluesky", "x"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      for (let i = 0; i < 8; i++) {
        const wanted = post(world, workload, workload.tenants[0], { afterMs: 60 * MINUTE });
        const [first = ""] = wanted.first.channels;
        workload.at(world.now() + MINUTE, () => workload.edit(wanted, { text: textOf(wanted.n, 2) }));
        workload.at(world.now() + MINUTE, () =>
          workload.edit(wanted, { overrides: { [first]: { text: textOf(wanted.n, 3) } } }),
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
  "the database is away as soon as the network has answered": {
    tenants: [["telegram", "x", "linkedin"]],
    plan: (world) => away(world, ({ irrevocable }) => irrevocable === true),
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
  "the database is away as soon as sends are announced": {
    tenants: [["telegram", "x", "linkedin"]],
    plan(world) {
      let trips = 0;
      return away(world, (point) => point.port === "db" && isOwn(point) && ++trips === 2, "after");
    },
    begin: (world, workload) => void post(world, workload, workload.tenants[0], { afterMs: MINUTE }),
  },
  "a post ends its process after each call of its network": {
    tenants: [["x", "bluesky"]],
    plan: () =>
      rulePlan([
        {
          kind: "poison",
          // Also the calls that ask for it, which carry nothing by which they could be told from others.
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
  "an object stands still as it announces sends, and another takes its place": {
    tenants: [["telegram", "telegram", "x"]],
    plan() {
      let trips = 0;
      return rulePlan(
        [
          {
            kind: "freeze",
            at: (point) => point.port === "db" && isOwn(point) && ++trips === 2,
            verdict: { is: "freeze", ms: 4 * SECOND, replaced: true },
            times: 1,
          },
        ],
        () => 6 * SECOND,
      );
    },
    begin: oneForEach,
  },
  "the key of all credentials is gone": {
    tenants: [["bluesky", "x"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      world.loseKeys();
      post(world, workload, workload.tenants[0], { afterMs: MINUTE });
    },
  },
};

for (const platform of ["telegram", "x", "bluesky"])
  for (const when of ["before", "after"] as const)
    for (let k = 1; k <= 6; k++)
      scenarios[`fifty posts on ${platform}: the answer of trip ${k} is lost ${when} its commit`] = {
        tenants: [many(platform, 50)],
        plan: () => rulePlan([lostTrip(k, when)]),
        begin: oneForEach,
      };

for (let k = 1; k <= 6; k++)
  scenarios[`a post is cancelled while its publisher waits for trip ${k} to the database`] = {
    tenants: [["threads"]],
    plan(world, workload) {
      let trips = 0;
      return rulePlan([
        {
          kind: "pause_before",
          at(point) {
            if (point.port !== "db" || !isOwn(point) || ++trips !== k) return false;
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

/** A call by which a credential is renewed. */
const RENEWAL = /oauth|token|refresh/i;
for (const platform of ["tiktok", "x", "pinterest"])
  scenarios[`a renewed ${platform} credential meets a database that is away, and the end of its process`] = {
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
          verdict: { is: "lost", when: "before", text: D1_ERRORS.overloaded },
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
    scenarios[`a renewed credential of ${platform} meets a database whose answer is lost ${when} the commit`] = {
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
        // A token of these two is renewed while it is good, or never.
        if (platform !== "instagram" && platform !== "threads")
          workload.at(startsAt + 20 * SECOND, () => world.networks.expire(platform));
        const files = platform === "tiktok" || platform === "youtube" ? [3] : [0];
        post(world, workload, workload.tenants[0], { afterMs: 5 * MINUTE, files });
        post(world, workload, workload.tenants[0], { afterMs: 90 * MINUTE, files });
      },
    };

export const SCENARIOS: Readonly<Record<string, Scenario>> = scenarios;
