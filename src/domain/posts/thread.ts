// A thread: further parts of a post, each published as a reply to the one before. The post itself is the part at position 0.
import { isObject } from "../json.ts";

export interface ThreadPart {
  text: string;
  /** Ids of files, in publish order. */
  media: string[];
}

/** A part as callers write it; `media` may be left out. */
export interface WrittenThreadPart {
  text: string;
  media?: string[] | undefined;
}

/** The further parts as they are stored, or null. */
export function storedThread(threadParts: readonly WrittenThreadPart[] | null | undefined): ThreadPart[] | null {
  if (threadParts === null || threadParts === undefined || threadParts.length === 0) return null;
  return threadParts.map(({ text, media = [] }) => ({ text, media }));
}

/** The further parts that go out on a channel: its own, or those of the post. */
export function getThread(
  post: { thread: ThreadPart[] | null; overrides: Record<string, Record<string, unknown>> },
  channelId: string,
): ThreadPart[] {
  const ownThread = post.overrides[channelId]?.thread;
  return Array.isArray(ownThread) ? ownThread.map(toThreadPart) : (post.thread ?? []);
}

function toThreadPart(value: unknown): ThreadPart {
  const { text, media } = isObject(value) ? value : {};
  return { text: typeof text === "string" ? text : "", media: Array.isArray(media) ? media.map(String) : [] };
}
