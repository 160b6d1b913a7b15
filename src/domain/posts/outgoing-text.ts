// The text that goes out on a channel.
import type { LongTextRule, PlatformRule } from "./platform-rule.ts";
import { joinQuestion, type Poll } from "./poll.ts";

/** The text of the option that replaces the post's text; null if the network has none, or the option is not set. */
export function findLongText(
  rule: LongTextRule | undefined,
  options: Record<string, unknown> | undefined,
): string | null {
  const text = rule && options?.[rule.option];
  return typeof text === "string" ? text : null;
}

interface Written {
  text: string;
  options: Record<string, unknown> | undefined;
  poll: Poll | null;
}

/** The post's text or that of an option, with the question of a poll where the network puts it. */
export const getOutgoingText = (
  { text, options, poll }: Written,
  rule: Pick<PlatformRule, "long_text" | "poll">,
): string => joinQuestion(findLongText(rule.long_text, options) ?? text, poll, rule.poll);
