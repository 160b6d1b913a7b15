// The faults, and how often they strike.
//
// | fault | kind |
// |---|---|
// | crash before a call, after it took effect, or between any two awaits | `kill_before`, `kill_after` at every port |
// | database: call lost before or after the commit, busy for a minute, batch rolled back | `lost_before`, `lost_after`, `db_busy`, `db_reset*` |
// | database: the answer is lost and the commit follows seconds later; a query takes 30 s | `db_late`, `pause_*` |
// | stale read | none: the binding reads and writes one primary |
// | message twice at once, hours later, out of order, lost | `queue_twice`, `queue_much_later`, random delays, `queue_lost` |
// | batch delivered again | `queue_unheard`: an acknowledgement is lost |
// | message of an older state or release | messages carry no state; `queue_strange` adds unknown bodies |
// | alarm late, twice or lost; object evicted | `alarm_late`, `alarm_twice`, `alarm_lost`, `kill_*` in alarms |
// | two incarnations of an object at once | `replace`, `freeze` |
// | network: refused, reset, timeout, carried out late, 5xx; each carried out or not | `wire_*` |
// | network: a repeated call arrives while the first one is being worked on | `wire_late`, carried out in time (networks.ts) |
// | network: 429 with every form of Retry-After | `wire_429` |
// | network: truncated, empty or HTML answer; endless answer | `wire_garbage*`, `wire_endless` |
// | network: permanent refusal | `wire_no`, at the call that publishes |
// | network: access token expires at any call | `wire_expired` |
// | network: a read does not show an existing post | `wire_unseen` |
// | network: duplicate refused | the simulators of x and linkedin |
// | network: container or upload session disappears | `wire_session_gone`; containers expire by the simulators' own rules |
// | network: answer to a token renewal lost | `wire_*` at the renewal calls |
// | post deleted by its owner meanwhile | workload.ts |
// | file missing or unreadable | `bucket_missing`, `lost_before` |
// | clocks that differ | each process has its own, within 2 s of the database's and the alarms' |
// | month turns, plan lowered, channel or account removed | workload.ts |
// | everything restarts | `restart`; and an outage of up to 26 hours (workload.ts) |
// | a process sleeps for longer than any time limit | `freeze`: the whole isolate; `pause_*`: one call |
// | a network does not answer for minutes | `outages` of the plan |
// | a slow message | `queue_slow` |
// | webhook receivers | `wire_*` at the endpoint of a webhook; test/worker-api tests redirects, 410 and addresses |
//
// test/networks and test/worker-api test answers of 50 MB and files of other types.
import { PASSING } from "../support/d1-errors.ts";
import { databaseError, QUERY_MS } from "./limits.ts";
import { garbage, NO, serverError, tooMany, UNSEEN } from "./network-answers.ts";
import type { Chance } from "./prng.ts";
import type { Point, Verdict } from "./scheduler.ts";

/** Decides about each call. */
export interface Plan {
  decide(point: Point, index: number): { kind: string; verdict: Verdict };
  /** Whether a fault of this kind strikes now, where no call is involved. */
  strikes(kind: string): boolean;
  /** How long a network takes to answer, in milliseconds; undefined: the usual time. */
  latencyMs?(platform: string): number | undefined;
}

const FINE = { kind: "fine", verdict: { is: "fine" } } as const;
export const NO_FAULTS: Plan = { decide: () => FINE, strikes: () => false };

const SECOND = 1_000;
const MINUTE = 60_000;

/** How long a call pauses. D1 gives up after 30 s, a network never does. */
const pauseMs = (chance: Chance, { port }: Point) => chance.between(SECOND, port === "db" ? QUERY_MS : 12 * MINUTE);
/** A caller's request has no object and lives for seconds. */
const isLasting = ({ process }: Point): boolean => process.kind === "alarm" || process.kind === "consumer";

/** Each kind of fault at a call, with the ports where it can happen. */
const AT_CALLS: Record<
  string,
  { ports: readonly Point["port"][]; verdict(chance: Chance, point: Point): Verdict | null }
