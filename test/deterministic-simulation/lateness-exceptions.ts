// The waits for which a delivery may be late: they are part of the product, or a network asks for them. Each one has a bound.
import { findNetwork } from "../../src/networks/index.ts";
import { PASSING } from "../support/d1-errors.ts";
import { askedWaits } from "./asked-waits.ts";
import { ENDS } from "./check-unknown.ts";
import { spansAtCap } from "./day-cap.ts";
import type { Span, Wait } from "./history.ts";
import type { Channel } from "./wanted.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The waits of the retry table with 20 % of jitter. */
const RETRY_MS = [0.6, 2.4, 12, 36, 144, 432].map((minutes) => minutes * MINUTE);
/** A fault of these kinds ends a process, or has another one take its place. */
export const INTERRUPTIONS = [...ENDS, "freeze", "replace"];
/** The call that renews a credential, on any network. */
const RENEWAL = /token|refreshSession/i;
const DAILY_LIMITS: unknown[] = [PASSING.readLimit, PASSING.writeLimit];

export interface Case {
  world: World;
  channel: Channel;
  dueAt: number;
  /** The waits of its row. */
  waits: Wait[];
  /** The faults that can delay it, those of its network apart from those of the platform. */
  faults: (Span & { kind: string; text: string | null; isOfNetwork: boolean })[];
}
interface Exception {
  name: string;
  why: string;
  /** The waits, each cut off at the exception's bound. */
  spans(delivery: Case): Span[];
}

/** A row waits for these reasons only after a fault. */
const afterFaults = ({ waits, faults }: Case): Wait[] =>
  waits.filter((wait) => faults.some(({ from }) => from <= wait.from));
const cutOff = (waits: Wait[], states: string[], boundMs: (wait: Wait) => number): Span[] =>
  waits
    .filter(({ state }) => states.includes(state))
    .map((wait) => ({ from: wait.from, to: Math.min(wait.to, wait.from + boundMs(wait)) }));

export const EXCEPTIONS: readonly Exception[] = [
  {
    name: "retry table",
    why: "A network that refuses a post for now gets time to recover: 30 s after the first try, 6 h after the last.",
    spans: (delivery) => cutOff(afterFaults(delivery), ["retry_wait"], ({ retries }) => RETRY_MS[retries] ?? 0),
  },
  {
    name: "failed renewal",
    why: "A renewal that a network did not answer is tried again after 20 s, and after at most 10 min once it has failed often. A post whose channel cannot publish without it waits for that.",
    spans: ({ world, channel, waits }) => {
      const failures = world.injected.filter(
        ({ subject, what }) => subject?.channel === channel.id && RENEWAL.test(what),
      );
      return waits.flatMap((wait) => {
        const last = failures.findLast(({ at }) => at <= wait.from);
        if (wait.state !== "retry_wait" || last === undefined) return [];
        return [{ from: wait.from, to: Math.min(wait.to, last.at + last.ms + 10 * MINUTE) }];
      });
    },
  },
  {
    name: "reconciling",
    why: "A call without an answer may take effect later, so the network is asked at growing intervals within an hour.",
    spans: (delivery) => cutOff(afterFaults(delivery), ["reconciling"], () => 45 * MINUTE),
  },
  {
    name: "preparing",
    why: "A network that prepares files is asked again after at most 30 s, and one that publishes after at most 5 min.",
    spans: ({ waits }) =>
      cutOff(waits, ["staged", "processing"], ({ state }) => (state === "staged" ? 0.5 : 5) * MINUTE),
  },
  {
    name: "open send",
    why: "A call of a process that ended may still be in progress: nothing touches it for its time limit and 30 s more.",
    spans: ({ channel: { platform }, faults }) =>
      faults
        .filter(({ kind }) => INTERRUPTIONS.includes(kind))
        .map(({ from, to }) => ({ from, to: to + (findNetwork(platform)?.publishTimeoutMs ?? 0) + 30 * SECOND })),
  },
  {
    name: "daily limit of the database",
    why: "A database that has reached its daily limit is asked again after 10 min.",
    spans: ({ faults }) =>
      faults.filter(({ text }) => DAILY_LIMITS.includes(text)).map(({ from }) => ({ from, to: from + 10 * MINUTE })),
  },
  {
    name: "asked wait",
    why: "A network may ask Crier to leave an account alone: as long as it says, but at most 6 h or until midnight UTC.",
    spans: ({ world, channel }) => askedWaits(world, channel),
  },
  {
    name: "daily cap",
    why: "A network accepts a number of posts in 24 h: the next try comes when there may be room again.",
    spans: ({ world, channel, dueAt }) => spansAtCap(world, channel, dueAt),
  },
];
