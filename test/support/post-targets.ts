// Post targets for tests of the rules. A test takes the smallest valid target of a network and changes one property.

import type { MediaKind, PlatformRule, PostType } from "../../src/domain/posts/platform-rule.ts";
import { type MediaFacts, mediaCounts, type PostTarget } from "../../src/domain/posts/post-target.ts";

/** Makes a file whose other properties are unknown. */
export const file = (kind: MediaKind, facts: Partial<MediaFacts> = {}): MediaFacts => ({
  kind,
  contentType: null,
  bytes: null,
  width: null,
  height: null,
  seconds: null,
  alt: null,
  ...facts,
});

export const files = (kind: MediaKind, count: number): MediaFacts[] => Array.from({ length: count }, () => file(kind));

/** Makes a post target that breaks no rule, with a short text if one is allowed and only the required files and options. */
export function leastTarget(
  rule: PlatformRule,
  postType: PostType | null = null,
  changes: Partial<PostTarget> = {},
): PostTarget {
  const counts = mediaCounts({ rule, postType });
  const ofType = rule.per_type[postType ?? "feed"];
  return {
    channel: "ch_1",
    rule,
    text: ofType?.text_limit === 0 ? "" : "a",
    textField: "/text",
    media: files(counts.images > 0 ? "image" : "video", counts.min),
    mediaField: "/media",
    postType,
    optionsField: "/overrides/ch_1",
    options: ofType?.required_options ?? [],
    ...changes,
  };
}
