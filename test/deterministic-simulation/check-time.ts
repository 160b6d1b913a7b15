// What went out went out when it was asked for. Between the instant at which it was due and the instant at which its network had it,
// every second belongs to something that went wrong with this very delivery: a call of its own that had no answer, a wait that its row
// was given for that, the end of its process, a message that was lost. What belongs to nothing may last fifteen seconds.
import { findNetwork } from "../../src/networks/index.ts";
import { askedWaitMs, askedWaits, MOMENT_MS } from "./asked-waits.ts";
import type { Judged } from "./check-unknown.ts";
import { type Checks, isComment, keyOf, placeOf } from "./checks-always.ts";
import { spansAtCap } from "./day-cap.ts";
import type { Excuses } from "./excuses.ts";
import {
  History,
  heldSpanOf,
  type Span,
  sortCalls,
  spanOf,
  spansWithAtLeast,
  uncoveredMs,
  type Wait,
} from "./history.ts";
import { reasonsOfFault, withNeededSweeps } from "./platform-reasons.ts";
import type { Say } from "./promises.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What may pass without a reason, and after each reason until the delivery is at its network. */
const ON_TIME_MS = 15 * SECOND;
/** How long a network may work on a post, once the files are there, before it is asked again. */
const PREPARES_MS = 30 * SECOND;
/**
 * An object has five connections for networks, four of them for files, and three for one network; who sends a file takes two. Two
 * that hang can have all for files, and three can have all; of one network one can, and two.
 */
const FULL_BY = { files: 2, text: 3 };
const FULL_OF_NETWORK_BY = { files: 1, text: 2 };
/** A network that does not answer is left alone after so many calls that hang, for a while (src/delivery/network-health.ts). */
const PAUSED = { detail: "the network did not answer calls for other posts", after: 2, ms: 30 * SECOND };
/** Waits of the retry table, with their jitter. */
const WAITS_MS = [36 * SECOND, 144 * SECOND, 12 * MINUTE, 36 * MINUTE, 144 * MINUTE, 432 * MINUTE];
/** Questions what became of a send come so long after it at the latest; later ones are five minutes apart. */
const PROBES_MS = [5 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR];
const POLL_MAX_MS = 5 * MINUTE;
/** What is later is not sent any more; what had begun may still end. */
const DEADLINE_MS = 24 * HOUR + 15 * MINUTE;
const DAY_MS = 24 * HOUR;
interface Place {
  wanted: Wanted;
  channel: Channel;
}

export function judgeTime(world: World, workload: Workload, checks: Checks, excuses: Excuses, say: Say): void {
  const firsts = new Map<string, { place: Place; at: number }>();
  for (const entry of world.networks.ledger.list()) {
    const place = isComment(entry) ? null : placeOf(entry, workload);
    if (place === null) continue;
    const key = `${place.wanted.n} ${place.channel.id}`;
    if (!firsts.has(key)) firsts.set(key, { place, at: entry.at_ms });
  }
  for (const { place, at } of firsts.values()) {
    const { wanted, channel } = place;
    const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
    const due = wanted.latest(channel.id, at);
    if (at - due > DEADLINE_MS) say("within_a_day", `${name} is out more than a day late`);
    const reasons = reasonsOf(world, workload, checks, place, { from: due, to: at });
    const late = { from: due, to: at };
    const { uncovered, allowed } = measure(reasons, late);
    excuses.late(late, reasons, (some) => isExplained(some, late));
    if (uncovered > allowed)
      say(
        "on_time",
        `${name} is out ${at - due} ms late, ${uncovered} of them for no reason, and ${allowed} are usual`,
      );
  }
}

