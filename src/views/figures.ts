// The figures of one delivery as callers see them.
import type * as z from "zod";
import type { figures } from "../contract/shapes.ts";
import { isoInstant } from "../domain/instant.ts";
import type { Measured } from "../domain/metrics.ts";

/** What a network counted of a delivery; null: nothing yet. */
export function figuresView(measured: Measured | null): z.input<typeof figures> {
  if (measured === null) return {};
  const measured_at = isoInstant(measured.at);
  return Object.fromEntries(Object.entries(measured.figures).map(([name, value]) => [name, { value, measured_at }]));
}
