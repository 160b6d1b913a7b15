import { countVerificationDays, getRechecks } from "../delivery/verification.ts";
import type { PostTarget } from "./post-target.ts";
import type { TextMeter } from "./text-length.ts";

type Priced = Pick<PostTarget, "rule" | "text" | "media">;

/** US dollars that the network charges the owner of the app for a delivery and for what Crier reads of it in 30 days. */
export interface Cost {
  publish: number;
  /** For the looks at whether it is still there. */
  rechecks: number;
  /** For its figures. They are read with the rechecks, and what is read twice in a UTC day is charged once. */
  metrics: number;
}

/** US dollars that the network charges for publishing a post target; null when it charges nothing. */
export function publishCost({ rule, text, media }: Priced, meter: TextMeter): number | null {
  const { price_usd: price } = rule;
  if (price === undefined) return null;
  const described = media.filter(({ alt }) => alt !== null).length;
  return roundUsd((hasLink(text, meter) ? price.post_with_link : price.post) + described * price.alt_text);
}

/**
 * What a post target with the parts of its thread costs, each part being published and read; null when the network charges
 * nothing. `publishAt` in epoch milliseconds.
 */
export function wholeCost(parts: [Priced, ...Priced[]], meter: TextMeter, publishAt: number): Cost | null {
  const [{ rule }] = parts;
  const { price_usd: price } = rule;
  if (price === undefined) return null;
  const publish = parts.reduce((sum, part) => sum + (publishCost(part, meter) ?? 0), 0);
  const reads = parts.length * countVerificationDays(getRechecks(rule), publishAt);
  return { publish: roundUsd(publish), rechecks: roundUsd(reads * price.read), metrics: 0 };
}

/** All of a cost, in US dollars. */
export const totalCost = ({ publish, rechecks, metrics }: Cost): number => roundUsd(publish + rechecks + metrics);

const roundUsd = (usd: number): number => Number(usd.toFixed(4));

/** Whether a text holds what networks take for a link, with or without a scheme. */
export function hasLink(text: string, meter: TextMeter): boolean {
  return meter.parts(text, "links").length > 0;
}