> = {
  kill_before: { ports: ["db", "wire", "queue", "object", "bucket"], verdict: () => ({ is: "kill", when: "before" }) },
  kill_after: { ports: ["db", "wire", "queue", "object", "bucket"], verdict: () => ({ is: "kill", when: "after" }) },
  lost_before: { ports: ["db", "queue", "object", "bucket"], verdict: () => ({ is: "lost", when: "before" }) },
  lost_after: { ports: ["db", "queue", "object"], verdict: () => ({ is: "lost", when: "after" }) },
  db_reset: { ports: ["db"], verdict: () => ({ is: "lost", when: "before", text: PASSING.reset }) },
  db_reset_after: { ports: ["db"], verdict: () => ({ is: "lost", when: "after", text: PASSING.reset }) },
  db_late: { ports: ["db"], verdict: (chance) => ({ is: "late", ms: chance.between(50, 20 * SECOND) }) },
  pause_before: {
    ports: ["db", "wire"],
    verdict: (chance, point) => ({ is: "pause", when: "before", ms: pauseMs(chance, point) }),
  },
  pause_after: {
    ports: ["db", "wire"],
    verdict: (chance, point) => ({ is: "pause", when: "after", ms: pauseMs(chance, point) }),
  },
  freeze: {
    ports: ["db", "wire", "bucket"],
    verdict: (chance, point) =>
      isLasting(point)
        ? { is: "freeze", ms: chance.between(SECOND, 12 * MINUTE), replaced: chance.happens(0.5) }
        : null,
  },
  replace: {
    ports: ["db", "wire", "bucket"],
    verdict: (_chance, { process }) => (process.kind === "alarm" ? { is: "replace" } : null),
  },
  wire_refused: { ports: ["wire"], verdict: () => ({ is: "lost", when: "before" }) },
  wire_reset_accepted: { ports: ["wire"], verdict: () => ({ is: "lost", when: "after" }) },
  wire_timeout: { ports: ["wire"], verdict: () => ({ is: "hang", lands: null, headersCame: false }) },
  wire_timeout_accepted: { ports: ["wire"], verdict: () => ({ is: "hang", lands: 0, headersCame: false }) },
  wire_endless: { ports: ["wire"], verdict: () => ({ is: "hang", lands: 0, headersCame: true }) },
  wire_late: {
    ports: ["wire"],
    verdict: (chance) => ({ is: "hang", lands: chance.between(1_000, 10 * MINUTE), headersCame: false }),
  },
  wire_5xx: { ports: ["wire"], verdict: (chance) => serverError(chance, false) },
  wire_5xx_accepted: { ports: ["wire"], verdict: (chance) => serverError(chance, true) },
  wire_429: {
    ports: ["wire"],
    verdict: (chance, point) =>
      tooMany(
        point.platform,
        chance.pick([
          null,
          String(chance.between(1, 900)),
          new Date(Date.now() + chance.between(1, 600) * 1_000).toUTCString(),
          "99999999",
          "-5",
        ]),
      ),
  },
  wire_garbage: {
    ports: ["wire"],
    // An endpoint's 200 counts as an acknowledgement, whatever server sent it.
    verdict: (chance, { platform }) => (platform === "webhook" ? null : garbage(chance, false)),
  },
  wire_garbage_accepted: { ports: ["wire"], verdict: (chance) => garbage(chance, true) },
  wire_expired: { ports: ["wire"], verdict: () => ({ is: "expired" }) },
  wire_unseen: {
    ports: ["wire"],
    verdict: (_chance, { platform = "", what }) => {
      const unseen = UNSEEN[platform];
      if (unseen === undefined || !what.includes(unseen.call)) return null;
      return { is: "answer", carriedOut: false, status: unseen.status, headers: {}, body: unseen.body };
    },
  },
  wire_session_gone: {
    ports: ["wire"],
    verdict: (_chance, { platform, what }) =>
      platform === "youtube" && what.startsWith("PUT")
        ? { is: "answer", carriedOut: false, status: 404, headers: {}, body: "Not Found" }
        : null,
  },
  wire_no: {
    ports: ["wire"],
    verdict: (_chance, { platform = "", irrevocable }) => {
      const no = irrevocable ? NO[platform] : undefined;
      return no === undefined ? null : { is: "answer", carriedOut: false, headers: {}, ...no };
    },
  },
  bucket_missing: { ports: ["bucket"], verdict: () => ({ is: "missing" }) },
};

/** Faults that strike where no call is involved. */
const ELSEWHERE = [
  "client_unheard",
  "db_busy",
  "outage_of_a_network",
  "queue_twice",
  "queue_slow",
  "queue_much_later",
  "queue_lost",
  "queue_unheard",
  "queue_strange",
  "alarm_late",
  "alarm_twice",
  "alarm_lost",
  "restart",
] as const;
/** Faults of full runs only, so that the schedules of all other runs stay the same. */
const OF_FULL_RUNS = ["wire_no"];
export const FULL_KINDS = [...Object.keys(AT_CALLS), ...ELSEWHERE];
export const KINDS = FULL_KINDS.filter((kind) => !OF_FULL_RUNS.includes(kind));

