import { countVerificationDays, type Rechecks } from "../delivery/verification.ts";
import { type Micros, toMicros } from "../money.ts";
import type { PostTarget } from "./post-target.ts";
import type { TextMeter } from "./text-length.ts";

type Priced = Pick<PostTarget, "rule" | "text" | "media">;

/** What the network charges the owner of the app for a delivery and for what Crier reads of it in 30 days. */
export interface Cost {
  publish: Micros;
  /** For the looks at whether it is still there. */
  rechecks: Micros;
  /** For its figures. They are read with the rechecks, and what is read twice in a UTC day is charged once. */
  metrics: Micros;
}

/** What the network charges for publishing a post target; null when it charges nothing. */
export function publishCost({ rule, text, media }: Priced, meter: TextMeter): Micros | null {
  const { price_usd: price } = rule;
  if (price === undefined) return null;
  const described = media.filter(({ alt }) => alt !== null).length;
  return toMicros(hasLink(text, meter) ? price.post_with_link : price.post) + described * toMicros(price.alt_text);
}

/**
 * What a post target with the parts of its thread costs, each part being published and read; null when the network charges
 * nothing. `publishAt` in epoch milliseconds.
 */
export function wholeCost(
  parts: [Priced, ...Priced[]],
  meter: TextMeter,
  { publishAt, rechecks }: { publishAt: number; rechecks: Rechecks },
): Cost | null {
  const [{ rule }] = parts;
  const { price_usd: price } = rule;
  if (price === undefined) return null;
  const publish = parts.reduce((sum, part) => sum + (publishCost(part, meter) ?? 0), 0);
  const reads = parts.length * countVerificationDays(rechecks, publishAt);
  return { publish, rechecks: reads * toMicros(price.read), metrics: 0 };
}

/** All of a cost; nothing of none. */
export const totalCost = (cost: Cost | null): Micros =>
  cost === null ? 0 : cost.publish + cost.rechecks + cost.metrics;

/** Whether a text holds what networks take for a link, with or without a scheme. */
export function hasLink(text: string, meter: TextMeter): boolean {
  return meter.parts(text, "links").length > 0;
}
