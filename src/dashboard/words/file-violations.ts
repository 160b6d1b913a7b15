// The sentences for files that a network does not accept.
import { networkName } from "../../domain/network-name.ts";
import type { Unit } from "../../domain/posts/units.ts";
import { count, formatBytes, formatChoices, formatContentType, formatNumber, formatSeconds } from "./counts.ts";
import { pluralPostType } from "./post-types.ts";
import { nearestRatio } from "./ratios.ts";
import { describeCode } from "./refusals.ts";
import { type Describe, type Fix, nameNetwork, nameTarget, type Violation } from "./violation-words.ts";

const nameFile = ({ media_kind: kind = "image" }: Violation) => kind;
const addFile = ({ field = "/media" }: Violation): Fix => ({ kind: "add_file", field, label: "Add files" });
const replaceFile = ({ field = "" }: Violation): Fix => ({ kind: "replace_file", field, label: "Replace" });
const adaptOr = (violation: Violation, otherFix: Fix): Fix[] =>
  violation.adaptable === true ? [{ kind: "adapt", label: "Adapt automatically" }] : [otherFix];

const size: Describe = (violation) => {
  const { limit = 0, over_by: over } = violation;
  const bound = over === undefined ? `at least ${formatBytes(limit)}` : `up to ${formatBytes(limit)}`;
  return {
    text: `This ${nameFile(violation)} is too ${over === undefined ? "small" : "large"} for ${nameNetwork(violation)} (${bound}).`,
    fixes: adaptOr(violation, replaceFile(violation)),
  };
};

const length: Describe = (violation) => {
  const { limit = 0, over_by: over } = violation;
  const bound = over === undefined ? `at least ${formatSeconds(limit)}` : `up to ${formatSeconds(limit)}`;
  return {
    text: `This video is too ${over === undefined ? "short" : "long"} for ${nameTarget(violation)} (${bound}).`,
    fixes: [replaceFile(violation)],
  };
};

const PIXELS: { [Name in Unit]?: string } = {
  "pixels of width": "wide",
  "pixels of height": "high",
  "pixels on the longer side": "on the longer side",
  "pixels on the shorter side": "on the shorter side",
  "pixels of width plus height": "in width and height together",
  "pixels in total": "in total",
};

const dimensions: Describe = (violation, { postTypes = [] }) => {
  const { limit = 1, over_by: over, unit, field = "", post_type: type } = violation;
  const file = nameFile(violation);
  if (unit === "times as wide as high") {
    const { ratio, name } = nearestRatio(limit, over === undefined ? "least" : "most");
    const crop: Fix = { kind: "crop", field, ratio, label: `Crop to ${name}` };
    const story: Fix = { kind: "post_type", type: "story", label: "Post as story" };
    const fitsStory = over === undefined && type !== "story" && postTypes.includes("story");
    return {
      text: `This ${file} is too ${over === undefined ? "tall" : "wide"} for ${nameTarget(violation)} (${name} is the limit).`,
      fixes: [file === "video" ? replaceFile(violation) : crop, ...(fitsStory ? [story] : [])],
    };
  }
  if (unit === "times the shorter side") {
    return {
      text: `This ${file} is too long and narrow for ${nameNetwork(violation)} (${formatNumber(limit)}:1 is the limit).`,
      fixes: file === "video" ? [replaceFile(violation)] : [{ kind: "crop", field, ratio: limit, label: "Crop" }],
    };
  }
  const place = PIXELS[unit ?? "pixels in total"] ?? "";
  const bound = `${over === undefined ? "at least" : "up to"} ${formatNumber(limit)} pixels ${place}`;
  return {
    text: `This ${file} is too ${over === undefined ? "small" : "large"} for ${nameTarget(violation)} (${bound}).`,
    fixes: adaptOr(violation, replaceFile(violation)),
  };
};

const format: Describe = (violation) => {
  const { allowed, content_type: contentType, option, field = "" } = violation;
  if (allowed === undefined) {
    return field.endsWith("media_fit")
      ? {
          text: "There are too many images to adapt at once. Split the file and import the parts one by one.",
          fixes: [],
        }
      : { text: "This file can't be read. Upload it again, or choose another one.", fixes: [replaceFile(violation)] };
  }
  const use = `Use ${formatChoices(allowed.map(formatContentType))}.`;
  if (contentType === undefined) return { text: `The cover must be an image. ${use}`, fixes: [] };
  const text = `${nameNetwork(violation)} doesn't accept ${formatContentType(contentType)} ${option === undefined ? "files" : "covers"}. ${use}`;
  return { text, fixes: adaptOr(violation, replaceFile(violation)) };
};

