// Converts the figures of one delivery to their wire form.
import type * as z from "zod";
import type { figures } from "../contract/shapes.ts";
import { isoInstant } from "../domain/instant.ts";
import type { Measured } from "../domain/metrics.ts";

/** The figures that a network reported for a delivery; null: none yet. */
export function figuresView(measured: Measured | null): z.input<typeof figures> {
  if (measured === null) return {};
  const measured_at = isoInstant(measured.at);
  return Object.fromEntries(Object.entries(measured.figures).map(([name, value]) => [name, { value, measured_at }]));
}
