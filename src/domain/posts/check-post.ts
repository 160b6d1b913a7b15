// Checks a whole post against its channels' rules. It is the only check of text, files and shape, and reports every violation
// at once.

import { type Violation, violation } from "../refusal.ts";
import { checkCaptions, checkFile, checkThumbnail } from "./check-file.ts";
import { checkPoll } from "./check-poll.ts";
import { checkText } from "./check-text.ts";
import { misfitOptions } from "./option-fit.ts";
import { effectivePostType, mediaCounts, type PostTarget } from "./post-target.ts";
import { createTextMeter, type TextMeter } from "./text-length.ts";

/** All violations of a post target. If all targets of a post share one `meter`, each text is counted only once. */
export function checkTarget(target: PostTarget, meter: TextMeter = createTextMeter()): Violation[] {
  const { channel, rule } = target;
  const { platform } = rule;
  const context = { channel, platform, post_type: effectivePostType(target) };
  return Array.from(findViolations(target, meter), (problem) => ({ ...problem, ...context }));
}

function* findViolations(target: PostTarget, meter: TextMeter): Generator<Violation, void> {
  yield* checkType(target);
  yield* checkText(target, meter);
  yield* checkNoCaptions(target);
  yield* checkCounts(target);
  for (const index of target.media.keys()) yield* checkFile(target, index);
  yield* checkThumbnail(target);
  yield* checkCaptions(target);
  yield* checkPoll(target);
  yield* checkRequiredOptions(target);
  yield* checkOptionsWithMedia(target);
  yield* checkOptionsFit(target);
}

function* checkType({ postType, rule }: PostTarget): Generator<Violation, void> {
  if (postType === null || rule.post_types.includes(postType)) return;
  yield violation("post_type_not_offered", {
    field: "/post_type",
    message: `${rule.platform} does not support ${postType}.`,
    hint: `Supported: ${rule.post_types.join(", ")}.`,
    allowed: rule.post_types,
  });
}

/** Captions are refused among the files of a post, where no network looks for them. */
function* checkNoCaptions({ rule, media, mediaField }: PostTarget): Generator<Violation, void> {
  for (const [index, { kind, contentType }] of media.entries()) {
    if (kind !== "captions") continue;
    yield violation("media_format_not_allowed", {
      field: `${mediaField}/${index}`,
      message: "A captions file cannot be attached to a post.",
      hint: rule.captions === undefined ? `${rule.platform} accepts no captions.` : "Name it in the option `captions`.",
      ...(contentType === null ? {} : { content_type: contentType }),
      media_kind: "captions",
    });
  }
}

/** Checks how many files a post has of each kind. A limit on their total is reported only if no other limit is exceeded. */
function* checkCounts(target: PostTarget): Generator<Violation, void> {
  const { rule, mediaField: field } = target;
  const media = target.media.filter(({ kind }) => kind !== "captions");
  const { platform } = rule;
  const { min, ...counts } = mediaCounts(target);
  const images = media.filter((file) => file.kind === "image").length;
  const documents = media.filter((file) => file.kind === "document").length;
  const videos = media.length - images - documents;
  yield* checkDocuments(target, documents);
  const isMixed = images > 0 && videos > 0 && !counts.mixed && counts.images > 0 && counts.videos > 0;
  if (images > counts.images) yield tooMany(target, "images", "images", counts.images, images);
  if (videos > counts.videos) yield tooMany(target, "videos", "videos", counts.videos, videos);
  if (isMixed) {
    yield violation("mixed_media_not_allowed", {
      field,
      message: `${platform} does not allow images and videos in one post.`,
      hint: "Keep one kind, or give this channel its own `media` in `overrides`.",
    });
  } else if (
    counts.total !== undefined &&
    media.length > counts.total &&
    images <= counts.images &&
    videos <= counts.videos
  ) {
    yield tooMany(target, "files", images >= videos ? "images" : "videos", counts.total, media.length);
  }
  if (media.length < min) {
    const type = effectivePostType(target);
    yield violation(type === "feed" ? "media_required" : "post_type_media_mismatch", {
      field,
      message: `${platform} needs ${min === 1 ? "a file" : `${min} files`} for a ${type} post.`,
      hint: `Attach ${min - media.length} more.`,
      limit: min,
      actual: media.length,
      unit: "files",
    });
  }
}

