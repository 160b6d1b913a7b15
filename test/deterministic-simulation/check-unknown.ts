// "Nobody knows" is said only where an answer to this very delivery was lost: to its send, or, where its network can be asked, to
// the questions too. What became of the database's answers never explains it.
import { type Checks, keyOf, number } from "./checks-always.ts";
import { CLASS_OF } from "./classes.ts";
import type { Row } from "./database.ts";
import type { Excuses } from "./excuses.ts";
import { History } from "./history.ts";
import type { Say } from "./promises.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { NetworkCall } from "./wire.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Networks that take a post first and publish it later: what they say of it later may be lost too. */
const LATER = ["instagram", "threads", "tiktok", "youtube", "bluesky"];
/** Sends that one end of a process may leave that were written down and not begun: those of one network at once. */
const UNBEGUN_MAX = 2;
/** Of five starts the last ones, at which a delivery is worked alone: where its network is asked, they are counted anew. */
const ENDS_ALONE_MAX = 3;
/** Faults that end a process. */
export const ENDS = ["kill_before", "kill_after", "restart", "poison"];
const DAY_MS = 24 * 3_600_000;

export interface Judged {
  wanted: Wanted;
  channel: Channel;
  row: Row;
}

/** Calls by which a delivery was to be published, or asked for, and of which the network's answer was lost or says nothing. */
function lostCalls(history: History): NetworkCall[] {
  const { platform } = history.channel;
  const calls = history.calls.filter(
    (call) => call.addition === null && (call.irrevocable || LATER.includes(platform)),
  );
  // An upload session that is gone with its last bytes, or after that, may have become a video before.
  const isGone = ({ status }: NetworkCall) => platform === "youtube" && status === 404;
  const goneAt = calls.find((call) => isGone(call) && call.hasBody)?.at ?? Number.POSITIVE_INFINITY;
  return calls.filter((call) => call.answeredAt === null || (isGone(call) && call.at >= goneAt));
}

/** Processes that ended, or were replaced, at the question what became of a delivery: nobody heard the answer. */
function endsAsking({ injected }: World, history: History): number {
  const { calls } = history;
  const sentAt = calls.find(({ irrevocable }) => irrevocable)?.at;
  if (sentAt === undefined) return 0;
  const asking = calls.filter(({ irrevocable, at }) => !irrevocable && at >= sentAt);
  const ends = injected.filter(({ kind, process }) => ENDS.includes(kind) || (process?.takenOverAt ?? null) !== null);
  const lastAsked = ends.filter(({ process }) => {
    const last = calls.findLast((call) => call.process === process);
    return last !== undefined && asking.includes(last);
  });
  // Where its process stands still, the question may not have left by the end of the run.
  const unasked = history.faults.filter(({ port, at, irrevocable }) => port === "wire" && at > sentAt && !irrevocable);
  const isEnd = new Set(ends);
  return new Set([...lastAsked, ...unasked.filter((fault) => isEnd.has(fault))].map(({ process }) => process)).size;
}

/** Whether a send was answered with an error, and is not repeated because its post was cancelled since. */
const wasStopped = ({ calls }: History, { cancelledAt }: Wanted): boolean =>
  calls.some(
    (call) => call.irrevocable && (call.status ?? 0) >= 400 && cancelledAt.some((cancelled) => cancelled > call.at),
  );

/** Whether its owner took a post, or the video of one that is not out yet, off its network. */
export const wasRemoved = ({ injected }: World, { wanted, channel }: Judged): boolean =>
  injected.some(
    ({ kind, n, platform }) => kind === "removed_by_owner" && n === wanted.n && platform === channel.platform,
  );

/** Whether bytes were put in the place of one of a post's files, which then cannot be sent any more. */
function wasSwapped({ swapped }: Workload, { wanted, channel }: Judged): boolean {
  const files = wanted.allFiles(channel.id);
  return [...swapped.keys()].some((key) => files.some((file) => key.endsWith(`/${file}`)));
}

/** Whether nothing ran as the day of a delivery ended: it was asked for once, too late. */
function sleptThrough({ injected }: World, { row, channel }: Judged): boolean {
  const endsAt = number(row.scheduled_for) + DAY_MS;
  return (
    LATER.includes(channel.platform) &&
    injected.some(({ kind, at, ms }) => kind === "outage" && at <= endsAt && at + ms >= endsAt)
  );
}

/** Whether the network has ended our right to ask it. */
export const isGivenUp = ({ database }: World, { id }: Channel): boolean =>
  database.rows("SELECT 1 FROM channels WHERE id = ? AND lost_reason IS NOT NULL", id).length > 0;

/** What explains that nobody knows of a delivery; null: nothing. */
function excuseOf(world: World, workload: Workload, checks: Checks, judged: Judged): string | null {
  const { wanted, channel, row } = judged;
  const history = History.of(world, channel, row);
  const lost = lostCalls(history);
  const isGone = workload.removed.has(channel.id) || isGivenUp(world, channel);
  // Where the network can be asked, one lost answer is no reason not to know: the next one says it. What is cancelled, or has
  // lost a file, is looked for and not sent again.
  const isAsked =
    !CLASS_OF[channel.platform]?.startsWith("d") &&
    wanted.cancelledAt.length === 0 &&
    !wasSwapped(workload, judged) &&
    !isGone;
  if (lost.length > (isAsked ? 1 : 0)) return "an answer of its network was lost";
  // Without a channel nobody may ask any more. That it was given up for a reason is judged by itself.
  if (isGone) return "its channel is gone";
  if (sleptThrough(world, judged)) return "an outage ended its day";
  if (wasStopped(history, wanted)) return "it was cancelled after an error";
  if (wasRemoved(world, judged)) return "its owner removed it from its network";
  if (endsAsking(world, history) >= ENDS_ALONE_MAX) return "processes ended as they asked for it";
  const orphan = checks.orphans.get(keyOf(row));
  if (orphan !== undefined && orphan.calls.length > 0 && (!isAsked || lost.length > 0))
    return "its process ended in its send";
  return orphan === undefined ? null : UNBEGUN;
}
const UNBEGUN = "its process ended before its send";

/** Judges every delivery that is of unknown outcome; returns how many of them nothing explains. */
export function judgeUnknown(
  world: World,
  workload: Workload,
  { checks, excuses }: { checks: Checks; excuses: Excuses },
  all: Judged[],
  say: Say,
): number {
  let unexplained = 0;
  const unbegun = new Map<string, string[]>();
  for (const judged of all) {
    const { wanted, channel, row } = judged;
    const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
    const excuse = excuseOf(world, workload, checks, judged);
    if (excuse === null) {
      unexplained++;
      say("unknown_is_explained", `${name} is of unknown outcome (${row.detail}), and no answer to it was lost`);
      continue;
    }
    excuses.count(`unknown: ${excuse}`);
    if (excuse !== UNBEGUN) continue;
    const end = `${checks.orphans.get(keyOf(row))?.step} ${channel.platform}`;
    unbegun.set(end, [...(unbegun.get(end) ?? []), name]);
  }
  for (const [end, names] of unbegun) {
    if (names.length <= UNBEGUN_MAX) continue;
    unexplained += names.length;
    say(
      "unknown_is_explained",
      `the end of one process (${end}) left ${names.length} of unknown outcome that it had not begun to send: ${names[0]}, ..`,
    );
  }
  return unexplained;
}