/** Whether each moment of a delivery that was never sent has a reason, from when it was due until it ended, or until its day did. */
export function isExplainedUntil(
  world: World,
  workload: Workload,
  checks: Checks,
  { wanted, channel, row }: Judged,
): boolean {
  const scheduledFor = Number(row.scheduled_for);
  const endedAt = Math.max(scheduledFor, checks.endedAt.get(keyOf(row)) ?? scheduledFor);
  const from = Math.max(scheduledFor, wanted.latest(channel.id, endedAt));
  const reasons = reasonsOf(world, workload, checks, { wanted, channel }, { from, to: endedAt });
  const spans = reasons.flatMap((reason) => reason.spans);
  // Where the next try would come too late, nobody waits for it.
  const isTooLate = spans.some(({ from: since, to }) => since <= endedAt && to >= from + DAY_MS - MINUTE);
  return (endedAt - from >= DAY_MS - MINUTE || isTooLate) && isExplained(reasons, { from, to: endedAt });
}

/** How much of the time that a delivery was late has no reason, and how much may have none. Milliseconds. */
function measure(reasons: readonly Reason[], late: Span): { uncovered: number; allowed: number } {
  const spans = reasons.flatMap((reason) => reason.spans);
  const faults = reasons.flatMap((reason) => (reason.isUsual === true ? [] : reason.spans));
  return {
    uncovered: uncoveredMs(spans, late.from, late.to),
    allowed: ON_TIME_MS * (1 + passesOf(faults, late.from, late.to)),
  };
}
function isExplained(reasons: readonly Reason[], late: Span): boolean {
  const { uncovered, allowed } = measure(reasons, late);
  return uncovered <= allowed;
}

/** Why a delivery was late, and when. */
export interface Reason {
  name: string;
  spans: Span[];
  /** It is no fault: nothing has to be taken up again after it. */
  isUsual?: true;
}

/** How often somebody took the delivery up again, once a reason was over. */
function passesOf(spans: readonly Span[], from: number, to: number): number {
  let passes = 0;
  let until = from;
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    if (span.to <= from || span.from >= to) continue;
    if (span.from > until || passes === 0) passes++;
    until = Math.max(until, span.to);
  }
  return passes;
}

function reasonsOf(world: World, workload: Workload, checks: Checks, { wanted, channel }: Place, late: Span): Reason[] {
  const posts = new Set(
    world.wires.calls.flatMap(({ n, subject }) => (n === wanted.n && subject?.post ? [subject.post] : [])),
  );
  if (wanted.postId !== null) posts.add(wanted.postId);
  const history = new History(world, channel, posts);
  const waits = history.waits(checks.waits);
  /** When somebody is to take it up. */
  const rests = askedWaits(world, channel);
  const pauses = [...waits, ...rests];
  const needed = [late.from, ...pauses.map(({ to }) => to - MOMENT_MS)]
    .filter((instant) => !pauses.some(({ from, to }) => from <= instant && instant < to - MOMENT_MS))
    .toSorted((a, b) => a - b);
  const kind = isBehindFiles(workload, checks, { wanted, channel }, late) ? "files" : "text";
  const publisher = nameOfPublisher(world, channel);
  const others = world.wires.calls.filter(
    ({ process, subject }) => process.object === publisher && subject?.channel !== channel.id,
  );
  const ofNetwork = others.filter(({ platform }) => platform === channel.platform);
  const full = [
    ...spansWithAtLeast(FULL_BY[kind], withTurns(others.map(heldSpanOf))),
    ...spansWithAtLeast(FULL_OF_NETWORK_BY[kind], withTurns(ofNetwork.map(heldSpanOf))),
  ];
  const { struck, unstruck } = sortCalls(history.calls);
  const beside = sortCalls(history.callsBeside);
  return [
    { name: "a call of its own was struck", spans: struck.map(spanOf) },
    { name: "its network took its time", spans: [...unstruck.map(spanOf), ...preparations(waits)], isUsual: true },
    { name: "a file of its own was struck", spans: fileSpans(history) },
    { name: "it waited after that", spans: explainedWaits(history, waits, publisher) },
    { name: "a call of its channel was struck", spans: beside.struck.map(heldSpanOf) },
    {
      name: "another post of its channel was on its way",
      spans: withTurns(beside.unstruck.map(heldSpanOf)),
      isUsual: true,
    },
    { name: "its network asked its channel to wait", spans: rests },
    { name: "other calls had all connections", spans: full, isUsual: true },
    { name: "its account was at its cap", spans: spansAtCap(world, channel, late.from) },
    ...withNeededSweeps(
      world.injected.flatMap((fault) => reasonsOfFault(fault, { wanted, channel }, { needed, publisher })),
    ),
  ];
}

