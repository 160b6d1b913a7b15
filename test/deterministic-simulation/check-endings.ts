// "Failed" and "nobody knows" are said only where something struck this very delivery; what became of the database's answers
// never explains either.

import { askedWaitMs } from "./check-time.ts";
import type { Checks, Orphan } from "./checks-always.ts";
import { keyOf, number } from "./checks-always.ts";
import { CLASS_OF } from "./classes.ts";
import type { Row } from "./database.ts";
import { wasAtCap } from "./day-cap.ts";
import type { Say } from "./promises.ts";
import type { Process } from "./scheduler.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { NetworkCall } from "./wire.ts";
import type { Workload } from "./workload.ts";
import type { Injected, World } from "./world.ts";

/** Networks that take a post first and publish it later: what they say of it later may be lost too. */
const LATER = ["instagram", "threads", "tiktok", "youtube", "bluesky"];
/** Sends that one end of a process may leave that were written down and not begun: those of one network at once. */
const UNBEGUN_MAX = 2;
/** Starts after which a delivery that ends its process each time is ended itself. */
const STARTS_MAX = 5;
/** Of these the last ones, at which it alone was worked: where its network is asked, they are counted anew. */
const ENDS_ALONE_MAX = 3;
/** Faults that end a process. */
const ENDS = ["kill_before", "kill_after", "restart", "poison"];
/** Codes of what goes away by itself: waited for by the whole table before it is a failure. */
const TRANSIENT = ["network_unavailable", "network_quota"];
const TRIES = 6;
const DAY_MS = 24 * 3_600_000;

/** Calls by which a delivery was to be published, or asked for, and of which the network's answer was lost or says nothing. */
function lostCalls(world: World, { n }: Wanted, { platform }: Channel): NetworkCall[] {
  const calls = world.wires.calls.filter(
    (call) =>
      call.n === n &&
      call.platform === platform &&
      call.addition === null &&
      (call.irrevocable || LATER.includes(platform)),
  );
  // An upload session that is gone with its last bytes, or after that, may have become a video before.
  const isGone = ({ status }: NetworkCall) => platform === "youtube" && status === 404;
  const goneAt = calls.find((call) => isGone(call) && call.hasBody)?.at ?? Number.POSITIVE_INFINITY;
  return calls.filter((call) => call.answeredAt === null || (isGone(call) && call.at >= goneAt));
}

/** Whether an orphaned send was one for an account of which no answer was lost: those that were are of other deliveries. */
function hadAnswer(orphan: Orphan | undefined, lost: NetworkCall[], { platform }: Channel): boolean {
  const its = orphan?.calls.filter((call) => call.platform === platform) ?? [];
  return its.length > 0 && !lost.some(({ account }) => its.some((call) => call.account === account));
}

/** Processes that ended, or were replaced, at the question what became of a delivery: nobody heard the answer. */
function endsAsking({ injected, wires: { calls } }: World, { n }: Wanted, { platform }: Channel): number {
  const isIts = (call: { n: number | null; platform: string | null }) => call.n === n && call.platform === platform;
  const sentAt = calls.findIndex((call) => isIts(call) && call.irrevocable);
  const sent = calls[sentAt];
  if (sent === undefined) return 0;
  const ends = injected.filter(({ kind, process }) => ENDS.includes(kind) || (process?.takenOverAt ?? null) !== null);
  const isAsking = (call: NetworkCall | undefined) => call !== undefined && isIts(call) && !call.irrevocable;
  const lastIsAsking = (process: Process | null) => {
    const i = calls.findLastIndex((call) => call.process === process);
    return i > sentAt && isAsking(calls[i]);
  };
  // Where its process stands still, the question may not have left by the end of the run.
  const isUnasked = (fault: Injected) =>
    fault.port === "wire" && isIts(fault) && fault.at > sent.at && !fault.irrevocable;
  return new Set(ends.filter((fault) => isUnasked(fault) || lastIsAsking(fault.process)).map(({ process }) => process))
    .size;
}