const tooMany: Describe = (violation) => {
  const { limit = 0, over_by: over = 0, unit = "files", field = "" } = violation;
  const noun = unit.replace(/s$/, "");
  return {
    text: `${nameNetwork(violation)} allows ${count(limit, noun)} per post. Remove ${formatNumber(over)}.`,
    fixes: [{ kind: "remove_file", field, count: over, label: `Remove ${count(over, noun)}` }],
  };
};

const documents: Describe = (violation) => {
  const { limit = 0, over_by: over = 0, field = "", post_type: type = "feed" } = violation;
  if (limit > 0) return tooMany(violation, {});
  const name = type === "feed" ? nameNetwork(violation) : `${nameNetwork(violation)} ${pluralPostType(type)}`;
  return {
    text: `${name} ${type === "feed" ? "doesn't" : "don't"} take documents.`,
    fixes: [{ kind: "remove_file", field, count: over, label: `Remove ${count(over, "document")}` }],
  };
};

const mismatch: Describe = (violation) => {
  const { limit = 0, actual = 0, over_by: over, unit = "files", post_type: type = "feed", field = "" } = violation;
  const name = `${nameNetwork(violation)} ${pluralPostType(type)}`;
  if (over !== undefined) {
    return {
      text: `${name} can't have ${unit}.`,
      fixes: [{ kind: "remove_file", field, count: over, label: over === 1 ? "Remove it" : "Remove them" }],
    };
  }
  return {
    text: `${name} need at least ${count(limit, "file")}. Add ${count(limit - actual, "more", "more")}.`,
    fixes: [addFile(violation)],
  };
};

/** By code; all concern files. */
export const FILE_VIOLATIONS = {
  document_not_offered: documents,
  media_too_large: size,
  media_too_small: size,
  media_too_long: length,
  media_too_short: length,
  media_dimensions_not_allowed: dimensions,
  media_format_not_allowed: format,
  too_many_images: tooMany,
  too_many_videos: tooMany,
  post_type_media_mismatch: mismatch,
  mixed_media_not_allowed: (violation) => {
    const { content_type: contentType, field = "" } = violation;
    const name = nameNetwork(violation);
    const fixes: Fix[] = [{ kind: "remove_file", field, count: 1, label: "Remove" }];
    return contentType === undefined
      ? { text: `${name} can't mix images and videos in one post. Keep one kind.`, fixes: [] }
      : { text: `${name} accepts a ${formatContentType(contentType)} only on its own.`, fixes };
  },
  media_required: (violation) => {
    const { option_needs: needs, limit } = violation;
    const kinds = { image: "a photo", video: "a video", document: "a document", any: "a photo or video" };
    const file = kinds[needs?.media ?? "any"];
    const fixes = [addFile(violation)];
    if (limit !== undefined && limit > 1)
      return { text: `${nameNetwork(violation)} needs at least ${count(limit, "file")}.`, fixes };
    return { text: `${nameNetwork(violation)} needs ${file}.`, fixes };
  },
  alt_too_long: (violation) => {
    const { over_by: over, field = "", platform } = violation;
    const fixes: Fix[] = [{ kind: "edit_alt_text", field, label: "Edit alt text" }];
    if (over === undefined) return { text: describeCode("alt_too_long"), fixes };
    return {
      text: `This alt text is ${count(over, "character")} too long${platform === undefined ? "" : ` for ${networkName(platform)}`}.`,
      fixes,
    };
  },
  duplicate_media: ({ field = "" }) => ({
    text: describeCode("duplicate_media"),
    fixes: [{ kind: "remove_file", field, count: 1, label: "Remove" }],
  }),
  unknown_media: (violation) => ({ text: describeCode("unknown_media"), fixes: [replaceFile(violation)] }),
  media_not_uploaded: (violation) => ({ text: describeCode("media_not_uploaded"), fixes: [replaceFile(violation)] }),
} satisfies Record<string, Describe>;
