// Checks a whole post against its channels' rules. It is the only check of text, files and shape, and reports every violation
// at once.

import { type Violation, violation } from "../refusal.ts";
import { checkFile, checkThumbnail } from "./check-file.ts";
import { checkText } from "./check-text.ts";
import { misfitOptions } from "./option-fit.ts";
import { effectivePostType, mediaCounts, type PostTarget } from "./post-target.ts";
import { createTextMeter, type TextMeter } from "./text-length.ts";

/** All violations of a post target. If all targets of a post share one `meter`, each text is counted only once. */
export function checkTarget(target: PostTarget, meter: TextMeter = createTextMeter()): Violation[] {
  const violationContext = { channel: target.channel, platform: target.rule.platform };
  return [
    ...checkType(target),
    ...checkText(target, meter),
    ...checkCounts(target),
    ...target.media.flatMap((_, i) => checkFile(target, i)),
    ...checkThumbnail(target),
    ...checkRequiredOptions(target),
    ...checkOptionsWithMedia(target),
    ...checkOptionsFit(target),
  ].map((broken) => ({ ...broken, ...violationContext }));
}

function checkType(target: PostTarget): Violation[] {
  if (target.postType === null || target.rule.post_types.includes(target.postType)) return [];
  return [
    violation("post_type_not_offered", {
      field: "/post_type",
      message: `${target.rule.platform} does not support ${target.postType}.`,
      hint: `Supported: ${target.rule.post_types.join(", ")}.`,
    }),
  ];
}

function checkCounts(target: PostTarget): Violation[] {
  const { rule, mediaField: field } = target;
  const { platform } = rule;
  const type = effectivePostType(target);
  const { min, ...counts } = mediaCounts(target);
  const images = target.media.filter((file) => file.kind === "image").length;
  const videos = target.media.length - images;
  const broken: Violation[] = [];
  const tooMany = (category: "images" | "videos" | "files", limit: number, actual: number) => {
    if (actual <= limit) return;
    const kind = category === "files" ? (images >= videos ? "images" : "videos") : category;
    const ofType = limit === 0 && rule.media[kind] > 0;
    broken.push(
      violation(ofType ? "post_type_media_mismatch" : kind === "images" ? "too_many_images" : "too_many_videos", {
        field,
        message: ofType
          ? `A ${type} on ${platform} cannot have ${category}; this one has ${actual}.`
          : `${platform} allows ${limit} ${category} in one post; this one has ${actual}.`,
        hint: `Remove ${actual - limit}, or give this channel its own \`media\` in \`overrides\`.`,
        limit,
        actual,
        unit: category,
        over_by: actual - limit,
      }),
    );
  };
  tooMany("images", counts.images, images);
  tooMany("videos", counts.videos, videos);
  if (images > 0 && videos > 0 && !counts.mixed && counts.images > 0 && counts.videos > 0) {
    broken.push(
      violation("mixed_media_not_allowed", {
        field,
        message: `${platform} does not allow images and videos in one post.`,
        hint: "Keep one kind, or give this channel its own `media` in `overrides`.",
      }),
    );
  } else if (counts.total !== undefined && broken.length === 0) {
    tooMany("files", counts.total, target.media.length);
  }
  if (target.media.length < min) {
    broken.push(
      violation(type === "feed" ? "media_required" : "post_type_media_mismatch", {
        field,
        message: `${platform} needs ${min === 1 ? "a file" : `${min} files`} for a ${type} post.`,
        hint: `Attach ${min - target.media.length} more.`,
        limit: min,
        actual: target.media.length,
        unit: "files",
      }),
    );
  }
  return broken;
}

/** Options that the post type requires; options that every post requires are in the schema of the options. */
function checkRequiredOptions(target: PostTarget): Violation[] {
  const type = effectivePostType(target);
  const required = target.rule.per_type[type]?.required_options ?? [];
  return required
    .filter((name) => !target.options.includes(name))
    .map((name) =>
      violation("option_required", {
        field: `${target.optionsField}/${name}`,
        message: `A ${type} on ${target.rule.platform} needs \`${name}\`.`,
        hint: "`GET /v1/platforms` shows the platform's `options`.",
      }),
    );
}

function checkOptionsFit(target: PostTarget): Violation[] {
  return misfitOptions(target).map(({ name, message, needsFile }) =>
    needsFile
      ? violation("media_required", { field: target.mediaField, message, hint: `Attach it, or omit \`${name}\`.` })
      : violation("invalid_option", {
          field: `${target.optionsField}/${name}`,
          message,
          hint: "Omit it, or change the post's `post_type` or files.",
        }),
  );
}

function checkOptionsWithMedia({ rule, options, optionsField, media }: PostTarget): Violation[] {
  return Object.entries(rule.options_max_media ?? {})
    .filter(([name, max]) => options.includes(name) && media.length > max)
    .map(([name, max]) =>
      violation("invalid_option", {
        field: `${optionsField}/${name}`,
        message: `${rule.platform} allows \`${name}\` only with ${max === 0 ? "no file" : `at most ${max} file${max === 1 ? "" : "s"}`}.`,
        hint: "Omit it, or give this channel its own `media` in `overrides`.",
        limit: max,
        actual: media.length,
        unit: "files",
        over_by: media.length - max,
      }),
    );
}
