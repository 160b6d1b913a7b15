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

export interface Leg {
  channel: string;
  rule: PlatformRule;
  text: string;
  /** JSON pointer to where the text came from. */
  textField: string;
  media: MediaFacts[];
  mediaField: string;
  postType: PostType | null;
  /** JSON pointer to the channel's options. */
  optionsField: string;
  /** Names of the options that are set. */
  options: string[];
}

/** The type under which a leg goes out when the post names none. */
export function effectivePostType(leg: Pick<Leg, "rule" | "postType">): PostType {
  if (leg.postType !== null) return leg.postType;
  return leg.rule.post_types.includes("feed") ? "feed" : (leg.rule.post_types[0] ?? "feed");
}

/** The text limit of a leg in the rule's unit: the post type's own, or the shorter caption limit once a file is attached. */
export function textLimit(leg: Pick<Leg, "rule" | "media" | "postType">): number {
  const ofType = leg.rule.per_type[effectivePostType(leg)]?.text_limit;
  return ofType ?? (leg.media.length > 0 ? leg.rule.caption_limit : leg.rule.text_limit);
}

/** How many files a leg may have. */
export function mediaCounts(leg: Pick<Leg, "rule" | "postType">): MediaCounts & { min: number } {
  const ofType = leg.rule.per_type[effectivePostType(leg)];
  return { ...(ofType?.media ?? leg.rule.media), min: ofType?.min_media ?? leg.rule.min_media };
}

/** What holds for a file of a leg: the network's rule, then its post type's, then its content type's. */
export function fileRule(
  leg: Pick<Leg, "rule" | "postType">,
  file: Pick<MediaFacts, "kind" | "contentType">,
): FileRule | null {
  const rule = leg.rule[file.kind];
  if (rule === null) return null;
  const ofType: FileLimits | undefined = leg.rule.per_type[effectivePostType(leg)]?.[file.kind];
  return { ...rule, ...ofType, ...rule.per_format?.[file.contentType ?? ""] };
}
