// A whole post against its channels' rules: the only check of text, files and shape. It reports every broken rule at once.
import { uploadType } from "./media.ts";
import type { FileRule, MediaKind, PlatformRule, PostType } from "./platform-rule.ts";
import { type Violation, violation } from "./refusal.ts";
import { textLength, utf8Length } from "./text-length.ts";

/** What is known of a file. null = not known (yet); only what is known is judged. */
export interface MediaFacts {
  kind: MediaKind;
  contentType: string | null;
  bytes: number | null;
  width: number | null;
  height: number | null;
  seconds: number | null;
}

/** What one channel would publish. */
export interface Leg {
  channel: string;
  rule: PlatformRule;
  text: string;
  /** JSON pointer to where the text came from. */
  textField: string;
  media: MediaFacts[];
  mediaField: string;
  postType: PostType | null;
}

/** The type under which a leg goes out when the post names none. */
export function effectivePostType(leg: Pick<Leg, "rule" | "postType">): PostType {
  if (leg.postType !== null) return leg.postType;
  return leg.rule.post_types.includes("feed") ? "feed" : (leg.rule.post_types[0] ?? "feed");
}

/** The text limit of a leg in the rule's unit: the shorter caption limit once a file is attached. */
export function textLimit(leg: Pick<Leg, "rule" | "media">): number {
  return leg.media.length > 0 ? leg.rule.caption_limit : leg.rule.text_limit;
}

/** All the rules that a leg breaks. */
export function checkLeg(leg: Leg): Violation[] {
  const at = { channel: leg.channel, platform: leg.rule.platform };
  return [
    ...checkType(leg),
    ...checkText(leg),
    ...checkCounts(leg),
    ...leg.media.flatMap((_, i) => checkFile(leg, i)),
  ].map((broken) => ({ ...broken, ...at }));
}

function checkType(leg: Leg): Violation[] {
  if (leg.postType === null || leg.rule.post_types.includes(leg.postType)) return [];
  return [
    violation("post_type_not_offered", {
      field: "/post_type",
      message: `${leg.rule.platform} does not offer ${leg.postType}.`,
      hint: `It offers ${leg.rule.post_types.join(", ")}.`,
    }),
  ];
}

function checkText(leg: Leg): Violation[] {
  const unit = leg.rule.text_unit;
  const limits: [number, number, string][] = [[textLength(leg.text, unit), textLimit(leg), unit]];
  if (leg.rule.text_max_bytes !== undefined) limits.push([utf8Length(leg.text), leg.rule.text_max_bytes, "bytes"]);
  return limits
    .filter(([actual, limit]) => actual > limit)
    .map(([actual, limit, unit]) =>
      violation("text_too_long", {
        field: leg.textField,
        message: `${leg.rule.platform} takes ${limit} ${unit}${leg.media.length > 0 ? " with a file" : ""}; this text has ${actual}.`,
        hint: `Shorten the text by ${actual - limit} ${unit}, or give this channel its own text in \`overrides\`.`,
        limit,
        actual,
        unit,
        over_by: actual - limit,
      }),
    );
}

function checkCounts(leg: Leg): Violation[] {
  const { rule, mediaField: field } = leg;
  const type = effectivePostType(leg);
  const media = rule.per_type[type]?.media ?? rule.media;
  const min = rule.per_type[type]?.min_media ?? rule.min_media;
  const images = leg.media.filter((file) => file.kind === "image").length;
  const videos = leg.media.length - images;
  const broken: Violation[] = [];
  const tooMany = (code: "too_many_images" | "too_many_videos", what: string, limit: number, actual: number) =>
    broken.push(
      violation(code, {
        field,
        message: `${rule.platform} takes ${limit} ${what} in one post; this one has ${actual}.`,
        hint: `Leave ${actual - limit} out, or give this channel its own \`media\` in \`overrides\`.`,
        limit,
        actual,
        unit: what,
        over_by: actual - limit,
      }),
    );
  if (images > media.images) tooMany("too_many_images", "images", media.images, images);
  if (videos > media.videos) tooMany("too_many_videos", "videos", media.videos, videos);
  if (images > 0 && videos > 0 && !media.mixed) {
    broken.push(
      violation("mixed_media_not_allowed", {
        field,
        message: `${rule.platform} does not take images and videos in one post.`,
        hint: "Keep one kind, or give this channel its own `media` in `overrides`.",
      }),
    );
  } else if (media.total !== undefined && leg.media.length > media.total && broken.length === 0) {
    tooMany(images >= videos ? "too_many_images" : "too_many_videos", "files", media.total, leg.media.length);
  }
  if (leg.media.length < min) {
    broken.push(
      violation(type === "feed" ? "media_required" : "post_type_media_mismatch", {
        field,
        message: `${rule.platform} needs ${min === 1 ? "a file" : `${min} files`} for a ${type} post.`,
        hint: `Attach ${min - leg.media.length} more.`,
        limit: min,
        actual: leg.media.length,
        unit: "files",
      }),
    );
  }
  return broken;
}

function checkFile(leg: Leg, index: number): Violation[] {
  const file = leg.media[index];
  const fileRule = file?.kind === "image" ? leg.rule.image : leg.rule.video;
  if (file === undefined || fileRule === null) return [];
  const field = `${leg.mediaField}/${index}`;
  const name = leg.rule.platform;
  const broken: Violation[] = [];
  if (
    file.contentType !== null &&
    uploadType(file.contentType) !== null &&
    !fileRule.types.includes(file.contentType)
  ) {
    broken.push(
      violation("media_format_not_allowed", {
        field,
        message: `${name} does not take ${file.contentType}.`,
        hint: `It takes ${fileRule.types.join(", ")}.`,
      }),
    );
  }
  const over = (
    code: "media_too_large" | "media_too_long",
    limit: number | undefined,
    actual: number | null,
    unit: string,
  ) => {
    if (limit === undefined || actual === null || actual <= limit) return;
    broken.push(
      violation(code, {
        field,
        message: `${name} takes ${limit} ${unit} a file; this one has ${actual}.`,
        hint: "Replace the file by a smaller one.",
        limit,
        actual,
        unit,
        over_by: actual - limit,
      }),
    );
  };
  over("media_too_large", fileRule.max_bytes, file.bytes, "bytes");
  if (file.kind === "video") over("media_too_long", leg.rule.video?.max_seconds, file.seconds, "seconds");
  broken.push(...checkDimensions(file, fileRule, name, field));
  return broken;
}

function checkDimensions(file: MediaFacts, rule: FileRule, name: string, field: string): Violation[] {
  if (file.width === null || file.height === null) return [];
  const long = Math.max(file.width, file.height);
  const short = Math.min(file.width, file.height);
  const limits: [number | undefined, number, string][] = [
    [rule.max_side, long, "pixels on the longer side"],
    [rule.max_side_sum, long + short, "pixels of width plus height"],
    [rule.max_ratio, long / short, "times the shorter side"],
  ];
  return limits.flatMap(([limit, actual, unit]) =>
    limit === undefined || actual <= limit
      ? []
      : violation("media_dimensions_not_allowed", {
          field,
          message: `${name} takes at most ${limit} ${unit}; this file is ${file.width} × ${file.height}.`,
          hint: "Replace the file by one that fits.",
          limit,
          actual,
          unit,
          over_by: actual - limit,
        }),
  );
}
