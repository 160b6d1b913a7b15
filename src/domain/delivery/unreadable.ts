// Finds due deliveries and follow-ups that no release has written: their rows contradict themselves, so the next step is
// unknown.
import { isObject } from "../json.ts";
import { getThread } from "../posts/thread.ts";
import { FOLLOW_UP_KINDS, FOLLOW_UP_STATES } from "./follow-up-moves.ts";
import { parseLiveThreadParts } from "./thread.ts";
import { isEnded, isState } from "./transitions.ts";

interface DueRow {
  delivery: { state: string; parts: string | null; channelId: string };
  post: Parameters<typeof getThread>[0];
}

/** Why a due delivery cannot be worked, as a log line says it; null: it can. */
export function whyUnreadable({ delivery: { state, parts, channelId }, post }: DueRow): string | null {
  if (!isState(state)) return "its state is unknown";
  if (isEnded(state)) return "it has ended, and is due";
  const liveThreadParts = readThreadParts(parts);
  if (liveThreadParts === null) return "its parts cannot be read";
  // A thread with all its parts has ended.
  if (liveThreadParts.length > getThread(post, channelId).length) return "its post has fewer parts than are live";
  return null;
}

interface DueFollowUpRow {
  delivery: { state: string; parts: string | null };
  followUps: readonly { kind: string; state: string; tries: unknown }[];
}

/** Why a due follow-up cannot be worked, as a log line says it; null: it can. */
export function whyFollowUpUnreadable({ delivery, followUps }: DueFollowUpRow): string | null {
  if (!isState(delivery.state)) return "its state is unknown";
  if (readThreadParts(delivery.parts) === null) return "its parts cannot be read";
  const isKnown = ({ kind, state, tries }: DueFollowUpRow["followUps"][number]) =>
    FOLLOW_UP_KINDS.some((name) => name === kind) &&
    FOLLOW_UP_STATES.some((name) => name === state) &&
    Number.isInteger(tries);
  return followUps.every(isKnown) ? null : "its work cannot be read";
}

function readThreadParts(parts: string | null): unknown[] | null {
  try {
    const value: unknown = parseLiveThreadParts({ parts });
    return Array.isArray(value) && value.every(isLiveThreadPart) ? value : null;
  } catch {
    return null;
  }
}

const isLiveThreadPart = (threadPart: unknown): boolean =>
  isObject(threadPart) &&
  typeof threadPart.id === "string" &&
  typeof threadPart.at === "number" &&
  typeof threadPart.attempts === "number";
