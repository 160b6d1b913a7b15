// --split: a long text as a thread on the networks that have threads, and as a whole on the others.
import type { LinkTags } from "../src/domain/posts/link-tags.ts";
import { splitIntoThread } from "../src/domain/posts/split-text.ts";
import { tagText } from "../src/domain/posts/tagged-text.ts";
import { applyTier } from "../src/domain/posts/tier.ts";
import type { Answer, Body } from "./api/client.ts";
import { usage } from "./failure.ts";

type Rule = Answer<"platforms.list">["platforms"][number];
type NewPost = Body<"posts.create">;

interface Written {
  text: string | undefined;
  channels: Iterable<{ id: string; platform: string; tier: string | null }>;
  rules: readonly Rule[];
  hasFiles: boolean;
  overrides: NewPost["overrides"];
  /** Parameters that are added to its links; null: none. */
  linkTags: LinkTags | null;
}

/** The text, its thread and the overrides of the channels without threads. */
export function splitPost({ text, channels, rules, hasFiles, linkTags, overrides = {} }: Written): Partial<NewPost> {
  if (text === undefined) throw usage("--split needs a text.");
  const targets = [...channels].map(({ id, platform, tier }) => {
    const rule = rules.find((candidate) => candidate.platform === platform);
    return { id, rule: rule === undefined ? undefined : applyTier(rule, tier) };
  });
  const limits = targets.flatMap(({ id: channel, rule }) => {
    if (rule?.thread === undefined) return [];
    const { platform, text_unit, text_weighting, caption_limit, text_limit } = rule;
    const tag = (part: string) => tagText(part, linkTags, { platform, channel, post: null });
    return [{ text_unit, text_weighting, text_limit: hasFiles ? caption_limit : text_limit, tag }];
  });
  const [first, ...others] = limits.length === 0 ? [text] : splitIntoThread(text, limits);
  if (first === undefined || others.length === 0) return { text };
  const whole = targets.filter(({ rule }) => rule?.thread === undefined);
  const own: NonNullable<NewPost["overrides"]> = {};
  for (const { id } of whole) own[id] = { text, thread: [], ...overrides[id] };
  const all = { ...overrides, ...own };
  return {
    text: first,
    thread: others.map((part) => ({ text: part })),
    ...(Object.keys(all).length === 0 ? {} : { overrides: all }),
  };
}