/** Whether a send was answered with an error, and is not repeated because its post was cancelled since. */
const wasStopped = ({ wires: { calls } }: World, { n, cancelledAt }: Wanted, { platform }: Channel): boolean =>
  calls.some(
    (call) =>
      call.n === n &&
      call.platform === platform &&
      call.irrevocable &&
      (call.status ?? 0) >= 400 &&
      cancelledAt.some((at) => at > call.at),
  );

/** Whether its owner took a post, or the video of one that is not out yet, off its network. */
const wasRemoved = ({ injected }: World, wanted: Wanted): boolean =>
  injected.some(({ kind, n }) => kind === "removed_by_owner" && n === wanted.n);

/** Whether bytes were put in the place of one of a post's files, which then cannot be sent any more. */
function wasSwapped({ swapped }: Workload, wanted: Wanted, { id }: Channel): boolean {
  const files = wanted.allFiles(id);
  return [...swapped.keys()].some((key) => files.some((file) => key.endsWith(`/${file}`)));
}

/** Whether nothing ran as the day of a delivery ended: it was asked for once, too late. */
function sleptThrough({ injected }: World, { scheduled_for }: Row, { platform }: Channel): boolean {
  const endsAt = number(scheduled_for) + DAY_MS;
  return (
    LATER.includes(platform) &&
    injected.some(({ kind, at, ms }) => kind === "outage" && at <= endsAt && at + ms >= endsAt)
  );
}

/** Codes of a delivery whose channel is not connected any more. */
const NOT_CONNECTED = ["token_expired", "token_revoked"];

/** Whether the network has ended our right to ask it. */
const isGivenUp = ({ database }: World, { id }: Channel): boolean =>
  database.rows("SELECT 1 FROM channels WHERE id = ? AND lost_reason IS NOT NULL", id).length > 0;

/** An alarm may be so late, and its publisher has something else to do first. */
const AFTER_WAIT_MS = 6 * 60_000;
/** Whether the network asked a channel for a wait that left what was due at an instant a day late. */
const wasHeldForADay = ({ injected }: World, channel: Channel, dueAt: number): boolean =>
  injected.some((fault) => {
    const waitMs = askedWaitMs(fault, channel);
    if (waitMs === null || fault.workspace !== channel.workspace || fault.platform !== channel.platform) return false;
    return fault.at + waitMs + AFTER_WAIT_MS >= dueAt + DAY_MS;
  });

export interface Judged {
  wanted: Wanted;
  channel: Channel;
  row: Row;
}

