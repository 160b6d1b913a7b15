import type { PostTarget } from "./post-target.ts";
import type { TextMeter } from "./text-length.ts";

/** US dollars that the network will charge the owner of the app for a post target; null when it charges nothing. */
export function estimatedCost(
  { rule, text, media }: Pick<PostTarget, "rule" | "text" | "media">,
  meter: TextMeter,
): number | null {
  const { price_usd: price } = rule;
  if (price === undefined) return null;
  const described = media.filter(({ alt }) => alt !== null).length;
  const cost = (hasLink(text, meter) ? price.post_with_link : price.post) + described * price.alt_text;
  return Number(cost.toFixed(4));
}

/** The same for a post target with the parts of its thread. */
export function threadCost(parts: Parameters<typeof estimatedCost>[0][], meter: TextMeter): number | null {
  const costs = parts.flatMap((part) => estimatedCost(part, meter) ?? []);
  return costs.length === 0 ? null : Number(costs.reduce((sum, cost) => sum + cost, 0).toFixed(4));
}

/** Whether a text holds what networks take for a link, with or without a scheme. */
export function hasLink(text: string, meter: TextMeter): boolean {
  return meter.parts(text, "links").length > 0;
}
