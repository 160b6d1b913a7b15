// "Failed" is said only where something struck this very delivery, and of a kind that ends in just that code.
import { isExplainedUntil, nameOfPublisher } from "./check-time.ts";
import { ENDS, isGivenUp, type Judged, wasRemoved } from "./check-unknown.ts";
import { type Checks, keyOf } from "./checks-always.ts";
import { wasAtCap } from "./day-cap.ts";
import type { Excuses } from "./excuses.ts";
import { History } from "./history.ts";
import type { Say } from "./promises.ts";
import type { Workload } from "./workload.ts";
import type { Injected, World } from "./world.ts";

/** Ends after which a delivery that ends its process each time is ended itself: of five starts one may only have been late. */
const STARTS_MAX = 4;
/** Of these the last ones are at the delivery itself, worked alone. Ends at another delivery may stand for the ones before. */
const STARTS_ALONE_MAX = 3;
/** Faults after which what a process had begun is begun again. */
const STARTS_LOST = [...ENDS, "freeze", "replace"];
/** Waits of the retry table. */
const TRIES = 6;

/** Codes of a delivery whose channel is not connected any more. */
const NOT_CONNECTED = ["token_expired", "token_revoked"];
/** Codes of what goes away by itself: waited for by the whole table, or for the whole day, before it is a failure. */
const PASSES = ["network_unavailable", "network_quota", "internal_error"];
/** Faults that end in each of these codes. */
const FITS: Record<string, (fault: Injected) => boolean> = {
  network_quota: ({ kind }) => kind === "wire_429",
  network_unavailable: ({ port }) => port === "wire" || port === "bucket",
  internal_error: ({ kind, port }) => port === "db" || port === "bucket" || STARTS_LOST.includes(kind),
};
/** Codes by which a network says no for good. */
const REFUSALS = ["content_refused", "media_refused", "duplicate_content", "permission_missing", "network_billing"];
/** Faults that a connector may take for a refusal. */
const SAYS_NO = ["wire_no", "wire_session_gone"];

interface Case extends Judged {
  history: History;
  /** Faults of calls that were made for it. */
  faults: Injected[];
}

/** What explains a failure; null: nothing. */
function excuseOf(world: World, workload: Workload, checks: Checks, one: Case): string | null {
  const { wanted, channel, row, history, faults } = one;
  const code = String(row.error);
  const isRemoved = workload.removed.has(channel.id);
  if (isRemoved && ["channel_disconnected", "thread_stopped", ...NOT_CONNECTED].includes(code))
    return "its channel was disconnected";
  // That it was given up for a reason is judged by itself (check-channels.ts): a token that is good for one exchange is lost
  // with a process that ends in it, though its network did nothing wrong.
  if ([...NOT_CONNECTED, "channel_disconnected"].includes(code) && isGivenUp(world, channel))
    return "its channel was given up";
  if (code === "thread_stopped" && wanted.cancelledAt.length > 0) return "the rest of its thread was cancelled";
  if (code === "thread_stopped" && history.calls.some((call) => call.irrevocable && call.answeredAt === null))
    return "an answer to a part of it was lost";
  if (code === "thread_stopped" && checks.orphans.has(keyOf(row))) return "its process ended in the send of a part";
  if (NOT_CONNECTED.includes(code) && hasEndedTwice(world, checks, one)) return "its token ended twice in one session";
  // It cannot go on under a part that is gone, nor with a video that is.
  if (wasRemoved(world, one) && (row.parts !== null || code === "content_refused")) return "its owner removed it";
  if (code === "service_misconfigured" && world.injected.some(({ kind }) => kind === "keys_lost"))
    return "keys were lost";
  if (code === "media_missing") return ofFiles(world, one).length > 0 ? "a file of it was lost or changed" : null;
  // A network that fetches the file itself, and does not get it, calls the file invalid.
  if (code === "media_refused" && ofFiles(world, one).length > 0) return "a file of it was lost or changed";
  if (code === "content_refused" && row.parts !== null && faults.some(({ kind }) => kind === "wire_unseen"))
    return "the part before it was not shown";
  if (code === "network_quota" && wasAtCap(world, channel, Number(row.scheduled_for)))
    return "its account was at its cap";
  if (REFUSALS.includes(code) && faults.some(({ kind }) => SAYS_NO.includes(kind))) return "its network refused it";
  if (code === "missed_deadline") return isExplainedUntil(world, workload, checks, one) ? "its day was used up" : null;
  if (!PASSES.includes(code)) return null;
  if (code === "internal_error" && endsOf(world, checks, one) >= STARTS_MAX) return "its processes ended";
  const lastAskedAt = Math.max(Number(row.scheduled_for) - 1, ...wanted.retriedAt(channel.id));
  const ownEnds = faults.filter(({ kind, at }) => STARTS_LOST.includes(kind) && at > lastAskedAt);
  if (code === "internal_error" && ownEnds.length >= STARTS_ALONE_MAX) return "its processes ended at it";
  const waits = history.waits(checks.waits).filter(({ state, from }) => state === "retry_wait" && from > lastAskedAt);
  if (![...faults, ...history.faultsBeside].some((fault) => FITS[code]?.(fault))) return null;
  if (waits.length >= TRIES) return "its tries were used up";
  return isExplainedUntil(world, workload, checks, one) ? "its day was used up" : null;
}

