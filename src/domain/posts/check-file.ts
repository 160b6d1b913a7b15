// Checks one file of a post target against its channel's rule. Unknown properties are not checked.

import { fileType } from "../media/types.ts";
import { type Violation, violation } from "../refusal.ts";
import type { RefusalCode } from "../refusal-codes.ts";
import { isTooLargeToConvert, planImage } from "./adapt-image.ts";
import { CAPTIONS } from "./captions.ts";
import type { FileLimits, FileRule } from "./platform-rule.ts";
import { fileRule, type MediaFacts, type PostTarget } from "./post-target.ts";
import { getThumbnailOption } from "./thumbnail.ts";
import type { Unit } from "./units.ts";

/** The violations of the file at `index` of a post target. */
export function* checkFile(target: PostTarget, index: number): Generator<Violation, void> {
  const file = target.media[index];
  const rule = file && fileRule(target, file);
  if (file !== undefined && rule) yield* checkByRule(target, file, rule, `${target.mediaField}/${index}`);
}

/** The violations of a video's thumbnail. */
export function* checkThumbnail(target: PostTarget): Generator<Violation, void> {
  const { thumbnail: file, rule: network } = target;
  const { thumbnail: rule, platform } = network;
  if (file === undefined || rule === undefined) return;
  const option = getThumbnailOption(network);
  const field = `${target.optionsField}/${option}`;
  if (file.kind === "image") yield* checkByRule({ ...target, media: [file] }, file, rule, field);
  else {
    const message = `The thumbnail of a video on ${platform} must be an image.`;
    const hint = `Accepted: ${rule.types.join(", ")}.`;
    yield violation("media_format_not_allowed", { field, message, hint, allowed: rule.types, option });
  }
}

/** The violations of a video's captions. How many there may be is in the schema of the option. */
export function* checkCaptions(target: PostTarget): Generator<Violation, void> {
  const { captions = [], rule: network } = target;
  const { captions: rule, platform } = network;
  if (rule === undefined) return;
  for (const { position, facts } of captions) {
    const field = `${target.optionsField}/${CAPTIONS}/${position}/file`;
    if (facts.kind === "captions") yield* checkByRule({ ...target, media: [facts] }, facts, rule, field);
    else {
      const message = `The captions of a video on ${platform} must be a captions file.`;
      const hint = "Upload it with `captions: true`.";
      yield violation("media_format_not_allowed", { field, message, hint, allowed: rule.types, option: CAPTIONS });
    }
  }
}

function* checkByRule(target: PostTarget, file: MediaFacts, rule: FileRule, field: string): Generator<Violation, void> {
  yield* checkFormat(target, file, rule, field);
  for (const limit of LIMITS) yield* checkLimit(limit, target, file, rule, field);
}

/** The violations of a file's alt text, wherever the file is in the post. */
export function checkAlt(
  target: Pick<PostTarget, "rule" | "postType">,
  file: Pick<MediaFacts, "kind" | "contentType" | "alt">,
  field: string,
): Violation[] {
  const rule = fileRule(target, file);
  const facts = { ...file, bytes: null, width: null, height: null, seconds: null };
  return rule === null ? [] : [...checkLimit(ALT_LIMIT, target, facts, rule, field)];
}

function* checkFormat(target: PostTarget, file: MediaFacts, rule: FileRule, field: string): Generator<Violation, void> {
  const { contentType } = file;
  if (contentType === null || fileType(contentType) === null) return;
  const { platform } = target.rule;
  if (!rule.types.includes(contentType)) {
    yield violation("media_format_not_allowed", {
      field,
      message: `${platform} does not accept ${contentType}.`,
      hint: `Accepted: ${rule.types.join(", ")}.${adviseAdapting(target, file, rule)}`,
      content_type: contentType,
      media_kind: file.kind,
      allowed: rule.types,
      ...markAdaptable(target, file, rule),
    });
  } else if (target.media.length > 1 && rule.alone?.includes(contentType)) {
    yield violation("mixed_media_not_allowed", {
      field,
      message: `${platform} accepts ${contentType} only as the single file of a post.`,
      hint: "Post it on its own, or give this channel its own `media` in `overrides`.",
      content_type: contentType,
    });
  }
}

interface Limit {
  code: RefusalCode;
  /** The rule's member that holds the limit. */
  max?: keyof FileLimits;
  min?: keyof FileLimits;
  unit: Unit;
  of(file: MediaFacts): number | null;
}

/** null if there is no alt text to check. */
const altLength = ({ alt }: MediaFacts) => (alt === null ? null : [...alt].length);
const size = (measure: (width: number, height: number) => number) => (file: MediaFacts) =>
  file.width === null || file.height === null ? null : measure(file.width, file.height);
const dimension = (limit: Omit<Limit, "code" | "of">, measure: (width: number, height: number) => number): Limit => ({
  code: "media_dimensions_not_allowed",
  ...limit,
  of: size(measure),
});

const ALT_LIMIT: Limit = { code: "alt_too_long", max: "max_alt", unit: "characters of alt text", of: altLength };

