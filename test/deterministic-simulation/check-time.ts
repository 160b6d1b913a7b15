// What went out went out when it was asked for: later by no more than what went wrong with it explains, and by next to
// nothing where what went wrong concerned others only.
import { networkOf } from "../../src/networks/index.ts";
import { isComment, placeOf } from "./checks-always.ts";
import { atCapMs } from "./day-cap.ts";
import type { Say } from "./promises.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { Injected, World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Where nothing goes wrong: the calls of one delivery, and what a network takes to prepare. */
const USUAL_MS = { prompt: 2 * SECOND, slow: 9 * SECOND };
const PREPARES_MS: Record<string, number> = {
  instagram: 60 * SECOND,
  threads: 30 * SECOND,
  tiktok: 20 * SECOND,
  youtube: 20 * SECOND,
  facebook: 5 * SECOND,
};
/** Posts of one account go out one after the other, and those of one workspace share its connections. */
const PLACE_MS = { ofChannel: 4 * SECOND, ofWorkspace: 1 * SECOND };
/** What the sweeper needs for what everybody else forgot, and a workspace for a post that ends its process each time. */
const FORGOTTEN_MS = 130 * SECOND;
/** A call that may still be under way is left alone so much longer than it may take (src/store/deliveries/due.ts). */
const RECOVERS_MS = 30 * SECOND;
/** For so long the sweeper takes a call for one that is under way (src/store/deliveries/overdue.ts). */
const UNDER_WAY_MS = 5 * MINUTE;
/** What a fault of the database costs: the wait before it is asked again. */
const DATABASE_MS = 35 * SECOND;
/** What another network's trouble may cost in the same workspace, and another workspace's trouble. */
const OTHERS_MS = { network: 5 * SECOND, workspace: 1 * SECOND };
/**
 * An object has five connections for networks, four of them for files, and who sends a file takes two: two that hang can have
 * all for files, three can have all.
 */
const FULL_BY = { files: 2, text: 3 };
const HANGS = [
  "wire_timeout",
  "wire_timeout_accepted",
  "wire_endless",
  "wire_late",
  "pause_before",
  "pause_after",
  "outage_of_a_network",
];
/** Waits of the retry table, with their jitter. */
const WAITS_MS = [36 * SECOND, 144 * SECOND, 12 * MINUTE, 36 * MINUTE, 144 * MINUTE, 8 * HOUR];
/** A network that asks for a longer wait is asked again after this. */
const ASKED_WAIT_MAX_MS = 6 * HOUR;
/** What is later is not sent any more; what had begun may still end. */
const DEADLINE_MS = 24 * HOUR + 15 * MINUTE;
/** Besides its wait, a try that fails may have lasted as long as the longest of all calls. */
const CALL_MS = 13 * MINUTE;

/** For how long an address to upload to may be used; a file that is not there by then is begun anew, after a wait. */
const ADDRESS_MS: Record<string, number> = { tiktok: HOUR };
/** Networks whose limits are those of a day, in UTC. */
const UNTIL_MIDNIGHT = ["linkedin"];
const DAY_MS = 24 * HOUR;
/** How long connectors leave a channel alone whose network names no time with its 429; others try again by the table. */
const OWN_WAIT_MS: Record<string, number> = {
  instagram: 15 * MINUTE,
  threads: 15 * MINUTE,
  x: 15 * MINUTE,
  facebook: HOUR,
  pinterest: MINUTE,
  tiktok: MINUTE,
};

interface Place {
  wanted: Wanted;
  channel: Channel;
}

export function judgeTime(world: World, workload: Workload, say: Say): void {
  const firsts = new Map<string, { place: Place; at: number }>();
  for (const entry of world.networks.ledger.list()) {
    const place = isComment(entry) ? null : placeOf(entry, workload);
    if (place === null) continue;
    const key = `${place.wanted.n} ${place.channel.id}`;
    if (!firsts.has(key)) firsts.set(key, { place, at: entry.at_ms });
  }
  for (const { place, at } of firsts.values()) {
    const { wanted, channel } = place;
    // Who has it sent again after it failed cannot tell which of both is out.
    if (wanted.retriedAt.length > 0) continue;
    const late = at - wanted.latest();
    const allowed = allowedMs(world, workload, place, at);
    if (late > DEADLINE_MS)
      say("within_a_day", `p${wanted.n} on ${channel.platform} ${channel.handle} is out more than a day late`);
    if (late > allowed)
      say(
        "on_time",
        `p${wanted.n} on ${channel.platform} ${channel.handle} is out ${late} ms late, and ${allowed} ms are explained`,
      );
  }
}

