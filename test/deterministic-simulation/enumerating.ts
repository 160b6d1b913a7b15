// Every kind of fault at every call of a few golden paths, with every real error text of the database. Random schedules find
// such a case once in thousands.
import { PASSING } from "../support/d1-errors.ts";
import type { Plan } from "./faults.ts";
import { NOT_CARRIED_OUT, UNCERTAIN } from "./limits.ts";
import { NO, tooMany } from "./network-answers.ts";
import { post } from "./scenarios/scenario.ts";
import type { Point, Verdict } from "./scheduler.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;

/** A golden path: the connected networks, and the requests. */
export interface Path {
  platforms: string[];
  begin(world: World, workload: Workload): void;
}
const createPost = (world: World, workload: Workload, wish: Parameters<typeof post>[3]) =>
  void post(world, workload, workload.tenants[0], { afterMs: MINUTE, ...wish });

export const PATHS: Record<string, Path> = {
  "one post on one channel": { platforms: ["telegram"], begin: (world, workload) => createPost(world, workload, {}) },
  "one post on four channels": {
    platforms: ["telegram", "x", "bluesky", "facebook"],
    begin: (world, workload) => createPost(world, workload, {}),
  },
  "a thread": { platforms: ["bluesky"], begin: (world, workload) => createPost(world, workload, { parts: 2 }) },
  "a first comment": {
    platforms: ["facebook"],
    begin: (world, workload) => createPost(world, workload, { comments: true }),
  },
  "a renewed token": {
    platforms: ["x"],
    begin(world, workload) {
      world.database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", world.now() + MINUTE);
      workload.at(world.now() + MINUTE, () => {
        world.inject("wire_expired", { platform: "x" });
        world.networks.expire("x");
      });
      createPost(world, workload, { afterMs: 3 * MINUTE });
    },
  },
};

interface Fault {
  kind: string;
  verdict: Verdict;
}
const lost = (when: "before" | "after", text?: string): Verdict => ({
  is: "lost",
  when,
  ...(text === undefined ? {} : { text }),
});
const answer = (status: number, carriedOut: boolean, body = ""): Verdict => ({
  is: "answer",
  carriedOut,
  status,
  headers: {},
  body,
});
const CRASHES: Fault[] = [
  { kind: "kill_before", verdict: { is: "kill", when: "before" } },
  { kind: "kill_after", verdict: { is: "kill", when: "after" } },
];
const LOST: Fault[] = [
  { kind: "lost_before", verdict: lost("before") },
  { kind: "lost_after", verdict: lost("after") },
];

/** The faults of a call, in a fixed order. */
function faultsAt({ port, platform = "", irrevocable }: Point): Fault[] {
  if (port === "db")
    return [
      ...CRASHES,
      ...[...NOT_CARRIED_OUT, ...UNCERTAIN, PASSING.readLimit].map((text) => ({
        kind: "lost_before",
        verdict: lost("before", text),
      })),
      ...UNCERTAIN.map((text) => ({ kind: "lost_after", verdict: lost("after", text) })),
      { kind: "db_late", verdict: { is: "late", ms: 5_000 } },
      { kind: "pause_after", verdict: { is: "pause", when: "after", ms: 29_000 } },
    ];
  if (port === "bucket") return [...CRASHES, { kind: "lost_before", verdict: lost("before") }];
  if (port !== "wire") return [...CRASHES, ...LOST];
  const no = irrevocable ? NO[platform] : undefined;
  return [
    ...CRASHES,
    { kind: "wire_refused", verdict: lost("before") },
    { kind: "wire_reset_accepted", verdict: lost("after") },
    { kind: "wire_timeout", verdict: { is: "hang", lands: null, headersCame: false } },
    { kind: "wire_timeout_accepted", verdict: { is: "hang", lands: 0, headersCame: false } },
    { kind: "wire_endless", verdict: { is: "hang", lands: 0, headersCame: true } },
    { kind: "wire_5xx", verdict: answer(503, false) },
    { kind: "wire_5xx_accepted", verdict: answer(503, true) },
    { kind: "wire_garbage_accepted", verdict: answer(200, true, "<!doctype html>") },
    { kind: "wire_429", verdict: tooMany(platform, "30") },
    { kind: "wire_429", verdict: tooMany(platform, null) },
    { kind: "wire_expired", verdict: { is: "expired" } },
    { kind: "pause_after", verdict: { is: "pause", when: "after", ms: 8 * MINUTE } },
    ...(no === undefined ? [] : [{ kind: "wire_no", verdict: answer(no.status, false, no.body) }]),
  ];
}

/** Strikes the call number `at` with its fault number `nth`, if it has that many. */
export function singleFault(at: number, nth: number): Plan {
  return {
    decide(point, index) {
      const fault = index === at ? faultsAt(point)[nth] : undefined;
      return fault ?? { kind: "fine", verdict: { is: "fine" } };
    },
    strikes: () => false,
  };
}
