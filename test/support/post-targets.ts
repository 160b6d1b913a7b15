// Post targets for tests of the rules: the least that each network takes, to be changed by one thing.

import type { MediaKind, PlatformRule, PostType } from "../../src/domain/posts/platform-rule.ts";
import { type MediaFacts, mediaCounts, type PostTarget } from "../../src/domain/posts/post-target.ts";

/** A file of which nothing else is known. */
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

/** A post target that breaks no rule: a short text where one may stand, as many files as must be, and the options that must be. */
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
