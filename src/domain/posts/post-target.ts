// What one channel would publish, with the rule it is judged by.
import type { FileLimits, FileRule, MediaCounts, MediaKind, PlatformRule, PostType } from "./platform-rule.ts";

/** What is known of a file. null = not known (yet); only what is known is judged. */
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
  /** The picture of its video, where one is named and known. */
  thumbnail?: MediaFacts;
  postType: PostType | null;
  /** JSON pointer to the channel's options. */
  optionsField: string;
  /** Names of the options that are set. */
  options: string[];
  /** Whether its images are converted where the network would refuse them; `media` has them as they are planned. */
  adapts?: true;
}

/** The type under which a post target goes out when the post names none. */
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

/** What holds for a file of a post target: the network's rule, then its post type's, then its content type's. */
export function fileRule(
  target: Pick<PostTarget, "rule" | "postType">,
  file: Pick<MediaFacts, "kind" | "contentType">,
): FileRule | null {
  const rule = target.rule[file.kind];
  if (rule === null) return null;
  const ofType: FileLimits | undefined = target.rule.per_type[effectivePostType(target)]?.[file.kind];
  return { ...rule, ...ofType, ...rule.per_format?.[file.contentType ?? ""] };
}
