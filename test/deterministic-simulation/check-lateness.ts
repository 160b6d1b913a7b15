// When a delivery must be out. Two rules decide:
//
// 1. If no fault of the platform came before, a delivery is out within QUIET_MS of its time, or of the end of a fault of a network.
// 2. After a fault of the platform, which may lose an alarm, a message or a process, it is out within CALM_MS.
//
// A fault counts if it can delay the delivery and begins before the delivery had to be out. Each delivery that its channel has to
// publish first adds QUIET_MS, because a channel publishes one post after another. Some waits are part of the product, or a network
// asks for them. The rules count from the end of such a wait, up to its bound (lateness-exceptions.ts).
import type { Judged } from "./check-unknown.ts";
import { type Checks, findTarget, getKey, isComment } from "./checks-always.ts";
import { History, type Wait } from "./history.ts";
import { type Case, EXCEPTIONS, INTERRUPTIONS } from "./lateness-exceptions.ts";
import type { Say } from "./promises.ts";
import type { Process } from "./scheduler.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** M: five round trips to the database of 200 ms and eight calls of a network of 1.5 s, with a margin. */
const QUIET_MS = 15 * SECOND;
/** N: the sweeper looks every 60 s for work that is 30 s late, and trusts a late alarm for 10 s. The work takes M; M is the margin. */
const CALM_MS = 60 * SECOND + 30 * SECOND + 10 * SECOND + 2 * QUIET_MS;
/** No delivery is sent more than a day after its time. A send that has begun may still end. */
const DEADLINE_MS = DAY + 15 * MINUTE;

interface Target {
  wanted: Wanted;
  channel: Channel;
}

/** The instant by which a delivery must be out, from what had happened by `until`. Epoch milliseconds. */
function getDeadline(world: World, workload: Workload, checks: Checks, target: Target, until: number): number {
  const { wanted, channel } = target;
  const dueAt = wanted.latest(channel.id, until);
  const faults = getFaults(world, target).filter(({ from }) => from <= until);
  const waits = getWaits(world, checks, target);
  const exceptions = EXCEPTIONS.flatMap(({ spans }) => spans({ world, channel, dueAt, waits, faults }));
  const before = workload.wanted.filter((other) => {
    const isOnChannel = other.channels.writes.some(({ value }) => value.includes(channel.id));
    const endedAt = checks.endedAt.get(`${other.postId} ${channel.id}`) ?? Number.POSITIVE_INFINITY;
    return other !== wanted && isOnChannel && other.latest(channel.id, until) <= until && endedAt >= dueAt;
  });
  const platformFaults = faults.filter(({ isOfNetwork }) => !isOfNetwork);
  const getAllowedMs = (at: number) =>
    (platformFaults.some(({ from }) => from <= at) ? CALM_MS : QUIET_MS) + QUIET_MS * before.length;
  let deadline = dueAt + getAllowedMs(dueAt + QUIET_MS);
  for (const { from, to } of [...faults, ...exceptions].toSorted((one, next) => one.from - next.from)) {
    // The delivery had to be out before this began.
    if (from > Math.min(deadline, until)) break;
    deadline = Math.max(deadline, to + getAllowedMs(to + QUIET_MS));
  }
  return deadline;
}

/** The faults that can delay a delivery. Those of another workspace, another lane or another post's request cannot. */
function getFaults({ injected, wires, database }: World, { wanted, channel }: Target): Case["faults"] {
  const [row] = database.rows("SELECT lane FROM channels WHERE id = ?", channel.id);
  const publisher = `publisher ${channel.workspace}:${Number(row?.lane ?? 0)}`;
  const isNear = (workspace: string | null, object: string | null, process: Process | null) =>
    (workspace === null || workspace === wanted.workspace) &&
    (object === null || object === publisher) &&
    (process?.kind !== "api" || process.n === wanted.n);
  const calls = wires.calls.filter(
    ({ isStruck, process }) =>
      (isStruck || process.diedAt !== null) && isNear(process.workspace, process.object, process),
  );
  return [
    ...injected
      .filter(({ workspace, object, process }) => isNear(workspace, object, process))
      // The sweeper makes up for a late alarm as it does for a lost one.
      .map(({ at, ms, kind, text, port }) => ({
        from: at,
        to: kind === "alarm_late" ? at : at + ms,
        kind,
        text,
        isOfNetwork: port === "wire" && !INTERRUPTIONS.includes(kind),
      })),
    ...calls.map(({ at, endedAt, carriedOutAt, process }) => {
      const to = Math.max(endedAt ?? process.diedAt ?? at, carriedOutAt ?? at);
      return { from: at, to, kind: "call", text: null, isOfNetwork: true };
    }),
  ];
}

/** The waits of a delivery's row, or of its rows if the answers to the post's creation were lost. */
function getWaits(world: World, checks: Checks, { wanted, channel }: Target): Wait[] {
  const subjects = world.wires.calls.flatMap(({ n, subject }) => (n === wanted.n ? [subject?.post] : []));
  const ids = [...subjects, wanted.postId].filter((id) => typeof id === "string");
  return new History(world, channel, new Set(ids)).waits(checks.waits);
}

/** Judges when each delivery went out. */
export function judgeLateness(world: World, workload: Workload, checks: Checks, say: Say): void {
  const judged = new Set<string>();
  for (const entry of world.networks.ledger.list()) {
    const target = isComment(entry) ? null : findTarget(entry, workload);
    if (target === null) continue;
    const { wanted, channel } = target;
    const key = `${wanted.n} ${channel.id}`;
    if (judged.has(key)) continue;
    judged.add(key);
    const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
    const lateMs = entry.at_ms - wanted.latest(channel.id, entry.at_ms);
    if (lateMs > DEADLINE_MS) say("within_a_day", `${name} is out more than a day late`);
    const overMs = entry.at_ms - getDeadline(world, workload, checks, target, entry.at_ms);
    if (overMs > 0) say("on_time", `${name} is out ${lateMs} ms after its time, ${overMs} ms later than allowed`);
  }
}

/** Whether the day of an unsent delivery was used up: its deadline is a day after its time, or later. */
export function wasDayUsedUp(world: World, workload: Workload, checks: Checks, judged: Judged): boolean {
  const { wanted, channel, row } = judged;
  const endedAt = Math.max(Number(row.scheduled_for), checks.endedAt.get(getKey(row)) ?? 0);
  const dueAt = Math.max(Number(row.scheduled_for), wanted.latest(channel.id, endedAt));
  return getDeadline(world, workload, checks, { wanted, channel }, endedAt) >= dueAt + DAY - MINUTE;
}
