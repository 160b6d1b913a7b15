// The content that one channel would publish, with the rule that judges it.
import type { FileLimits, FileRule, MediaCounts, MediaKind, PlatformRule, PostType } from "./platform-rule.ts";

/** The known facts about a file. null = not known (yet); only known facts are judged. */
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
  media: MediaFacts[];
  mediaField: string;
  /** The thumbnail of its video, if one is named and known. */
  thumbnail?: MediaFacts;
  postType: PostType | null;
  /** JSON pointer to the channel's options. */
  optionsField: string;
  /** Names of the options that are set. */
  options: string[];
  /** Whether its images are converted if the network would refuse them; `media` then has them as planned. */
  adapts?: true;
}

/** The type of a post target if the post names none. */
export function effectivePostType(target: Pick<PostTarget, "rule" | "postType">): PostType {
  if (target.postType !== null) return target.postType;
  return target.rule.post_types.includes("feed") ? "feed" : (target.rule.post_types[0] ?? "feed");
}

/** The text limit of a post target in the rule's unit: the post type's own, or the shorter caption limit once a file is attached. */
export function textLimit(target: Pick<PostTarget, "rule" | "media" | "postType">): number {
  const ofType = target.rule.per_type[effectivePostType(target)]?.text_limit;
  return ofType ?? (target.media.length > 0 ? target.rule.caption_limit : target.rule.text_limit);
}

/** How many files a post target may have. */
export function mediaCounts(target: Pick<PostTarget, "rule" | "postType">): MediaCounts & { min: number } {
  const ofType = target.rule.per_type[effectivePostType(target)];
  return { ...(ofType?.media ?? target.rule.media), min: ofType?.min_media ?? target.rule.min_media };
}

/** The limits of a file of a post target: the network's rule, overridden by its post type's, then by its content type's. */
export function fileRule(
  target: Pick<PostTarget, "rule" | "postType">,
  file: Pick<MediaFacts, "kind" | "contentType">,
): FileRule | null {
  const rule = target.rule[file.kind];
  if (rule === null) return null;
  const ofType: FileLimits | undefined = target.rule.per_type[effectivePostType(target)]?.[file.kind];
  return { ...rule, ...ofType, ...rule.per_format?.[file.contentType ?? ""] };
}