const ofFiles = ({ injected }: World, { wanted, channel }: Judged): Injected[] => {
  const files = wanted.allFiles(channel.id);
  return injected.filter(
    ({ port, kind, what }) => (port === "bucket" || kind === "file_changed") && files.some((id) => what.includes(id)),
  );
};

/** Ends of its publisher's processes while a delivery was to be worked: whatever they end at, its start is lost. */
function endsOf(world: World, checks: Checks, { channel, row }: Case): number {
  const endedAt = checks.endedAt.get(keyOf(row)) ?? 0;
  const publisher = nameOfPublisher(world, channel);
  return world.injected.filter(
    ({ kind, at, object }) =>
      STARTS_LOST.includes(kind) && object === publisher && at >= Number(row.scheduled_for) && at <= endedAt,
  ).length;
}

/** Whether access tokens of its network ended as a delivery was worked, and again or with a renewal that came to nothing: one that was just renewed is not renewed again. */
function hasEndedTwice({ injected }: World, checks: Checks, { channel, row, faults }: Case): boolean {
  const endedAt = checks.endedAt.get(keyOf(row)) ?? 0;
  const ends = injected.filter(
    ({ kind, platform, at }) => kind === "wire_expired" && platform === channel.platform && at <= endedAt,
  );
  const lastAt = ends.at(-1)?.at ?? 0;
  const isMisled = faults.some(({ kind, at }) => kind.startsWith("wire_garbage") && at >= lastAt && at <= endedAt);
  return (ends.length >= 2 || isMisled) && lastAt > endedAt - SESSION_MS;
}
/** The longest that a session goes on after its last token. */
const SESSION_MS = 5 * 60_000;

/** Judges one delivery that is said to have failed. */
export function judgeFailed(
  world: World,
  workload: Workload,
  { checks, excuses }: { checks: Checks; excuses: Excuses },
  judged: Judged,
  say: Say,
): void {
  const { wanted, channel, row } = judged;
  const history = History.of(world, channel, row);
  const faults = history.faults;
  const excuse = excuseOf(world, workload, checks, { ...judged, history, faults });
  if (excuse !== null) {
    excuses.count(`failed: ${row.error}: ${excuse}`);
    return;
  }
  const kinds = [...new Set(faults.map(({ kind }) => kind))];
  say(
    PASSES.includes(String(row.error)) && faults.length > 0 ? "tries_are_used" : "failures_are_explained",
    `p${wanted.n} on ${channel.platform} ${channel.handle} failed (${row.error}: ${row.detail}; ${row.network_message}), struck by ${kinds.join(", ") || "nothing"}`,
  );
}
