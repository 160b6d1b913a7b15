// An outcome is unknown only if an answer for this very delivery was lost: the answer to its send, or, if its network can be
// asked, the answers to those questions too. A fault of the database never explains it.
import { type Checks, getKey, number } from "./checks-always.ts";
import { CLASS_OF } from "./classes.ts";
import type { Row } from "./database.ts";
import { readLastTry } from "./delivery-rows.ts";
import { History } from "./history.ts";
import type { Say } from "./promises.ts";
import { addTo, type CauseCounts } from "./tally.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { NetworkCall } from "./wire.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Networks that first accept a post and publish it later, so a later answer may be lost too. */
const LATER = ["instagram", "threads", "tiktok", "youtube", "bluesky"];
/** Sends that one end of a process may leave announced but not begun: as many as one network gets at once. */
const UNBEGUN_MAX = 2;
/**
 * The last of the five starts, which work on this delivery alone. If its network can be asked, they are counted from the send
 * on.
 */
const ENDS_ALONE_MAX = 3;
/** Faults that end a process. */
export const ENDS = ["kill_before", "kill_after", "restart", "poison"];
const DAY_MS = 24 * 3_600_000;

export interface Judged {
  wanted: Wanted;
  channel: Channel;
  row: Row;
}

/** The calls that publish the delivery, or ask about it, whose answer was lost or says nothing. */
function lostCalls(history: History): NetworkCall[] {
  const { platform } = history.channel;
  const calls = history.calls.filter(
    (call) => call.addition === null && (call.irrevocable || LATER.includes(platform)),
  );
  // If an upload session disappears with or after its last bytes, the video may already exist.
  const isGone = ({ status }: NetworkCall) => platform === "youtube" && status === 404;
  const goneAt = calls.find((call) => isGone(call) && call.hasBody)?.at ?? Number.POSITIVE_INFINITY;
  return calls.filter((call) => call.answeredAt === null || (isGone(call) && call.at >= goneAt));
}

/** Processes that ended, or were replaced, while they asked what became of the delivery, so that the answer was lost. */
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
  // The question of a frozen process may not have left by the end of the run.
  const unasked = history.faults.filter(({ port, at, irrevocable }) => port === "wire" && at > sentAt && !irrevocable);
  const isEnd = new Set(ends);
  return new Set([...lastAsked, ...unasked.filter((fault) => isEnd.has(fault))].map(({ process }) => process)).size;
}

/** Whether a send was refused and is not repeated because its post was cancelled since. */
const wasStopped = ({ calls }: History, { cancelledAt }: Wanted): boolean =>
  calls.some(
    (call) => call.irrevocable && (call.status ?? 0) >= 400 && cancelledAt.some((cancelled) => cancelled > call.at),
  );

/** Whether its owner deleted the post, or its unpublished video, on the network. */
export const wasRemoved = ({ injected }: World, { wanted, channel }: Judged): boolean =>
  injected.some(
    ({ kind, n, platform }) => kind === "removed_by_owner" && n === wanted.n && platform === channel.platform,
  );

/** Whether the bytes of one of the post's files were replaced, so that the file can no longer be sent. */
function wasSwapped({ swapped }: Workload, { wanted, channel }: Judged): boolean {
  const files = wanted.allFiles(channel.id);
  return [...swapped.keys()].some((key) => files.some((file) => key.endsWith(`/${file}`)));
}

/** Whether nothing ran when the day of the delivery ended, so that its network was asked once, and too late. */
function sleptThrough({ injected }: World, { row, channel }: Judged): boolean {
  const endsAt = number(row.scheduled_for) + DAY_MS;
  return (
    LATER.includes(channel.platform) &&
    injected.some(({ kind, at, ms }) => kind === "outage" && at <= endsAt && at + ms >= endsAt)
  );
}

/** Whether the network revoked Crier's access. */
export const isGivenUp = ({ database }: World, { id }: Channel): boolean =>
  database.rows("SELECT 1 FROM channels WHERE id = ? AND lost_reason IS NOT NULL", id).length > 0;

/** Returns the cause of an unknown outcome, or null. */
function findCause(world: World, workload: Workload, checks: Checks, judged: Judged): string | null {
  const { wanted, channel, row } = judged;
  const history = History.of(world, channel, row);
  const lost = lostCalls(history);
  const isGone = workload.removed.has(channel.id) || isGivenUp(world, channel);
  // If the network can be asked, the next question makes up for one lost answer. A post that was cancelled or has lost a file
  // is searched for and not sent again.
  const isAsked =
    !CLASS_OF[channel.platform]?.startsWith("d") &&
    wanted.cancelledAt.length === 0 &&
    !wasSwapped(workload, judged) &&
    !isGone;
  if (lost.length > (isAsked ? 1 : 0)) return "an answer of its network was lost";
  // Crier cannot ask about the post without its channel. Whether the channel was disconnected for a reason is judged in
  // check-channels.ts.
  if (isGone) return "its channel is gone";
  if (sleptThrough(world, judged)) return "an outage ended its day";
  if (wasStopped(history, wanted)) return "it was cancelled after an error";
  if (wasRemoved(world, judged)) return "its owner removed it from its network";
  if (endsAsking(world, history) >= ENDS_ALONE_MAX) return "processes ended as they asked for it";
  const orphan = checks.orphans.get(getKey(row));
  if (orphan !== undefined && orphan.calls.length > 0 && (!isAsked || lost.length > 0))
    return "its process ended in its send";
  return orphan === undefined ? null : UNBEGUN;
}
const UNBEGUN = "its process ended before its send";

/** Judges every delivery with an unknown outcome. Returns the number of unexplained ones. */
export function judgeUnknown(
  world: World,
  workload: Workload,
  { checks, causes }: { checks: Checks; causes: CauseCounts },
  all: Judged[],
  say: Say,
): number {
  let unexplained = 0;
  const unbegun = new Map<string, string[]>();
  for (const judged of all) {
    const { wanted, channel, row } = judged;
    const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
    const cause = findCause(world, workload, checks, judged);
    if (cause === null) {
      unexplained++;
      say(
        "unknown_is_explained",
        `${name} is of unknown outcome (${readLastTry(row).detail}), and no answer to it was lost`,
      );
      continue;
    }
    addTo(causes, { [`unknown: ${cause}`]: 1 });
    if (cause !== UNBEGUN) continue;
    const end = `${checks.orphans.get(getKey(row))?.step} ${channel.platform}`;
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
