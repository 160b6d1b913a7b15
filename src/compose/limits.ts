// The rate limits of one call. Each subject is counted by an object of its own.
import { callObject } from "../adapters/object-call.ts";
import type { Context } from "../context.ts";
import { isReported, type Room } from "../domain/rate-limit.ts";
import { type Env, getObject } from "../env.ts";

export function makeLimits(env: Env): Context["limits"] {
  let tightest: Room | null = null;
  return {
    async take(limit, subject, tries) {
      // Retried, because counting a try twice is better than failing it.
      const { waitS, room } = await callObject(() =>
        getObject(env, env.COUNTER, `${limit}:${subject}`).take(limit, tries),
      );
      if (isReported(limit) && (tightest === null || room.remaining < tightest.remaining)) tightest = room;
      return waitS;
    },
    clear: (limit, subject) => callObject(() => getObject(env, env.COUNTER, `${limit}:${subject}`).clear()),
    room: () => tightest,
  };
}