/** Documents go to few networks, alone. */
function* checkDocuments(target: PostTarget, actual: number): Generator<Violation, void> {
  if (actual === 0) return;
  const { rule, media, mediaField: field } = target;
  const { platform } = rule;
  const { documents: limit = 0 } = mediaCounts(target);
  if (actual > limit) {
    const type = effectivePostType(target);
    const isOfType = limit === 0 && (rule.media.documents ?? 0) > 0;
    yield violation("document_not_offered", {
      field,
      message: isOfType
        ? `A ${type} on ${platform} cannot have documents.`
        : limit === 0
          ? `${platform} does not accept documents.`
          : `${platform} allows ${limit} document in one post; this one has ${actual}.`,
      hint: `Remove ${actual - limit}, or give this channel its own \`media\` in \`overrides\`.`,
      limit,
      actual,
      unit: "documents",
      over_by: actual - limit,
      media_kind: "document",
    });
  } else if (media.length > actual) {
    yield violation("mixed_media_not_allowed", {
      field,
      message: `${platform} does not allow a document together with images or videos.`,
      hint: "Keep one kind, or give this channel its own `media` in `overrides`.",
    });
  }
}

/** More files of a category than allowed. `kind`: whose code reports it. */
function tooMany(
  target: PostTarget,
  unit: "images" | "videos" | "files",
  kind: "images" | "videos",
  limit: number,
  actual: number,
): Violation {
  const { rule, mediaField: field } = target;
  const { platform } = rule;
  const isOfType = limit === 0 && rule.media[kind] > 0;
  return violation(isOfType ? "post_type_media_mismatch" : kind === "images" ? "too_many_images" : "too_many_videos", {
    field,
    message: isOfType
      ? `A ${effectivePostType(target)} on ${platform} cannot have ${unit}; this one has ${actual}.`
      : `${platform} allows ${limit} ${unit} in one post; this one has ${actual}.`,
    hint: `Remove ${actual - limit}, or give this channel its own \`media\` in \`overrides\`.`,
    limit,
    actual,
    unit,
    over_by: actual - limit,
  });
}

/** Options that the post type requires; options that every post requires are in the schema of the options. */
function* checkRequiredOptions(target: PostTarget): Generator<Violation, void> {
  const { rule } = target;
  const type = effectivePostType(target);
  for (const name of rule.per_type[type]?.required_options ?? []) {
    if (target.options.includes(name)) continue;
    yield violation("option_required", {
      field: `${target.optionsField}/${name}`,
      message: `A ${type} on ${rule.platform} needs \`${name}\`.`,
      option: name,
      hint: "`GET /v1/platforms` shows the platform's `options`.",
    });
  }
}

function* checkOptionsFit(target: PostTarget): Generator<Violation, void> {
  for (const { name, message, scope, needsFile } of misfitOptions(target)) {
    const detail = { message, option: name, option_needs: scope };
    yield needsFile
      ? violation("media_required", { ...detail, field: target.mediaField, hint: `Attach it, or omit \`${name}\`.` })
      : violation("invalid_option", {
          ...detail,
          option_fault: "wrong_post",
          field: `${target.optionsField}/${name}`,
          hint: "Omit it, or change the post's `post_type` or files.",
        });
  }
}

function* checkOptionsWithMedia({ rule, options, optionsField, media }: PostTarget): Generator<Violation, void> {
  for (const [name, max] of Object.entries(rule.options_max_media ?? {})) {
    if (!options.includes(name) || media.length <= max) continue;
    yield violation("invalid_option", {
      field: `${optionsField}/${name}`,
      message: `${rule.platform} allows \`${name}\` only with ${max === 0 ? "no file" : `at most ${max} file${max === 1 ? "" : "s"}`}.`,
      hint: "Omit it, or give this channel its own `media` in `overrides`.",
      option: name,
      option_fault: "wrong_post",
      limit: max,
      actual: media.length,
      unit: "files",
      over_by: media.length - max,
    });
  }
}
