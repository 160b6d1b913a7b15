// A second publisher over the worker's database. The test chooses its storage, its connection to the database and its parts of the
// outside.

import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import type { WorkAllowance, WorkLimits } from "../../src/domain/work-allowance.ts";
import { limitEnv } from "../../src/limited-work.ts";
import { Publisher } from "../../src/publisher/publisher.ts";
import type { Lane } from "../../src/store/deliveries/due.ts";
import { testEnv } from "./env.ts";
import { getPublisher } from "./lanes.ts";
import { memoryStorage } from "./memory-storage.ts";

export interface OwnParts {
  storage?: ReturnType<typeof memoryStorage>;
  db?: D1Database;
  /** The limits of each invocation. */
  limits?: WorkLimits;
  /** The parts of the context that differ. */
  world?: (ctx: Context) => Partial<Context>;
}

/** Makes a publisher for the lane of a channel. `work` rings its alarm now, and resolves when the due work is done. */
export async function ownPublisher(workspace: string, channel: string, parts: OwnParts = {}) {
  const { lane } = await getPublisher(workspace, channel);
  return makeLanePublisher(lane, parts);
}

/** Makes a publisher like `ownPublisher`, for a known lane. */
export function makeLanePublisher(
  lane: Lane,
  { storage = memoryStorage(), db, limits, world = () => ({}) }: OwnParts = {},
) {
  const later: Promise<unknown>[] = [];
  const makeContext = (allowance: WorkAllowance | null) => {
    const env = limitEnv({ ...testEnv, DB: db ?? testEnv.DB }, allowance);
    const ctx = compose(env, (work) => later.push(work), { allowance });
    // Pauses between the tries of a call end at once. Pauses that a signal can end are real.
    const pause: Context["pause"] = (ms, signal) => (signal === undefined ? Promise.resolve() : ctx.pause(ms, signal));
    return { ...ctx, pause, ...world({ ...ctx, pause }) };
  };
  const publisher = new Publisher(storage, makeContext, limits);
  const work = async (): Promise<void> => {
    await publisher.arm(lane, Date.now());
    await publisher.alarm();
    await Promise.all(later);
  };
  return { publisher, storage, lane, work };
}

/** Changes a context so that `carryOut` makes each call of a network. */
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

/** Changes a context so that no call of a network goes out before `release`. */
export function heldNetworks() {
  const callStarted = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const world = networksVia(async (_, act) => {
    callStarted.resolve();
    await released.promise;
    return act();
  });
  /** `begun` resolves when a call has been started. */
  return { world, begun: callStarted.promise, release: () => released.resolve() };
}
