// The units of the numbers in violations and warnings of a post.
import { TEXT_PARTS, TEXT_UNITS } from "./platform-rule.ts";

export const UNITS = [
  ...TEXT_UNITS,
  ...TEXT_PARTS,
  "images",
  "videos",
  "documents",
  "files",
  "parts",
  "entries",
  "bytes",
  "minutes",
  "seconds",
  "characters of alt text",
  "pixels of width",
  "pixels of height",
  "pixels on the longer side",
  "pixels on the shorter side",
  "pixels of width plus height",
  "pixels in total",
  "times as wide as high",
  "times the shorter side",
] as const;
export type Unit = (typeof UNITS)[number];

/** Why an option is refused. */
export const OPTION_FAULTS = ["unknown", "invalid_value", "wrong_post", "wrong_mode", "permission_missing"] as const;
export type OptionFault = (typeof OPTION_FAULTS)[number];
