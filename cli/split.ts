// --split: a long text as a thread on the networks that have threads, and as a whole on the others.
import { splitIntoThread } from "../src/domain/posts/split-text.ts";
import type { Answer, Body } from "./api/client.ts";
import { usage } from "./failure.ts";

type Rule = Answer<"platforms.list">["platforms"][number];
type NewPost = Body<"posts.create">;

interface Written {
  text: string | undefined;
  channels: Iterable<{ id: string; platform: string }>;
  rules: readonly Rule[];
  hasFiles: boolean;
  overrides: NewPost["overrides"];
}

/** The text, its thread and the overrides of the channels without threads. */
export function splitPost({ text, channels, rules, hasFiles, overrides = {} }: Written): Partial<NewPost> {
  if (text === undefined) throw usage("--split needs a text.");
  const targets = [...channels].map(({ id, platform }) => ({
    id,
    rule: rules.find((rule) => rule.platform === platform),
  }));
  const threaded = targets.flatMap(({ rule }) => (rule?.thread === undefined ? [] : [rule]));
  const limits = threaded.map((rule) => (hasFiles ? { ...rule, text_limit: rule.caption_limit } : rule));
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
