/** A network's rule, in the shape that `GET /v1/platforms` prints and that posts are judged by. */

export const POST_TYPES = ["feed", "reel", "short", "story", "carousel", "article"] as const;
export type PostType = (typeof POST_TYPES)[number];

export const MEDIA_KINDS = ["image", "video"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export const TEXT_UNITS = ["characters", "graphemes", "utf16"] as const;
export type TextUnit = (typeof TEXT_UNITS)[number];

export const GUARANTEES = ["exactly_once", "reconciled", "at_most_once"] as const;
/** What a network lets us promise: see the README, "What we promise per network". */
export type Guarantee = (typeof GUARANTEES)[number];

export interface FileRule {
  /** Content types the network takes. */
  types: string[];
  /** Bytes of one file. */
  max_bytes: number;
  /** Pixels of the longer side; absent when the network names none. */
  max_side?: number;
  /** Pixels of width plus height. */
  max_side_sum?: number;
  /** Longer side divided by shorter side. */
  max_ratio?: number;
}
export interface VideoRule extends FileRule {
  /** Seconds of one video; absent when the network names none. */
  max_seconds?: number;
}
export interface MediaCounts {
  images: number;
  videos: number;
  mixed: boolean;
  /** Images and videos together, where they may be mixed. */
  total?: number;
}

export interface PlatformRule {
  platform: string;
  /** In `text_unit`. */
  text_limit: number;
  /** In `text_unit`; applies once a file is attached. */
  caption_limit: number;
  text_unit: TextUnit;
  /** A second limit in UTF-8 bytes, where the network has one. */
  text_max_bytes?: number;
  media: MediaCounts;
  min_media: number;
  image: FileRule | null;
  video: VideoRule | null;
  post_types: PostType[];
  /** Limits that differ for one post type. */
  per_type: Partial<Record<PostType, { min_media?: number; media?: MediaCounts }>>;
  delivery_guarantee: Guarantee;
  auth: "credentials" | "oauth";
  measures: boolean;
  /** Whether alt text reaches the network. */
  alt_text: boolean;
  source: string;
  /** ISO date on which the numbers were last compared with the source. */
  verified_at: string;
}