/** How late a delivery may be that went out at `at`. */
function allowedMs(world: World, workload: Workload, { wanted, channel }: Place, at: number): number {
  const due = wanted.latest();
  // What is sent again later was there at its first time, too.
  const near = workload.wanted.filter(
    (other) =>
      other.workspace === wanted.workspace &&
      [other.latest(), other.earliest(at) ?? 0].some((time) => Math.abs(time - due) < 15 * MINUTE),
  );
  const ofChannel = near.filter(({ first }) => first.channels.includes(channel.id)).length;
  const deliveries = near.reduce((sum, { first }) => sum + first.channels.length, 0);
  let allowed =
    (world.isPrompt ? USUAL_MS.prompt : USUAL_MS.slow) +
    (PREPARES_MS[channel.platform] ?? 0) * (1 + ofChannel / 4) +
    PLACE_MS.ofChannel * (ofChannel - 1) +
    PLACE_MS.ofWorkspace * (deliveries - 1);
  const latency = world.plan.latencyMs?.(channel.platform) ?? 0;
  allowed += latency * 3 * ofChannel;
  let tries = 0;
  let others = 0;
  let isSendLost = false;
  const ends = new Set<unknown>();
  allowed += atCapMs(world, channel, due, at);
  for (const fault of world.injected) {
    const waitMs = askedWaitMs(fault, channel);
    if (fault.at > at || (fault.at + (waitMs ?? fault.ms) < due - HOUR && !isOfRequest(fault))) continue;
    const strikes = concerns(fault, wanted, channel);
    if (strikes === "itself" && fault.irrevocable) isSendLost = true;
    // A process that stood still while its call was under way takes it for unanswered.
    if (
      FREEZES.includes(fault.kind) &&
      fault.port === "wire" &&
      // Nobody knows whose bytes go to an address to upload to.
      (fault.n === wanted.n || (fault.n === null && fault.workspace === wanted.workspace)) &&
      fault.platform === channel.platform
    )
      allowed += (WAITS_MS[Math.min(tries++, WAITS_MS.length - 1)] ?? 0) + CALL_MS;
    if (strikes === "itself")
      allowed += Math.max(waitMs ?? 0, WAITS_MS[Math.min(tries++, WAITS_MS.length - 1)] ?? 0) + CALL_MS;
    else if (strikes === "its process" && ends.has(endOf(fault))) {
      // It stands still once more, and nobody else has its work; or it had written a send down that it makes all the same.
      const { takenOverAt = null } = fault.process ?? {};
      const isAlone = takenOverAt === null || fault.at < takenOverAt;
      if (fault.kind === "freeze" && (isAlone || hasSent(world, fault.process, wanted, channel))) allowed += fault.ms;
    } else if (strikes === "its process") {
      ends.add(endOf(fault));
      const recoversMs = (networkOf(channel.platform)?.publishTimeoutMs ?? 0) + RECOVERS_MS;
      const sweptMs = isLeftToSweeper(world, fault, at) ? UNDER_WAY_MS : 0;
      allowed += FORGOTTEN_MS + fault.ms + Math.max(recoversMs, sweptMs);
    } else if (strikes === "its database") allowed += DATABASE_MS;
    else if (strikes === "its messages") allowed += FORGOTTEN_MS + fault.ms;
    else if (strikes === "its workspace") others = Math.max(others, OTHERS_MS.network);
    else if (strikes === "another workspace") others = Math.max(others, OTHERS_MS.workspace);
  }
  // A send that had no answer is not made again before its network has done with it.
  if (isSendLost) allowed += networkOf(channel.platform)?.republishAfterMs ?? 0;
  const addressMs = ADDRESS_MS[channel.platform];
  if (tries > 0 && addressMs !== undefined && at - due > addressMs)
    allowed += (WAITS_MS[Math.min(tries, WAITS_MS.length - 1)] ?? 0) + CALL_MS;
  const kind = wanted.allFiles(channel.id).length > 0 ? "files" : "text";
  if (hungBeside(world, wanted, channel, due, at) >= FULL_BY[kind]) others = CALL_MS;
  return allowed + others;
}

