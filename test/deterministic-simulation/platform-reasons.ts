// What a fault of the platform explains of a delivery's lateness: the end of its publisher's process, its database, and its messages.
// Whoever takes the delivery up next comes within a known time, and a fault explains nothing beyond that.
import { findNetwork } from "../../src/networks/index.ts";
import { PASSING } from "../support/d1-errors.ts";
import type { Reason } from "./check-time.ts";
import type { Span } from "./history.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { Injected } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What the sweeper needs for what everybody else forgot, and a workspace for a post that ends its process each time. */
const FORGOTTEN_MS = 130 * SECOND;
/** After a sweep that was struck the next one comes within a minute, and wakes the lanes of what it finds. */
const SWEPT_AGAIN_MS = 75 * SECOND;
/** A call that may still be under way is left alone so much longer than it may take (src/store/deliveries/open-send.ts). */
const RECOVERS_MS = 30 * SECOND;
/** What a fault of the database costs: the wait before it is asked again. */
const DATABASE_MS = 35 * SECOND;
/** An allowance of the day that is used up is asked after so often (src/domain/daily-limit.ts). */
const DAY_LIMIT_MS = 10 * MINUTE + DATABASE_MS;
const isDailyLimit = (text: string | null): boolean => text === PASSING.readLimit || text === PASSING.writeLimit;

const ENDS = ["kill_before", "kill_after", "restart", "freeze", "replace", "poison"];
const STANDS = ["outage", "moved"];
/** What tells a publisher that something is due. */
const MESSAGES = ["alarm_lost", "alarm_late"];
/** What keeps a message from a publisher, or from the sweeper: one that comes twice, or is not acknowledged, delays nothing. */
const LOST_MESSAGES = ["queue_lost", "queue_slow"];

const SWEEPER_STRUCK = "who looks for what is late was struck";
const AWAY = "its database was away";

/** Leaves out what struck the sweeper, and its messages, while the delivery was not left to it. */
export function withNeededSweeps(reasons: readonly Reason[]): Reason[] {
  const [sweeps, others] = [true, false].map((is) => reasons.filter(({ name }) => (name === SWEEPER_STRUCK) === is));
  const left = (others ?? []).filter(({ name }) => name !== AWAY).flatMap(({ spans }) => spans);
  const needed: Span[] = [];
  for (const span of (sweeps ?? []).flatMap(({ spans }) => spans).toSorted((a, b) => a.from - b.from))
    if ([...left, ...needed].some(({ from, to }) => from <= span.from && span.from <= to)) needed.push(span);
  return [...(others ?? []), { name: SWEEPER_STRUCK, spans: needed }];
}

/** What struck the publisher of a delivery, its database or its messages. */
export function reasonsOfFault(
  fault: Injected,
  { wanted, channel: { platform } }: { wanted: Wanted; channel: Channel },
  { needed, publisher }: { needed: readonly number[]; publisher: string },
): Reason[] {
  const { kind, port, at, ms, process, workspace, object, text } = fault;
  if (workspace !== null && workspace !== wanted.workspace) return [];
  const spanTo = (name: string, lasts: number): Reason[] => [{ name, spans: [{ from: at, to: at + ms + lasts }] }];
  // A message that was lost is missed when it would have been needed, hours later perhaps.
  const missed = (name: string, lasts: number): Reason[] => {
    const neededAt = needed.find((instant) => instant >= at) ?? at;
    const spans = [at, neededAt].map((from) => ({ from, to: from + lasts }));
    return [{ name, spans }];
  };
  if (STANDS.includes(kind)) return spanTo(`the platform or its workspace stood still (${kind})`, FORGOTTEN_MS);
  // A lost or late alarm is missed only when it was needed, no matter which process had set it; then the sweeper finds the delivery,
  // unless a late one rings before.
  if (MESSAGES.includes(kind)) {
    const lasts = kind === "alarm_late" ? Math.min(ms, FORGOTTEN_MS) : FORGOTTEN_MS;
    return object === publisher ? missed("a message was lost or late", lasts) : [];
  }
  if (process?.kind === "api")
    return process.n === wanted.n && port !== "wire" ? missed("a request told nobody", ms + FORGOTTEN_MS) : [];
  if (process?.kind === "sweep" || process?.kind === "consumer" || LOST_MESSAGES.includes(kind))
    return spanTo(SWEEPER_STRUCK, SWEPT_AGAIN_MS);
  // Of another lane, or of an endpoint.
  if (object !== publisher) return [];
  if (ENDS.includes(kind)) {
    const recoversMs = (findNetwork(platform)?.publishTimeoutMs ?? 0) + RECOVERS_MS;
    const name = "its process ended";
    // If an alarm is set meanwhile, the platform does not repeat the one that ended, and the sweeper finds what comes due before.
    return [...spanTo(name, FORGOTTEN_MS + recoversMs), ...missed(name, FORGOTTEN_MS)];
  }
  if (port === "db") return spanTo(AWAY, isDailyLimit(text) ? DAY_LIMIT_MS : DATABASE_MS);
  return [];
}
