// Calls that reach their network long after they were made, when they can no longer be revoked.
import type { Channel, Wanted } from "./wanted.ts";
import type { World } from "./world.ts";

/** Whether a call that was made before the takedown reached the network after it. */
export function cameLate({ wires }: World, { n, takedowns }: Wanted, { id, platform }: Channel): boolean {
  const takenDownAt = takedowns
    .filter(({ channel, status }) => channel === id && (status === 200 || status === 202))
    .map(({ at }) => at);
  return wires.calls.some(
    ({ n: callPost, platform: on, irrevocable, at: from, carriedOutAt: to }) =>
      callPost === n && on === platform && irrevocable && to !== null && takenDownAt.some((at) => at > from && at < to),
  );
}
