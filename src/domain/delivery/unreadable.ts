// Finds due deliveries that no release has written: their rows contradict themselves, so nobody can say what to do next.
import { isObject } from "../json.ts";
import { getThread } from "../posts/thread.ts";
import { parseLiveParts } from "./thread.ts";
import { isEnded, isState } from "./transitions.ts";

interface DueRow {
  delivery: { state: string; parts: string | null; channelId: string };
  post: Parameters<typeof getThread>[0];
}

/** Why a due delivery cannot be worked, as a log line says it; null: it can. */
export function whyUnreadable({ delivery: { state, parts, channelId }, post }: DueRow): string | null {
  if (!isState(state)) return "its state is unknown";
  if (isEnded(state)) return "it has ended, and is due";
  const liveParts = readParts(parts);
  if (liveParts === null || !liveParts.every(isLivePart)) return "its parts cannot be read";
  // A thread with all its parts has ended.
  if (liveParts.length > getThread(post, channelId).length) return "its post has fewer parts than are live";
  return null;
}

function readParts(parts: string | null): unknown[] | null {
  try {
    const value: unknown = parseLiveParts({ parts });
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

const isLivePart = (part: unknown): boolean =>
  isObject(part) && typeof part.id === "string" && typeof part.at === "number" && typeof part.attempts === "number";