/** Judges every delivery that is of unknown outcome; returns how many of them nothing explains. */
export function judgeUnknown(world: World, workload: Workload, checks: Checks, all: Judged[], say: Say): number {
  let unexplained = 0;
  const unbegun = new Map<string, string[]>();
  for (const [place, some] of Map.groupBy(all, ({ wanted, channel }) => `${wanted.n} ${channel.platform}`)) {
    const [first] = some;
    if (first === undefined) continue;
    const lost = lostCalls(world, first.wanted, first.channel);
    // Where the network can be asked, one lost answer is no reason not to know: the next one says it.
    const isAsked =
      !CLASS_OF[first.channel.platform]?.startsWith("d") &&
      // What is cancelled, or has lost a file, is looked for and not sent again.
      first.wanted.cancelledAt.length === 0 &&
      !some.some(({ wanted, channel }) => wasSwapped(workload, wanted, channel)) &&
      !some.some(({ channel }) => isGivenUp(world, channel));
    let left = isAsked ? lost.length - some.length : lost.length;
    // One whose process ended before its call needs none of the answers that were lost: they explain others.
    const wasCalled = ({ row }: Judged) => checks.orphans.get(keyOf(row))?.calls.length !== 0;
    for (const { row, wanted, channel } of some.toSorted((a, b) => Number(wasCalled(b)) - Number(wasCalled(a)))) {
      const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
      const orphan = checks.orphans.get(keyOf(row));
      if (left > 0 && (isAsked || !hadAnswer(orphan, lost, channel))) {
        left--;
        continue;
      }
      // Without a channel nobody may ask any more. That it was given up for a reason is judged by itself.
      if (workload.removed.has(channel.id) || isGivenUp(world, channel)) continue;
      if (sleptThrough(world, row, channel) || wasStopped(world, wanted, channel)) continue;
      if (wasRemoved(world, wanted)) continue;
      if (endsAsking(world, wanted, channel) >= ENDS_ALONE_MAX) continue;
      if (orphan !== undefined && orphan.calls.length > 0 && (!isAsked || lost.length > 0)) continue;
      if (orphan !== undefined) {
        const end = `${orphan.step} ${channel.platform}`;
        unbegun.set(end, [...(unbegun.get(end) ?? []), name]);
        continue;
      }
      unexplained++;
      say(
        "unknown_is_explained",
        `${name} is of unknown outcome (${row.detail}); ${lost.length} calls of p${place} had no answer from the network`,
      );
    }
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

/** Judges one delivery that is said to have failed. */
export function judgeFailed(world: World, workload: Workload, { wanted, channel, row }: Judged, say: Say): void {
  const name = `p${wanted.n} on ${channel.platform} ${channel.handle} failed (${row.error}: ${row.detail})`;
  const { injected } = world;
  const mine = (workspace: string | null) => workspace === null || workspace === wanted.workspace;
  const files = wanted.allFiles(channel.id);
  const ofNetwork = injected.filter(
    ({ port, kind, platform, n, workspace }) =>
      port === "wire" &&
      platform === channel.platform &&
      (n === wanted.n || kind === "wire_expired" || (n === null && mine(workspace))),
  );
  const ofFiles = injected.filter(
    ({ port, kind, what }) => (port === "bucket" || kind === "file_changed") && files.some((id) => what.includes(id)),
  );
  const ends = injected.filter(({ kind, workspace }) => ENDS.includes(kind) && mine(workspace));
  const outage = injected.some(({ kind }) => kind === "outage");
  const removed = workload.removed.has(channel.id);
  const code = String(row.error);
  if (removed && ["channel_disconnected", "thread_stopped", ...NOT_CONNECTED].includes(code)) return;
  // That it was given up for a reason is judged by itself (check-channels.ts): a token that is good for one exchange is lost
  // with a process that ends in it, though its network did nothing wrong.
  if (NOT_CONNECTED.includes(code) && isGivenUp(world, channel)) return;
  if (code === "thread_stopped" && wanted.cancelledAt.length > 0) return;
  // It cannot go on under a part that is gone, nor with a video that is.
  if (wasRemoved(world, wanted) && (row.parts !== null || code === "content_refused")) return;
  if (code === "internal_error" && ends.length >= STARTS_MAX) return;
  if (code === "service_misconfigured" && injected.some(({ kind }) => kind === "keys_lost")) return;
  if (outage && code !== "media_missing") return;
  if (wasAtCap(world, channel, number(row.scheduled_for)) && ["network_quota", "missed_deadline"].includes(code))
    return;
  if (code === "missed_deadline") {
    if (wasHeldForADay(world, channel, number(row.scheduled_for))) return;
    say("failures_are_explained", `${name} and nothing was down`);
    return;
  }
  if (code === "media_missing") {
    if (ofFiles.length === 0) say("failures_are_explained", `${name} and no file of it was lost or changed`);
    return;
  }
  if (ofNetwork.length === 0 && ofFiles.length === 0)
    say("failures_are_explained", `${name} and its network did nothing wrong`);
  else if (TRANSIENT.includes(code) && ofFiles.length === 0)
    judgeTries(world, name, wanted, channel, ofNetwork.length, say);
}

/** What goes away by itself is tried again until the table or the day is used up. */
function judgeTries(world: World, name: string, wanted: Wanted, channel: Channel, faults: number, say: Say): void {
  const calls = world.wires.calls.filter(({ n, platform }) => n === wanted.n && platform === channel.platform);
  const neverSoon = calls.some(({ retryAfterMs }) => retryAfterMs !== null && retryAfterMs > 20 * 3_600_000);
  if (!neverSoon && faults < TRIES) say("tries_are_used", `${name} after ${faults} faults of its network`);
}
