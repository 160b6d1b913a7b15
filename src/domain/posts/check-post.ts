// A whole post against its channels' rules: the only check of text, files and shape. It reports every broken rule at once.

import { type Violation, violation } from "../refusal.ts";
import { checkFile } from "./check-file.ts";
import { checkText } from "./check-text.ts";
import { effectivePostType, type Leg, mediaCounts } from "./post-target.ts";

/** All the rules that a leg breaks. */
export function checkLeg(leg: Leg): Violation[] {
  const at = { channel: leg.channel, platform: leg.rule.platform };
  return [
    ...checkType(leg),
    ...checkText(leg),
    ...checkCounts(leg),
    ...leg.media.flatMap((_, i) => checkFile(leg, i)),
    ...checkRequiredOptions(leg),
    ...checkOptionsWithMedia(leg),
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

function checkCounts(leg: Leg): Violation[] {
  const { rule, mediaField: field } = leg;
  const { platform } = rule;
  const type = effectivePostType(leg);
  const { min, ...counts } = mediaCounts(leg);
  const images = leg.media.filter((file) => file.kind === "image").length;
  const videos = leg.media.length - images;
  const broken: Violation[] = [];
  const tooMany = (what: "images" | "videos" | "files", limit: number, actual: number) => {
    if (actual <= limit) return;
    const kind = what === "files" ? (images >= videos ? "images" : "videos") : what;
    const ofType = limit === 0 && rule.media[kind] > 0;
    broken.push(
      violation(ofType ? "post_type_media_mismatch" : kind === "images" ? "too_many_images" : "too_many_videos", {
        field,
        message: ofType
          ? `A ${type} on ${platform} takes no ${what}; this one has ${actual}.`
          : `${platform} takes ${limit} ${what} in one post; this one has ${actual}.`,
        hint: `Leave ${actual - limit} out, or give this channel its own \`media\` in \`overrides\`.`,
        limit,
        actual,
        unit: what,
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
        message: `${platform} does not take images and videos in one post.`,
        hint: "Keep one kind, or give this channel its own `media` in `overrides`.",
      }),
    );
  } else if (counts.total !== undefined && broken.length === 0) {
    tooMany("files", counts.total, leg.media.length);
  }
  if (leg.media.length < min) {
    broken.push(
      violation(type === "feed" ? "media_required" : "post_type_media_mismatch", {
        field,
        message: `${platform} needs ${min === 1 ? "a file" : `${min} files`} for a ${type} post.`,
        hint: `Attach ${min - leg.media.length} more.`,
        limit: min,
        actual: leg.media.length,
        unit: "files",
      }),
    );
  }
  return broken;
}

/** Options that the post type needs; those that every post needs are in the schema of the options. */
function checkRequiredOptions(leg: Leg): Violation[] {
  const type = effectivePostType(leg);
  const required = leg.rule.per_type[type]?.required_options ?? [];
  return required
    .filter((name) => !leg.options.includes(name))
    .map((name) =>
      violation("option_required", {
        field: `${leg.optionsField}/${name}`,
        message: `A ${type} on ${leg.rule.platform} needs \`${name}\`.`,
        hint: "`GET /v1/platforms` shows the platform's `options`.",
      }),
    );
}

function checkOptionsWithMedia({ rule, options, optionsField, media }: Leg): Violation[] {
  return Object.entries(rule.options_max_media ?? {})
    .filter(([name, max]) => options.includes(name) && media.length > max)
    .map(([name, max]) =>
      violation("invalid_option", {
        field: `${optionsField}/${name}`,
        message: `${rule.platform} takes \`${name}\` only with ${max === 0 ? "no file" : `at most ${max} file${max === 1 ? "" : "s"}`}.`,
        hint: "Leave it out, or give this channel its own `media` in `overrides`.",
        limit: max,
        actual: media.length,
        unit: "files",
        over_by: media.length - max,
      }),
    );
}
