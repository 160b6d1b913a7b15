// Finds due deliveries and follow-ups that no release has written: their rows contradict themselves, so the next step is
// unknown.
import { isObject } from "../json.ts";
import { getThread } from "../posts/thread.ts";
import { FOLLOW_UP_KINDS, FOLLOW_UP_STATES } from "./follow-up-moves.ts";
import { isEnded, isState } from "./transitions.ts";

/** The facts that a row of a delivery has as JSON, before anything is known about them. */
interface Facts {
  sends: unknown;
  lastTry: unknown;
  networkPost: unknown;
  terms: unknown;
}

interface DueRow {
  delivery: Facts & { state: string; channelId: string };
  threadParts: readonly unknown[];
  post: Parameters<typeof getThread>[0];
}

/** Why a due delivery cannot be worked, as a log line says it; null: it can. */
export function whyUnreadable({ delivery, threadParts, post }: DueRow): string | null {
  const { state, channelId } = delivery;
  if (!isState(state)) return "its state is unknown";
  if (isEnded(state)) return "it has ended, and is due";
  if (!hasReadableFacts(delivery)) return "its facts cannot be read";
  // A thread with all its parts has ended.
  if (threadParts.length > getThread(post, channelId).length) return "its post has fewer parts than are live";
  return null;
}

interface DueFollowUpRow {
  delivery: Facts & { state: string };
  followUps: readonly { kind: string; state: string; tries: unknown }[];
}

/** Why a due follow-up cannot be worked, as a log line says it; null: it can. */
export function whyFollowUpUnreadable({ delivery, followUps }: DueFollowUpRow): string | null {
  if (!isState(delivery.state)) return "its state is unknown";
  if (!hasReadableFacts(delivery)) return "its facts cannot be read";
  const isKnown = ({ kind, state, tries }: DueFollowUpRow["followUps"][number]) =>
    FOLLOW_UP_KINDS.some((name) => name === kind) &&
    FOLLOW_UP_STATES.some((name) => name === state) &&
    Number.isInteger(tries);
  return followUps.every(isKnown) ? null : "its work cannot be read";
}

const isSend = (send: unknown): boolean => isObject(send) && typeof send.sent_at === "number";
const isNetworkPost = (post: unknown): boolean => isObject(post) && typeof post.id === "string";

const hasReadableFacts = ({ sends, lastTry, networkPost, terms }: Facts): boolean =>
  Array.isArray(sends) &&
  sends.every(isSend) &&
  (lastTry === null || isObject(lastTry)) &&
  (networkPost === null || isNetworkPost(networkPost)) &&
  (terms === null || isObject(terms));
