// No call is made before the wait that its network asked for is over.
import type { Say } from "./promises.ts";
import type { NetworkCall } from "./wire.ts";
import type { World } from "./world.ts";

/** A longer value does not count as a wait that a network asked for. */
const ASKED_WAIT_MAX_MS = 3_600_000;
/** A replaced process passes on a wait this much later: the time of one write and one retry. */
const TELLS_OTHERS_MS = 5_000;

/** Judges a call when it begins. `hasEnded`: whether all deliveries of its post to its network have ended. */
export function judgeWait(world: World, call: NetworkCall, hasEnded: () => boolean, say: Say): void {
  const { process } = call;
  const key = getKey(call);
  const wait = world.wires.calls.findLast(
    (other) => other !== call && other.retryAfterMs !== null && getKey(other) === key,
  );
  if (wait?.retryAfterMs == null || wait.answeredAt === null || wait.retryAfterMs > ASKED_WAIT_MAX_MS) return;
  // Live posts are rechecked hours apart, and only to inform their owner.
  if (hasEnded() || wasForAddress(world, wait)) return;
  const { answeredAt } = wait;
  const wasTakenOver = ({ takenOverAt }: NetworkCall["process"]) => takenOverAt !== null && takenOverAt <= answeredAt;
  const isAnother = process !== wait.process;
  // A process that was replaced before the wait was asked for learns of it at the latest when it announces its send. Until then
  // it prepares.
  if (isAnother && !call.irrevocable && wasTakenOver(process)) return;
  // A replaced process passes the wait on through the database, a moment later.
  if (isAnother && wasTakenOver(wait.process) && world.now() - answeredAt < TELLS_OTHERS_MS) return;
  const until = answeredAt + wait.retryAfterMs;
  // Clocks differ between processes, and another process may not know of the wait.
  if (until - 1_000 > world.now() && wait.process.skewMs === process.skewMs && !wasLost(world, wait))
    say("network_waits", `${call.what} of p${call.n} comes ${until - world.now()} ms before the network wanted`);
}

/** The post of a call, its network and its account. */
const getKey = ({ platform, n, account }: NetworkCall): string => `${platform} ${n} ${account}`;

/**
 * Whether the wait was asked for by a read of the part that had just been published. Networks limit reads and posts separately.
 */
function wasForAddress({ wires: { calls } }: World, wait: NetworkCall): boolean {
  const before = calls.findLast(
    ({ n, process, at }, i) => n === wait.n && process === wait.process && at <= wait.at && i < calls.indexOf(wait),
  );
  return wait.what.startsWith("GET") && before?.irrevocable === true && before.status === 200;
}

/** Whether another fault hit the process that was asked to wait, so that it may not have written the wait. */
const wasLost = ({ injected }: World, call: NetworkCall): boolean =>
  injected.some(({ at, kind, process }) => process === call.process && at >= call.at && kind !== "wire_429");
