// A delivery is reported as failed only after a fault of this very delivery that leads to exactly this error code.
import { wasDayUsedUp } from "./check-lateness.ts";
import { ENDS, isGivenUp, type Judged, wasRemoved } from "./check-unknown.ts";
import { type Checks, getKey } from "./checks-always.ts";
import { wasAtCap } from "./day-cap.ts";
import { readLastTry } from "./delivery-rows.ts";
import { History } from "./history.ts";
import type { Say } from "./promises.ts";
import { addTo, type CauseCounts } from "./tally.ts";
import type { Workload } from "./workload.ts";
import type { Injected, World } from "./world.ts";

/** A delivery that keeps ending its process is given up after five starts; one of these may only have been late. */
const STARTS_MAX = 4;
/** The last of these starts work on this delivery alone. The earlier ones may have ended at another delivery. */
const STARTS_ALONE_MAX = 3;
/** Faults after which started work begins again. */
const STARTS_LOST = [...ENDS, "freeze", "replace"];
/** Waits of the retry table. */
const TRIES = 6;

/** Error codes of a delivery whose channel is no longer connected. */
const NOT_CONNECTED = ["token_expired", "token_revoked"];
/** Error codes of temporary problems, which become failures only after the whole retry table or the whole day. */
const PASSES = ["network_unavailable", "network_quota", "internal_error"];
/** For each of these codes, the faults that lead to it. */
const FITS: Record<string, (fault: Injected) => boolean> = {
  network_quota: ({ kind }) => kind === "wire_429",
  network_unavailable: ({ port }) => port === "wire" || port === "bucket",
  internal_error: ({ kind, port }) => port === "db" || port === "bucket" || STARTS_LOST.includes(kind),
};
/** Codes of permanent refusals by a network. */
const REFUSALS = ["content_refused", "media_refused", "duplicate_content", "permission_missing", "network_billing"];
/** Faults that a connector may take for a refusal. */
const SAYS_NO = ["wire_no", "wire_session_gone"];

interface Case extends Judged {
  history: History;
  /** Faults of calls that were made for the delivery. */
  faults: Injected[];
}

/** Returns the cause of a failure, or null. */
function findCause(world: World, workload: Workload, checks: Checks, judgedCase: Case): string | null {
  const { wanted, channel, row, history, faults } = judgedCase;
  const code = String(readLastTry(row).error);
  const isRemoved = workload.removed.has(channel.id);
  if (isRemoved && ["channel_disconnected", "thread_stopped", ...NOT_CONNECTED].includes(code))
    return "its channel was disconnected";
  // Whether the channel was disconnected for a reason is judged in check-channels.ts. A single-use token is lost if the process
  // ends during its exchange, although the network did nothing wrong.
  if ([...NOT_CONNECTED, "channel_disconnected"].includes(code) && isGivenUp(world, channel))
    return "its channel was given up";
  if (code === "thread_stopped" && wanted.cancelledAt.length > 0) return "the rest of its thread was cancelled";
  if (code === "thread_stopped" && history.calls.some((call) => call.irrevocable && call.answeredAt === null))
    return "an answer to a part of it was lost";
  if (code === "thread_stopped" && checks.orphans.has(getKey(row))) return "its process ended in the send of a part";
  if (NOT_CONNECTED.includes(code) && hasEndedTwice(world, checks, judgedCase))
    return "its token ended twice in one session";
  // A thread cannot continue under a deleted part, and an upload cannot continue with a deleted video.
  if (wasRemoved(world, judgedCase) && (row.published_at !== null || code === "content_refused"))
    return "its owner removed it";
  if (code === "service_misconfigured" && world.injected.some(({ kind }) => kind === "keys_lost"))
    return "keys were lost";
  if (code === "media_missing")
    return ofFiles(world, judgedCase).length > 0 ? "a file of it was lost or changed" : null;
  // A network that cannot fetch a file itself calls the file invalid.
  if (code === "media_refused" && ofFiles(world, judgedCase).length > 0) return "a file of it was lost or changed";
  if (code === "content_refused" && row.published_at !== null && faults.some(({ kind }) => kind === "wire_unseen"))
    return "the part before it was not shown";
  if (code === "network_quota" && wasAtCap(world, channel, Number(row.scheduled_for)))
    return "its account was at its cap";
  if (REFUSALS.includes(code) && faults.some(({ kind }) => SAYS_NO.includes(kind))) return "its network refused it";
  if (code === "missed_deadline")
    return wasDayUsedUp(world, workload, checks, judgedCase) ? "its day was used up" : null;
  if (!PASSES.includes(code)) return null;
  if (code === "internal_error" && countEnds(world, checks, judgedCase) >= STARTS_MAX) return "its processes ended";
  const lastAskedAt = Math.max(Number(row.scheduled_for) - 1, ...wanted.retriedAt(channel.id));
  const ownEnds = faults.filter(({ kind, at }) => STARTS_LOST.includes(kind) && at > lastAskedAt);
  if (code === "internal_error" && ownEnds.length >= STARTS_ALONE_MAX) return "its processes ended at it";
  const waits = history.waits(checks.waits).filter(({ state, from }) => state === "retry_wait" && from > lastAskedAt);
  if (![...faults, ...history.faultsBeside].some((fault) => FITS[code]?.(fault))) return null;
  if (waits.length >= TRIES) return "its tries were used up";
  return wasDayUsedUp(world, workload, checks, judgedCase) ? "its day was used up" : null;
}

