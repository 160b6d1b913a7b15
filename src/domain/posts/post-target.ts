// The content that one channel would publish, with the rule that it is checked against.

import type { FileLimits, FileRule, MediaCounts, MediaKind, PlatformRule, PostType } from "./platform-rule.ts";
import type { Poll } from "./poll.ts";

/** The known facts about a file. null = not known (yet); only known facts are checked. */
export interface MediaFacts {
  kind: MediaKind;
  contentType: string | null;
  bytes: number | null;
  width: number | null;
  height: number | null;
  seconds: number | null;
  alt: string | null;
}

export interface PostTarget {
  channel: string;
  rule: PlatformRule;
  text: string;
  /** JSON pointer to where the text came from. */
  textField: string;
  /** Whether the text is that of the rule's `long_text`, whose length the schema of the options checks. */
  isLongText?: true;
  media: MediaFacts[];
  mediaField: string;
  /** The thumbnail of the post's video, if the post names a thumbnail and its file is known. */
  thumbnail?: MediaFacts;
  /** The captions of the post's video that are in the library, each with the position of its entry in the option. */
  captions?: { position: number; facts: MediaFacts }[];
  /** Absent or null: none. */
  poll?: Poll | null;
  /** JSON pointer to the poll. */
  pollField?: string;
  postType: PostType | null;
  /** JSON pointer to the channel's options. */
  optionsField: string;
  /** Names of the options that are set. */
  options: string[];
  /** How many entries each option that is a list has. */
  entries?: Record<string, number>;
  /** Whether images that the network would refuse are converted. If so, `media` describes the planned copies. */
  adapts?: true;
}

/** The post type of a target: the type that the post names, or else the network's default. */
export function effectivePostType(target: {
  rule: Pick<PlatformRule, "post_types">;
  postType: PostType | null;
}): PostType {
  if (target.postType !== null) return target.postType;
  return target.rule.post_types.includes("feed") ? "feed" : (target.rule.post_types[0] ?? "feed");
}

/**
 * The text limit of a post target, in the rule's unit. If the post type has no limit of its own, the network's caption limit
 * applies to a post with a file, and the network's text limit to a post without one. The text beside a poll may have its own limit.
 */
export function textLimit(target: Pick<PostTarget, "rule" | "media" | "postType" | "poll" | "isLongText">): number {
  if (target.isLongText && target.rule.long_text !== undefined) return target.rule.long_text.limit;
  const besidePoll = target.poll ? target.rule.poll?.text_limit : undefined;
  if (besidePoll !== undefined) return besidePoll;
  const ofType = target.rule.per_type[effectivePostType(target)]?.text_limit;
  return ofType ?? (target.media.length > 0 ? target.rule.caption_limit : target.rule.text_limit);
}

/** How many files a post target may have. */
export function mediaCounts(target: Pick<PostTarget, "rule" | "postType">): MediaCounts & { min: number } {
  const ofType = target.rule.per_type[effectivePostType(target)];
  return { ...(ofType?.media ?? target.rule.media), min: ofType?.min_media ?? target.rule.min_media };
}

/** The limits of a file in a post target. A post type may override the network's limits; a content type may override both. */
export function fileRule(
  target: Pick<PostTarget, "rule" | "postType">,
  file: Pick<MediaFacts, "kind" | "contentType">,
): FileRule | null {
  // Captions are no file of a post.
  if (file.kind === "captions") return null;
  const rule = target.rule[file.kind] ?? null;
  if (rule === null) return null;
  const ofType: FileLimits | undefined = target.rule.per_type[effectivePostType(target)]?.[file.kind];
  return { ...rule, ...ofType, ...rule.per_format?.[file.contentType ?? ""] };
}
