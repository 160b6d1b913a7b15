// A publisher of a test's own beside the worker's, over the same database: its storage, its connection to the database and
// its world are the test's.

import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import type { WorkAllowance, WorkLimits } from "../../src/domain/work-allowance.ts";
import { limitEnv } from "../../src/limited-work.ts";
import { Publisher } from "../../src/publisher/publisher.ts";
import type { Lane } from "../../src/store/deliveries/due.ts";
import { testEnv } from "./env.ts";
import { publisherOf } from "./lanes.ts";
import { memoryStorage } from "./memory-storage.ts";

export interface OwnParts {
  storage?: ReturnType<typeof memoryStorage>;
  db?: D1Database;
  /** Of each of its invocations. */
  limits?: WorkLimits;
  /** What is different in its world. */
  world?: (ctx: Context) => Partial<Context>;
}

/** A publisher for the lane of a channel. `work` has its alarm ring now, and ends when that has done what is due. */
export async function ownPublisher(workspace: string, channel: string, parts: OwnParts = {}) {
  const { lane } = await publisherOf(workspace, channel);
  return publisherOfLane(lane, parts);
}

/** As `ownPublisher`, of a lane that is known. */
export function publisherOfLane(
  lane: Lane,
  { storage = memoryStorage(), db, limits, world = () => ({}) }: OwnParts = {},
) {
  const later: Promise<unknown>[] = [];
  const contextOf = (allowance: WorkAllowance | null) => {
    const env = limitEnv({ ...testEnv, DB: db ?? testEnv.DB }, allowance);
    const ctx = compose(env, (work) => later.push(work), { allowance });
    // Nobody waits between the tries of a call; who waits for news is told of them.
    const pause: Context["pause"] = (ms, signal) => (signal === undefined ? Promise.resolve() : ctx.pause(ms, signal));
    return { ...ctx, pause, ...world({ ...ctx, pause }) };
  };
  const publisher = new Publisher(storage, contextOf, limits);
  const work = async (): Promise<void> => {
    await publisher.arm(lane, Date.now());
    await publisher.alarm();
    await Promise.all(later);
  };
  return { publisher, storage, lane, work };
}

/** A world in which each call of a network is made by `carryOut`. */
export function networksVia(
  carryOut: (url: string, act: () => Promise<Response>, init?: RequestInit) => Promise<Response>,
) {
  return (ctx: Context): Partial<Context> => ({
    networkIO: (platform) => {
      const io = ctx.networkIO(platform);
      return {
        ...io,
        fetch: (url, init) => carryOut(url, () => io.fetch(url, init), init),
        fetchPublic: (url, init) => carryOut(url, () => io.fetchPublic(url, init), init),
      };
    },
  });
}

/** A world in which no call of a network goes out before `release`. */
export function heldNetworks() {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const world = networksVia(async (_, act) => {
    begun.resolve();
    await released.promise;
    return act();
  });
  /** `begun` ends once a call has been made. */
  return { world, begun: begun.promise, release: () => released.resolve() };
}