const ofFiles = ({ injected }: World, { wanted, channel }: Judged): Injected[] => {
  const files = wanted.allFiles(channel.id);
  return injected.filter(
    ({ port, kind, what }) => (port === "bucket" || kind === "file_changed") && files.some((id) => what.includes(id)),
  );
};

/**
 * How often processes of its publisher ended while the delivery was due. Each such end loses a start, whichever delivery was
 * being worked.
 */
function countEnds({ injected, database }: World, checks: Checks, { channel, row }: Case): number {
  const endedAt = checks.endedAt.get(getKey(row)) ?? 0;
  const [lane] = database.rows("SELECT lane FROM channels WHERE id = ?", channel.id);
  const publisher = `publisher ${channel.workspace}:${Number(lane?.lane ?? 0)}`;
  return injected.filter(
    ({ kind, at, object }) =>
      STARTS_LOST.includes(kind) && object === publisher && at >= Number(row.scheduled_for) && at <= endedAt,
  ).length;
}

/**
 * Whether access tokens of the network expired twice in this session, or once with a failed renewal. A token that was just
 * renewed is not renewed again.
 */
function hasEndedTwice({ injected }: World, checks: Checks, { channel, row, faults }: Case): boolean {
  const endedAt = checks.endedAt.get(getKey(row)) ?? 0;
  const ends = injected.filter(
    ({ kind, platform, at }) => kind === "wire_expired" && platform === channel.platform && at <= endedAt,
  );
  const lastAt = ends.at(-1)?.at ?? 0;
  const isMisled = faults.some(({ kind, at }) => kind.startsWith("wire_garbage") && at >= lastAt && at <= endedAt);
  return (ends.length >= 2 || isMisled) && lastAt > endedAt - SESSION_MS;
}
/** How long a session can continue after its last renewal. */
const SESSION_MS = 5 * 60_000;

/** Judges one failed delivery. */
export function judgeFailed(
  world: World,
  workload: Workload,
  { checks, causes }: { checks: Checks; causes: CauseCounts },
  judged: Judged,
  say: Say,
): void {
  const { wanted, channel, row } = judged;
  const history = History.of(world, channel, row);
  const faults = history.faults;
  const { error, detail, networkMessage } = readLastTry(row);
  const cause = findCause(world, workload, checks, { ...judged, history, faults });
  if (cause !== null) {
    addTo(causes, { [`failed: ${error}: ${cause}`]: 1 });
    return;
  }
  const kinds = [...new Set(faults.map(({ kind }) => kind))];
  say(
    PASSES.includes(String(error)) && faults.length > 0 ? "tries_are_used" : "failures_are_explained",
    `p${wanted.n} on ${channel.platform} ${channel.handle} failed (${error}: ${detail}; ${networkMessage}), struck by ${kinds.join(", ") || "nothing"}`,
  );
}
