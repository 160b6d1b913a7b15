// Post targets for tests of the rules: the smallest valid target of each network, in which a test changes one property.

import type { MediaKind, PlatformRule, PostType } from "../../src/domain/posts/platform-rule.ts";
import { type MediaFacts, mediaCounts, type PostTarget } from "../../src/domain/posts/post-target.ts";

/** A file with no other known properties. */
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

/** A post target that breaks no rule: a short text if one is allowed, and only the required files and options. */
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
