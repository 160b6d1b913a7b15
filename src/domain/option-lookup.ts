// An account's choices for an option on its network, such as its boards.
import type { FailureCode } from "./delivery/failure.ts";
import type { Reason } from "./delivery/outcome.ts";
import { MINUTE_MS } from "./limits.ts";

export interface OptionValue {
  value: string;
  label: string;
  description: string | null;
  /** Why the value cannot be chosen; null if it can be chosen. */
  disabledReason: string | null;
}

/** `values`: the values of other options that the list depends on, by name. */
export interface LookUpRequest {
  channel: string;
  option: string;
  values: Record<string, string>;
}
/** `fetchedAt`: epoch milliseconds. */
export interface LookedUp {
  is: "listed";
  options: OptionValue[];
  fetchedAt: number;
}
export type LookUpAnswer = LookedUp | ({ is: "failed"; error: FailureCode } & Reason);

/** How long an answer stays valid. */
export const LOOK_UP_LIFE_MS = 5 * MINUTE_MS;

/** A cache key that is the same for equal requests. */
export const nameOfRequest = ({ channel, option, values }: LookUpRequest): string =>
  JSON.stringify([channel, option, ...Object.entries(values).sort().flat()]);

/** The options that contain all words of `q`, ignoring case. Without `q`, all options. */
export function matching(options: OptionValue[], q: string | undefined): OptionValue[] {
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter(({ value, label, description }) => {
    const text = `${value} ${label} ${description ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