/** Whether nobody but the sweeper takes up what a process left: the repeat of its alarm gave way to one that was set later. */
const isLeftToSweeper = ({ replacedAlarms }: World, { workspace, at: endedAt }: Injected, at: number): boolean =>
  replacedAlarms.some((one) => one.workspace === workspace && one.at >= endedAt && one.at <= at);

/** Whether a process has made the send of a delivery itself. */
const hasSent = ({ wires }: World, process: Injected["process"], { n }: Wanted, { platform }: Channel): boolean =>
  wires.calls.some(
    (call) => call.irrevocable && call.n === n && call.platform === platform && call.process === process,
  );

/** What ends by a fault, once: a process, or each that takes up the same post. */
const endOf = ({ kind, process }: Injected) => (kind === "poison" ? "poison" : process);

/** A request that told nobody what it wrote: nobody knows when that comes due, however long after. */
const isOfRequest = ({ process }: Injected): boolean => process?.kind === "api";

/** Calls for other deliveries of a workspace that had no answer for a while, near the time at which one was due. */
function hungBeside(world: World, { n, workspace }: Wanted, { platform }: Channel, due: number, at: number): number {
  const hung = world.injected.filter(
    (fault) =>
      fault.port === "wire" &&
      HANGS.includes(fault.kind) &&
      fault.workspace === workspace &&
      (fault.n !== n || fault.platform !== platform) &&
      fault.at >= due - CALL_MS &&
      fault.at <= at,
  );
  return new Set(hung.map((fault) => `${fault.platform} ${fault.n}`)).size;
}

/** For how long a 429 has the channel left alone; null: it is tried again by the table, or the fault is another. */
export function askedWaitMs({ kind, at, ms }: Injected, { platform }: Channel): number | null {
  if (kind !== "wire_429") return null;
  if (ms > 0) return Math.min(ms, ASKED_WAIT_MAX_MS);
  if (UNTIL_MIDNIGHT.includes(platform)) return DAY_MS - (at % DAY_MS);
  return OWN_WAIT_MS[platform] ?? null;
}

type Concern =
  | "itself"
  | "its process"
  | "its database"
  | "its messages"
  | "its workspace"
  | "another workspace"
  | "nobody";

const ENDS = ["kill_before", "kill_after", "restart", "freeze", "replace", "poison"];
const FREEZES = ["freeze", "replace"];
/** What was written is there, and who wrote it was not told. */
const LOST_AFTER = ["db_late", "lost_after", "db_reset_after"];
const MESSAGES = [
  "queue_lost",
  "queue_slow",
  "queue_unheard",
  "alarm_lost",
  "alarm_late",
  "alarm_twice",
  "outage",
  "moved",
];

function concerns(fault: Injected, { n, workspace }: Wanted, { platform }: Channel): Concern {
  const { kind, port } = fault;
  const mine = fault.workspace === null || fault.workspace === workspace;
  // What serves everybody, the sweeper or a batch of messages, is nobody's.
  const others: Concern = mine ? "its workspace" : "another workspace";
  if (MESSAGES.includes(kind)) return mine ? "its messages" : "nobody";
  if (ENDS.includes(kind)) return mine ? "its process" : "another workspace";
  if (port === "wire") {
    if (fault.n === n && fault.platform === platform) return "itself";
    // A network's trouble with one account is trouble of all who use it in that workspace.
    return fault.platform === platform && mine ? "itself" : others;
  }
  if (port === "bucket") return fault.workspace === workspace || fault.what.includes(workspace) ? "itself" : others;
  // A request whose answer was lost has told nobody what is due.
  if (LOST_AFTER.includes(kind) && fault.process?.kind === "api" && mine) return "its messages";
  if (port === "db") return mine ? "its database" : "another workspace";
  if (port === "queue" || port === "object") return mine ? "its messages" : "nobody";
  return "nobody";
}
