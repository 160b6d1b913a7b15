// No call comes before the wait is over that its network asked for.
import type { Say } from "./promises.ts";
import type { NetworkCall } from "./wire.ts";
import type { World } from "./world.ts";

/** What stands in the way of a call longer than this is no wait that a network asked for. */
const ASKED_WAIT_MAX_MS = 3_600_000;
/** A process that was taken over says so late what a network asked it: its write, and one asked again. */
const TELLS_OTHERS_MS = 5_000;

/** Judges a call as it begins. `hasEnded`: whether all deliveries of its post to its network have. */
export function judgeWait(world: World, call: NetworkCall, hasEnded: () => boolean, say: Say): void {
  const { process } = call;
  const known = keyOf(call);
  const wait = world.wires.calls.findLast(
    (other) => other !== call && other.retryAfterMs !== null && keyOf(other) === known,
  );
  if (wait?.retryAfterMs == null || wait.answeredAt === null || wait.retryAfterMs > ASKED_WAIT_MAX_MS) return;
  // What is live is looked at hours apart, and only so that its owner knows.
  if (hasEnded() || wasForAddress(world, wait)) return;
  const { answeredAt } = wait;
  const wasTakenOver = ({ takenOverAt }: NetworkCall["process"]) => takenOverAt !== null && takenOverAt <= answeredAt;
  const isAnother = process !== wait.process;
  // Who was taken over before another was told learns of it at the latest as it would announce its send: it prepares until then.
  if (isAnother && !call.irrevocable && wasTakenOver(process)) return;
  // One that was taken over tells the others a moment later, by the database.
  if (isAnother && wasTakenOver(wait.process) && world.now() - answeredAt < TELLS_OTHERS_MS) return;
  const until = answeredAt + wait.retryAfterMs;
  // Each process has a clock of its own, and another one may not have been told.
  if (until - 1_000 > world.now() && wait.process.skewMs === process.skewMs && !wasLost(world, wait))
    say("network_waits", `${call.what} of p${call.n} comes ${until - world.now()} ms before the network wanted`);
}

/** The post of a call, its network and its account. */
const keyOf = ({ platform, n, account }: NetworkCall): string => `${platform} ${n} ${account}`;

/** Whether a wait was asked for by the look at where a part is that had just gone out: networks count reads and posts apart. */
function wasForAddress({ wires: { calls } }: World, wait: NetworkCall): boolean {
  const before = calls.findLast(
    ({ n, process, at }, i) => n === wait.n && process === wait.process && at <= wait.at && i < calls.indexOf(wait),
  );
  return wait.what.startsWith("GET") && before?.irrevocable === true && before.status === 200;
}

/** Whether the process that was told to wait met something else, so that it may not have written that down. */
const wasLost = ({ injected }: World, call: NetworkCall): boolean =>
  injected.some(({ at, kind, process }) => process === call.process && at >= call.at && kind !== "wire_429");
