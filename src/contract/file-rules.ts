// The limits of files, as part of a network's rule.
import * as z from "zod";
import { about } from "./shapes.ts";

export const MediaCounts = z
  .object({
    images: z.int().meta(about("Maximum number of images.")),
    videos: z.int().meta(about("Maximum number of videos.")),
    documents: z
      .int()
      .optional()
      .meta(about("Maximum number of documents, without other files. Absent: the network accepts none.")),
    mixed: z.boolean().meta(about("Whether one post may mix images and videos.")),
    total: z.int().optional().meta(about("Maximum number of files, if images and videos may be mixed.")),
  })
  .meta({ id: "MediaCounts" });
export const int = (description?: string) =>
  z
    .int()
    .optional()
    .meta(description === undefined ? {} : about(description));
const number = (description?: string) =>
  z
    .number()
    .optional()
    .meta(description === undefined ? {} : about(description));

export const FileLimits = z
  .object({
    min_bytes: int(),
    max_bytes: int(),
    min_width: int(),
    min_height: int(),
    max_width: int(),
    min_side: int("Pixels of the shorter side."),
    max_side: int("Pixels of the longer side."),
    max_short_side: int("Pixels of the shorter side."),
    max_side_sum: int("Pixels of width plus height."),
    max_pixels: int("Width times height."),
    min_aspect: number("Width divided by height."),
    max_aspect: number("Width divided by height."),
    min_sure_aspect: number(
      "Width divided by height. Below it, the network may reject the file, so the post gets a warning.",
    ),
    max_ratio: number("Longer side divided by shorter side."),
    max_alt: int("Maximum characters of alt text. Absent or 0 if the network accepts none."),
    min_seconds: number(),
    max_seconds: number(),
  })
  .meta({ id: "FileLimits" });
export const FileRule = FileLimits.extend({
  types: z.array(z.string()).meta(about("Content types that the network accepts.")),
  alone: z
    .array(z.string())
    .optional()
    .meta(about("Content types that are allowed only as the single file of a post.")),
  max_bytes: z.int(),
  per_format: z.record(z.string(), FileLimits).optional().meta(about("Limits that differ for one content type.")),
}).meta({ id: "FileRule" });
export const CaptionsRule = FileRule.extend({
  max_files: z.int().meta(about("Captions files of one video.")),
}).meta({ id: "CaptionsRule" });
