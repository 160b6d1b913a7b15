// Threads' errors. Threads publishes no list of error codes. These are the codes that open-source publishers have encountered
// (gitroomhq/postiz-app, trypostit/trypost, exileum/meta-mcp), read 2026-11-20.
import {
  type Again,
  CONTENT_REFUSED,
  type ContainerMeaning,
  DAY_QUOTA,
  MEDIA_REFUSED,
  PERMISSION_MISSING,
  PLATFORM_ERRORS,
  UNAVAILABLE,
} from "../shared/meta/container.ts";
import type { GraphEntry } from "../shared/meta/graph.ts";

type Entry = GraphEntry<ContainerMeaning>;

/** "Media Not Found": the container is not visible everywhere yet, even after it was reported as ready. */
const NOT_VISIBLE: Again = { is: "again", waitsMs: [5_000, 15_000, 30_000], atLast: UNAVAILABLE };
/** The address of a file could not be fetched; known to be temporary. */
const NOT_FETCHED: Again = { is: "again", waitsMs: [10_000, 60_000, 300_000], atLast: MEDIA_REFUSED };
/** An object that is missing or cannot be read by this token. */
const NOT_READABLE: Again = { is: "again", waitsMs: [30_000, 120_000], atLast: PERMISSION_MISSING };

const SHARED: Entry[] = [
  ...PLATFORM_ERRORS,
  { code: 24, subcode: 4279009, means: NOT_VISIBLE },
  // The user is restricted on Threads.
  { subcode: 4279013, means: PERMISSION_MISSING },
  { subcode: 2207052, means: NOT_FETCHED },
  { code: 100, subcode: 33, means: NOT_READABLE },
  // Invalid parameter: the code for too long texts, too many links and unavailable features, which the message names.
  { code: 100, means: CONTENT_REFUSED },
];

export const harmless: Entry[] = [
  { code: 1, means: UNAVAILABLE },
  { code: 2, means: UNAVAILABLE },
  { code: 24, means: NOT_VISIBLE },
  // "We restrict certain activity": spam protection, or the app's limit.
  { code: 4, subcode: 2207051, means: DAY_QUOTA },
  ...SHARED,
];

export const publish: Entry[] = [
  { code: 1, means: { is: "unknown" } },
  { code: 2, means: { is: "unknown" } },
  // On Instagram a post went live despite this refusal.
  { code: 4, subcode: 2207051, means: { is: "unknown" } },
  ...SHARED,
];

/** Failures that a new container may overcome, once: threads/troubleshooting, read 2026-11-20. */
const ONCE_MORE: Again = { is: "again", waitsMs: [10_000], atLast: MEDIA_REFUSED };

/** The meaning of a container's `error_message`. The names have the network's spelling. */
const problems: Record<string, ContainerMeaning> = {
  FAILED_DOWNLOADING_VIDEO: ONCE_MORE,
  FAILED_PROCESSING_AUDIO: ONCE_MORE,
  FAILED_PROCESSING_VIDEO: ONCE_MORE,
  INVALID_ASPEC_RATIO: MEDIA_REFUSED,
  INVALID_BIT_RATE: MEDIA_REFUSED,
  INVALID_DURATION: MEDIA_REFUSED,
  INVALID_FRAME_RATE: MEDIA_REFUSED,
  INVALID_AUDIO_CHANNELS: MEDIA_REFUSED,
  INVALID_AUDIO_CHANNEL_LAYOUT: MEDIA_REFUSED,
  UNKNOWN: ONCE_MORE,
};

/** The meaning of a problem, including unlisted ones. */
export function problem(text: string): ContainerMeaning {
  return problems[text] ?? ONCE_MORE;
}
