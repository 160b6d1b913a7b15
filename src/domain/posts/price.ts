import { countRecheckDays, type Rechecks } from "../delivery/recheck.ts";
import { type Micros, toMicros } from "../money.ts";
import type { PostTarget } from "./post-target.ts";
import type { TextMeter } from "./text-length.ts";

type Priced = Pick<PostTarget, "rule" | "text" | "media" | "entries"> & Partial<Pick<PostTarget, "options">>;

/** The network's charge to the owner of the app for a delivery and for Crier's reads of it in 30 days. */
export interface Cost {
  publish: Micros;
  /** For the rechecks. */
  rechecks: Micros;
  /** For its metrics. They are read with the rechecks, and several reads in one UTC day are charged once. */
  metrics: Micros;
}

/** The network's charge for publishing a post target, or null if it charges nothing. */
export function publishCost(
  { rule, text, media, options = [], entries = {} }: Priced,
  meter: TextMeter,
): Micros | null {
  const { price_usd: price } = rule;
  if (price === undefined) return null;
  const isDescribed = price.file_options?.some((option) => options.includes(option)) ?? false;
  const described = media.filter(({ alt }) => isDescribed || alt !== null).length;
  const asked = Object.entries(price.entries ?? {}).reduce(
    (sum, [option, perEntry]) => sum + (entries[option] ?? 0) * toMicros(perEntry),
    0,
  );
  const post = toMicros(hasLink(text, meter) ? price.post_with_link : price.post);
  return post + described * toMicros(price.alt_text) + asked;
}

/**
 * The cost of a post target with the parts of its thread, each of which is published and read; null if the network charges
 * nothing. `publishAt` in epoch milliseconds.
 */
export function wholeCost(
  threadParts: [Priced, ...Priced[]],
  meter: TextMeter,
  { publishAt, rechecks }: { publishAt: number; rechecks: Rechecks },
): Cost | null {
  const [{ rule }] = threadParts;
  const { price_usd: price } = rule;
  if (price === undefined) return null;
  const publish = threadParts.reduce((sum, threadPart) => sum + (publishCost(threadPart, meter) ?? 0), 0);
  const reads = threadParts.length * countRecheckDays(rechecks, publishAt);
  return { publish, rechecks: reads * toMicros(price.read), metrics: 0 };
}

/** The total of a cost; 0 without one. */
export const totalCost = (cost: Cost | null): Micros =>
  cost === null ? 0 : cost.publish + cost.rechecks + cost.metrics;

/** Whether a text contains a link by the networks' definition, with or without a scheme. */
export function hasLink(text: string, meter: TextMeter): boolean {
  return meter.parts(text, "links").length > 0;
}