/** Whether a delivery needs the connections of files: it sends some, or a post of its channel that was due before it does. */
function isBehindFiles(workload: Workload, checks: Checks, { wanted, channel }: Place, late: Span): boolean {
  const queued = workload.wanted.filter((post) => {
    const endedAt = checks.endedAt.get(`${post.postId} ${channel.id}`) ?? Number.POSITIVE_INFINITY;
    const isOnChannel = post.channels.writes.some(({ value }) => value.includes(channel.id));
    return isOnChannel && endedAt >= late.from && post.latest(channel.id, late.to) <= late.to;
  });
  return [wanted, ...queued].some((post) => post.allFiles(channel.id).length > 0);
}

/** The name of the object that publishes on a channel. */
export function nameOfPublisher({ database }: World, { id, workspace }: Channel): string {
  const [row] = database.rows("SELECT lane FROM channels WHERE id = ?", id);
  return `publisher ${workspace}:${Number(row?.lane ?? 0)}`;
}

/** What goes to an address to upload to, or comes from the bucket, and was not there. */
const fileSpans = ({ faults }: History): Span[] =>
  faults.filter(({ port }) => port === "bucket").map(({ at, ms }) => ({ from: at, to: at + ms }));

/** Calls, each with what lies between it and the next one: a round trip to the database and the turn of another. */
const withTurns = (spans: readonly Span[]): Span[] => spans.map(({ from, to }) => ({ from, to: to + SECOND }));

/** Waits for a network that works on a post. */
const preparations = (waits: readonly Wait[]): Span[] =>
  waits
    .filter(({ state }) => state === "staged" || state === "processing")
    .map(({ from, to }) => ({ from, to: Math.min(to, from + PREPARES_MS) }));

/** Waits that its row was given for a reason of its own, each no longer than the reason explains. */
function explainedWaits(history: History, waits: readonly Wait[], publisher: string): Span[] {
  const causes = [...history.faults, ...history.faultsBeside];
  return waits.flatMap((wait) => {
    const { from, to, state, retries, detail } = wait;
    if (state !== "retry_wait" && state !== "reconciling" && state !== "staged" && state !== "processing") return [];
    const before = causes.filter(({ at }) => at <= from);
    const isPaused = detail === PAUSED.detail && hasHung(history, publisher, from);
    if (before.length === 0 && !isPaused) return [];
    const tableMs = WAITS_MS[Math.min(retries, WAITS_MS.length - 1)] ?? 0;
    const askedMs = Math.max(0, ...before.map((fault) => askedWaitMs(fault, history.channel) ?? 0));
    const probeMs = Math.max(POLL_MAX_MS, PROBES_MS.find((ms) => ms >= to - from) ?? 0);
    const republishMs = findNetwork(history.channel.platform)?.republishAfterMs ?? 0;
    const longest = state === "retry_wait" ? Math.max(tableMs, askedMs) : Math.max(probeMs, askedMs, republishMs);
    return [{ from, to: Math.min(to, from + longest + MOMENT_MS) }];
  });
}

/** Whether calls of an object to a network hung, so that it was left alone at an instant. */
function hasHung({ allCalls, channel: { platform } }: History, publisher: string, at: number): boolean {
  const hung = allCalls.filter(
    (call) =>
      call.process.object === publisher &&
      call.platform === platform &&
      call.status === null &&
      call.endedAt !== null &&
      call.endedAt <= at,
  );
  const last = Math.max(...hung.map(({ endedAt }) => endedAt ?? 0));
  return hung.length >= PAUSED.after && at - last <= PAUSED.ms + MOMENT_MS;
}