const LIMITS: Limit[] = [
  { code: "media_too_large", max: "max_bytes", unit: "bytes", of: ({ bytes }) => bytes },
  { code: "media_too_small", min: "min_bytes", unit: "bytes", of: ({ bytes }) => bytes },
  { code: "media_too_long", max: "max_seconds", unit: "seconds", of: ({ seconds }) => seconds },
  { code: "media_too_short", min: "min_seconds", unit: "seconds", of: ({ seconds }) => seconds },
  ALT_LIMIT,
  dimension({ max: "max_width", min: "min_width", unit: "pixels of width" }, (width) => width),
  dimension({ min: "min_height", unit: "pixels of height" }, (_, height) => height),
  dimension({ max: "max_side", unit: "pixels on the longer side" }, Math.max),
  dimension({ max: "max_short_side", min: "min_side", unit: "pixels on the shorter side" }, Math.min),
  dimension({ max: "max_side_sum", unit: "pixels of width plus height" }, (width, height) => width + height),
  dimension({ max: "max_pixels", unit: "pixels in total" }, (width, height) => width * height),
  dimension({ max: "max_aspect", min: "min_aspect", unit: "times as wide as high" }, (width, height) => width / height),
  dimension(
    { max: "max_ratio", unit: "times the shorter side" },
    (width, height) => Math.max(width, height) / Math.min(width, height),
  ),
];

function* checkLimit(
  limit: Limit,
  target: Pick<PostTarget, "rule" | "postType" | "adapts">,
  file: MediaFacts,
  rule: FileRule,
  field: string,
): Generator<Violation, void> {
  const actual = limit.of(file);
  const max = limit.max === undefined ? undefined : rule[limit.max];
  const min = limit.min === undefined ? undefined : rule[limit.min];
  if (actual === null) return;
  // A network without alt text accepts the file and drops the alt text, which only causes a warning.
  if (limit.max === "max_alt" && max === 0) return;
  const over = typeof max === "number" && actual > max;
  const under = typeof min === "number" && actual < min;
  if (!over && !under) return;
  const bound = over ? max : min;
  const { unit } = limit;
  const isAdaptable = over && ADAPTABLE.has(limit.max);
  const shape = file.width === null ? "" : `, of ${file.width} × ${file.height} pixels`;
  yield violation(limit.code, {
    field,
    message: `${target.rule.platform} accepts ${over ? "at most" : "at least"} ${bound} ${unit}; this file has ${shorten(actual)}${limit.code === "media_dimensions_not_allowed" ? shape : ""}.`,
    hint: `${hintFor(limit, target, rule)}${isAdaptable ? adviseAdapting(target, file, rule) : ""}`,
    limit: bound,
    actual,
    unit,
    over_by: over ? actual - max : undefined,
    media_kind: file.kind,
    ...(isAdaptable ? markAdaptable(target, file, rule) : {}),
  });
}

const HINTS: Partial<Record<RefusalCode, string>> = {
  media_too_large: "Replace the file with a smaller one.",
  media_too_long: "Replace the video with a shorter one.",
  media_too_short: "Replace the video with a longer one.",
  alt_too_long: "Shorten the alt text with `PATCH /v1/media/:id`.",
};

/** Limits that a conversion can meet. */
const ADAPTABLE: ReadonlySet<keyof FileLimits | undefined> = new Set([
  "max_bytes",
  "max_width",
  "max_side",
  "max_short_side",
  "max_side_sum",
  "max_pixels",
] as const);
const RATIOS: ReadonlySet<string> = new Set(["max_aspect", "min_aspect", "max_ratio"]);

/** The hint for a broken limit. Only a person can choose what a crop removes. */
function hintFor(limit: Limit, target: Pick<PostTarget, "adapts">, rule: FileRule): string {
  if (limit.max === undefined || !RATIOS.has(limit.max)) {
    return HINTS[limit.code] ?? "Replace the file with one that fits.";
  }
  const { min_aspect: min, max_aspect: max, max_ratio: ratio } = rule;
  const accepted =
    limit.max === "max_ratio"
      ? `a longer side of at most ${ratio} times the shorter`
      : [min === undefined ? "" : `at least ${min}`, max === undefined ? "" : `at most ${max}`]
          .filter((bound) => bound !== "")
          .join(" and ");
  const crop = `Crop the file to ${limit.max === "max_ratio" ? accepted : `a ratio of width to height of ${accepted}`}.`;
  return target.adapts === true ? `${crop} Adapting never crops.` : crop;
}

type Adapting = Pick<PostTarget, "rule" | "postType" | "adapts">;

/** Says whether an image that is refused would be accepted with `media_fit: "adapt"`. */
const markAdaptable = (target: Adapting, file: MediaFacts, rule: FileRule): { adaptable?: true } =>
  isConvertible(target, file, rule) ? { adaptable: true } : {};

const isConvertible = ({ adapts }: Adapting, file: MediaFacts, rule: FileRule): boolean =>
  adapts !== true &&
  file.kind === "image" &&
  file.contentType !== null &&
  planImage(file, (contentType) => ({ ...rule, ...rule.per_format?.[contentType] }), null) !== null;

/** A sentence about `media_fit` for an image that is refused: whether it would help. */
function adviseAdapting(target: Adapting, file: MediaFacts, rule: FileRule): string {
  if (file.kind !== "image" || file.contentType === null) return "";
  if (target.adapts !== true) {
    return isConvertible(target, file, rule)
      ? ' With `media_fit: "adapt"` the file is converted for this channel.'
      : "";
  }
  if (file.width === null) return " The file is not adapted, because its pixels could not be read.";
  return isTooLargeToConvert(file)
    ? " Images above 20 MB, 100 megapixels or 12,000 pixels a side are not adapted."
    : " Animated images are not adapted, because only the first frame would be left.";
}

/** Rounds a number for people to read. */
const shorten = (value: number) => Number(value.toFixed(3));