/** A time in which a network does not answer. */
export interface NetworkOutage {
  platform: string;
  from: number;
  to: number;
  /** `asks`: it answers every call with a request to wait a second. */
  how: "hangs" | "refuses" | "fails" | "asks";
}

/** The fault of a call during its network's outage; null: there is no outage. */
function inOutage(
  outages: readonly NetworkOutage[],
  { port, platform }: Point,
  chance: Chance,
): { kind: string; verdict: Verdict } | null {
  const now = Date.now();
  const outage =
    port !== "wire" ? undefined : outages.find((one) => one.platform === platform && one.from <= now && now < one.to);
  if (outage === undefined) return null;
  if (outage.how === "asks") return { kind: "wire_429", verdict: tooMany(platform, "1") };
  const kind = "outage_of_a_network";
  if (outage.how === "hangs") return { kind, verdict: { is: "hang", lands: null, headersCame: false } };
  return { kind, verdict: outage.how === "refuses" ? { is: "lost", when: "before" } : serverError(chance, false) };
}

/** Each run has some kinds of faults at some rate. With all kinds at once, no run would get far enough to break. */
export function chancePlan(
  chance: Chance,
  isOver: () => boolean,
  outages: readonly NetworkOutage[] = [],
  all: readonly string[] = KINDS,
): Plan {
  const rate = chance.pick([0, 0, 0.01, 0.02, 0.04, 0.08, 0.12, 0.25]);
  const share = chance.pick([0.05, 0.15, 0.4, 0.8]);
  const kinds = all.filter(() => chance.happens(share));
  const atCalls = kinds.filter((kind) => kind in AT_CALLS);
  let busyUntil = 0;
  return {
    decide(point) {
      if (isOver()) return FINE;
      const out = inOutage(outages, point, chance);
      if (out !== null) return out;
      if (rate === 0) return FINE;
      if (point.port === "db" && Date.now() < busyUntil)
        return { kind: "db_busy", verdict: { is: "lost", when: "before", text: databaseError(Date.now(), "before") } };
      // Calls to networks are few and matter most, so faults strike them more often.
      if (!chance.happens(point.port === "wire" ? rate * 2.5 : rate)) return FINE;
      if (point.port === "db" && kinds.includes("db_busy") && chance.happens(0.1)) {
        busyUntil = Date.now() + MINUTE;
        return { kind: "db_busy", verdict: { is: "lost", when: "before", text: databaseError(Date.now(), "before") } };
      }
      const possible = atCalls.filter((kind) => AT_CALLS[kind]?.ports.includes(point.port));
      if (possible.length === 0) return FINE;
      const kind = chance.pick(possible);
      const verdict = AT_CALLS[kind]?.verdict(chance, point) ?? null;
      return verdict === null ? FINE : { kind, verdict };
    },
    strikes: (kind) => !isOver() && rate > 0 && kinds.includes(kind) && chance.happens(rate * 2),
  };
}

/** Strikes only where a rule says so. */
export interface Rule {
  kind: string;
  /** Whether it strikes at this call. */
  at(point: Point, index: number): boolean;
  verdict: Verdict;
  /** How often; undefined: each time. */
  times?: number;
}
export function rulePlan(rules: readonly Rule[], latencyMs?: (platform: string) => number | undefined): Plan {
  const remaining = new Map(rules.map((rule) => [rule, rule.times ?? Number.POSITIVE_INFINITY]));
  return {
    decide(point, index) {
      for (const rule of rules) {
        const times = remaining.get(rule) ?? 0;
        if (times <= 0 || !rule.at(point, index)) continue;
        remaining.set(rule, times - 1);
        return { kind: rule.kind, verdict: rule.verdict };
      }
      return FINE;
    },
    strikes: () => false,
    ...(latencyMs === undefined ? {} : { latencyMs }),
  };
}

/** The faults of a crash at each call. */
export const CRASHES = ["kill_before", "kill_after", "lost_after"] as const;
export type Crash = (typeof CRASHES)[number];

/** Strikes exactly these calls, counted from the first. */
export function crashPlan(at: ReadonlyMap<number, Crash>): Plan {
  return {
    decide(_point, index) {
      const kind = at.get(index);
      if (kind === undefined) return FINE;
      if (kind === "lost_after") return { kind, verdict: { is: "lost", when: "after" } };
      return { kind, verdict: { is: "kill", when: kind === "kill_before" ? "before" : "after" } };
    },
    strikes: () => false,
  };
}
