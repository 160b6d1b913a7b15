// Instagram's errors: developers.facebook.com/documentation/instagram-platform, error codes of 2026-06-02, read 2026-11-20.
// A comment names the source of entries from elsewhere.
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

/** A problem of the network with this container. A new container may not have it. */
const NEW_CONTAINER: Again = { is: "again", waitsMs: [10_000, 60_000, 300_000], atLast: UNAVAILABLE };
/** The container is gone, or not visible yet. */
const NOT_VISIBLE: Again = { is: "again", waitsMs: [30_000, 120_000], atLast: UNAVAILABLE };
const NOT_READY: Again = { is: "again", waitsMs: [5_000, 15_000, 30_000], atLast: UNAVAILABLE };
/** The object was not found, or reading it is not permitted. */
const NOT_READABLE: Again = { is: "again", waitsMs: [30_000], atLast: PERMISSION_MISSING };
/**
 * The address of a file could not be fetched, or has different content. This problem is known to be temporary
 * (gitroomhq/postiz-app PR 1900).
 */
const NOT_FETCHED: Again = { is: "again", waitsMs: [10_000, 60_000, 300_000], atLast: MEDIA_REFUSED };

/** Problems of the post, reported at once or by a container that failed. */
const CONTENT: Entry[] = [
  { code: 100, subcode: 2207023, means: MEDIA_REFUSED }, // unknown media type
  { code: 100, subcode: 2207028, means: CONTENT_REFUSED }, // number of a carousel's items
  { code: 100, subcode: 2207040, means: CONTENT_REFUSED }, // too many tags
  // "Invalid user id": a tagged account does not exist or is private, as public code quotes it, read 2026-11-27.
  { subcode: 2207018, means: CONTENT_REFUSED },
  { code: 352, subcode: 2207026, means: MEDIA_REFUSED }, // video format
  { code: 36000, subcode: 2207004, means: MEDIA_REFUSED }, // image too large
  { code: 36001, subcode: 2207005, means: MEDIA_REFUSED }, // image format
  { code: 36003, subcode: 2207009, means: MEDIA_REFUSED }, // aspect ratio
  { code: 36004, subcode: 2207010, means: CONTENT_REFUSED }, // caption too long
  { code: 1, subcode: 2207057, means: CONTENT_REFUSED }, // thumb offset
  { subcode: 2207081, means: CONTENT_REFUSED }, // the account has no trial reels: gitroomhq/postiz-app
  { code: 9004, means: NOT_FETCHED },
  { subcode: 2207052, means: NOT_FETCHED },
  // Upload failed, video download failed: gitroomhq/postiz-app.
  { subcode: 2207082, means: NEW_CONTAINER },
  { subcode: 2207077, means: NEW_CONTAINER },
];

/** Server, create, upload and download problems, and a file that expired. */
const TROUBLE: Entry[] = [
  { code: -1, subcode: 2207001, means: NEW_CONTAINER },
  { code: -1, subcode: 2207032, means: NEW_CONTAINER },
  { code: -1, subcode: 2207053, means: NEW_CONTAINER },
  { code: -2, subcode: 2207003, means: NEW_CONTAINER },
  { code: -2, subcode: 2207020, means: NEW_CONTAINER },
];

const SHARED: Entry[] = [
  ...PLATFORM_ERRORS,
  // "Calls within 24 hours": docs/graph-api/overview/rate-limiting, read 2026-11-26.
  { code: 80002, means: DAY_QUOTA },
  { code: 9, means: DAY_QUOTA },
  { code: 25, subcode: 2207050, means: PERMISSION_MISSING }, // restricted, or at a checkpoint
  { code: 24, subcode: 2207006, means: NOT_READABLE },
  { code: 24, means: NOT_VISIBLE },
  { code: 9007, means: NOT_READY },
  ...CONTENT,
  { code: 100, subcode: 33, means: NOT_READABLE },
  { code: 100, means: CONTENT_REFUSED },
];

export const harmless: Entry[] = [
  ...TROUBLE,
  { code: 1, means: UNAVAILABLE },
  { code: 2, means: UNAVAILABLE },
  // "We restrict certain activity": spam protection, or the app's limit.
  { code: 4, subcode: 2207051, means: DAY_QUOTA },
  ...SHARED,
];

export const publish: Entry[] = [
  { code: -1, means: { is: "unknown" } },
  { code: -2, means: { is: "unknown" } },
  { code: 1, means: { is: "unknown" } },
  { code: 2, means: { is: "unknown" } },
  // A comment appeared despite this answer: brightbeanxyz/brightbean-studio, instagram.py, read 2026-11-24.
  { code: 20, subcode: 1772107, means: { is: "unknown" } },
  // A post went live despite this refusal: gitroomhq/postiz-app PR 1681, read 2026-11-20.
  { code: 4, subcode: 2207051, means: { is: "unknown" } },
  ...SHARED,
];

/** A failure without a number, or with an undocumented one. */
const ONCE_MORE: Again = { is: "again", waitsMs: [10_000], atLast: MEDIA_REFUSED };

/** The meaning of a failed container's `status`: a sentence that may end in a number. */
export function problem(text: string): ContainerMeaning {
  const subcode = Number(/\b2207\d{3}\b/.exec(text)?.[0]);
  return [...CONTENT, ...TROUBLE].find((entry) => entry.subcode === subcode)?.means ?? ONCE_MORE;
}
