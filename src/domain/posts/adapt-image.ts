// Plans how an image becomes acceptable to a network: another format, fewer pixels, fewer bytes. It is never cropped, padded
// or enlarged. Everything is computed from the network's rule, so the same file always gets the same plan.

import type { ImageTraits } from "../media/image-traits.ts";
import type { FileRule } from "./platform-rule.ts";
import { fileRule, type MediaFacts, type PostTarget } from "./post-target.ts";

export const ADAPTATIONS = ["format", "size", "quality"] as const;
/** The properties in which a converted file can differ from the original. */
export type Adaptation = (typeof ADAPTATIONS)[number];

export type AdaptedType = "image/jpeg" | "image/png";

/** The target of a conversion. */
export interface ImagePlan {
  contentType: AdaptedType;
  /** Pixels, in the ratio of the original as shown. */
  width: number;
  height: number;
  maxBytes: number;
  /** Whether the original has more than `maxBytes`, so that the quality may be reduced. */
  isTooLarge: boolean;
  changes: Adaptation[];
}

/**
 * The limits of the converter: 20 MB (developers.cloudflare.com/images/optimization/binding), 100 megapixels and 12,000
 * pixels a side (/images/get-started/limits, read 2026-11-25).
 */
const CONVERTIBLE = { bytes: 20_000_000, pixels: 100_000_000, side: 12_000 };

/** Whether an image exceeds the limits of the converter. Photos from phones are smaller. */
export function isTooLargeToConvert({ bytes, width, height }: Pick<MediaFacts, "bytes" | "width" | "height">): boolean {
  const [across, down] = [width ?? 0, height ?? 0];
  return (
    (bytes ?? 0) > CONVERTIBLE.bytes || across * down > CONVERTIBLE.pixels || Math.max(across, down) > CONVERTIBLE.side
  );
}

/**
 * The conversion that makes a file fit; null if it fits, or if no conversion can make it fit. `ruleOf`: the rule for a
 * content type.
 */
export function planImage(
  file: MediaFacts,
  ruleOf: (contentType: string) => FileRule | null,
  traits: ImageTraits | null,
): ImagePlan | null {
  const { kind, contentType, bytes, width, height } = file;
  if (kind !== "image" || contentType === null || width === null || height === null) return null;
  const originalRule = ruleOf(contentType);
  if (originalRule === null || traits?.isAnimated === true || isTooLargeToConvert(file)) return null;
  const isOtherFormat = !originalRule.types.includes(contentType);
  const isTooLarge = bytes !== null && bytes > originalRule.max_bytes;
  if (!isOtherFormat && !isTooLarge && scaleToFit(originalRule, width, height) === 1) return null;
  const type = chooseType(originalRule, traits);
  const rule = type && ruleOf(type);
  if (type === null || rule === null) return null;
  const size = fitSize(rule, width, height);
  return {
    contentType: type,
    ...size,
    maxBytes: rule.max_bytes,
    isTooLarge: bytes !== null && bytes > rule.max_bytes,
    changes: [
      ...(type === contentType ? [] : (["format"] as const)),
      ...(size.width === width ? [] : (["size"] as const)),
    ],
  };
}

/** JPEG, or PNG if the image would lose its transparency. */
function chooseType({ types }: FileRule, traits: ImageTraits | null): AdaptedType | null {
  if (traits?.hasAlpha === true && types.includes("image/png")) return "image/png";
  if (types.includes("image/jpeg")) return "image/jpeg";
  return types.includes("image/png") ? "image/png" : null;
}

/** The factor by which an image of these pixels must be scaled; 1 if it fits. */
function scaleToFit(rule: FileRule, width: number, height: number): number {
  const ratio = (limit: number | undefined, actual: number) => (limit === undefined ? 1 : limit / actual);
  return Math.min(
    1,
    ratio(rule.max_width, width),
    ratio(rule.max_side, Math.max(width, height)),
    ratio(rule.max_short_side, Math.min(width, height)),
    ratio(rule.max_side_sum, width + height),
    Math.sqrt(ratio(rule.max_pixels, width * height)),
  );
}

function fitSize(rule: FileRule, width: number, height: number) {
  return scaleDown(width, height, scaleToFit(rule, width, height));
}

/** How far below the largest size to look for a better ratio. */
const SEARCH = 0.01;

/**
 * The size of an image that is scaled by at most `scale`. Among all sizes up to one percent smaller, chooses the one whose
 * aspect ratio is closest to the original's: a 3:4 photo stays exactly 3:4.
 */
export function scaleDown(width: number, height: number, scale: number): { width: number; height: number } {
  if (scale >= 1) return { width, height };
  const largest = Math.max(1, Math.floor(width * scale));
  const tallest = Math.max(1, Math.floor(height * scale));
  const error = (candidate: number) => {
    const exact = (height * candidate) / width;
    return Math.abs(Math.round(exact) - exact) + (Math.round(exact) > tallest ? 1 : 0);
  };
  let best = largest;
  for (let candidate = largest; candidate >= largest * (1 - SEARCH) && candidate >= 1; candidate--) {
    if (error(candidate) < error(best)) best = candidate;
  }
  return { width: best, height: Math.max(1, Math.min(tallest, Math.round((height * best) / width))) };
}

/** One encoding of an image. `quality`: of a JPEG, 1 to 100. */
export interface Encoding {
  width: number;
  height: number;
  quality: number;
}

/** Qualities to try at the full size, best first. */
const QUALITIES = [92, 84, 75];
const BEST = 92;
const LOWEST = 75;
/**
 * If an encoding exceeds the limit by this factor, the next quality is skipped as insufficient: 84 has about 60 % of the
 * bytes of 92.
 */
const FAR = 1.7;
/** The most encodings to try, because each one costs money. */
const TRIES_MAX = 8;
/** How far below the byte limit a smaller size aims, because bytes do not follow pixels exactly. */
const AIM = 0.93;

/** The encoding to try first. */
export const firstEncoding = ({ width, height }: ImagePlan): Encoding => ({ width, height, quality: BEST });

/** The encoding to try after one with too many `bytes`; null to give up. `tries`: encodings so far. */
export function nextEncoding(plan: ImagePlan, last: Encoding, bytes: number, tries: number): Encoding | null {
  if (tries >= TRIES_MAX) return null;
  if (plan.contentType === "image/jpeg" && last.quality > LOWEST) {
    const lower = QUALITIES.find((quality) => quality < last.quality) ?? LOWEST;
    return { ...last, quality: bytes > plan.maxBytes * FAR ? LOWEST : lower };
  }
  const scale = Math.sqrt(plan.maxBytes / bytes) * AIM;
  const size = scaleDown(last.width, last.height, Math.min(scale, AIM));
  return size.width === last.width ? null : { ...size, quality: LOWEST };
}

/** How the encoded file differs from the original. */
export function describeChanges(plan: ImagePlan, { width, quality }: Encoding): Adaptation[] {
  const isSmaller = width !== plan.width || plan.changes.includes("size");
  const isRecompressed = plan.isTooLarge || quality < BEST;
  return ADAPTATIONS.filter((change) =>
    change === "format" ? plan.changes.includes(change) : change === "size" ? isSmaller : isRecompressed,
  );
}

/** The plans of all files of a post target, and the target with its files as they will be after the conversion. */
export interface AdaptedTarget<Target extends PostTarget> {
  target: Target;
  plans: (ImagePlan | null)[];
  thumbnailPlan: ImagePlan | null;
}

/**
 * Plans each image of a post target that its channel would refuse for its format, bytes or pixels. `traits` and
 * `thumbnailTraits` describe its files, in their order.
 */
export function adaptTarget<Target extends PostTarget>(
  target: Target,
  traits: (ImageTraits | null)[],
  thumbnailTraits: ImageTraits | null,
): AdaptedTarget<Target> {
  const { media, thumbnail, rule } = target;
  const plans = media.map((file, i) =>
    planImage(file, (contentType) => fileRule(target, { ...file, contentType }), traits[i] ?? null),
  );
  const thumbnailRule = rule.thumbnail ?? null;
  const thumbnailPlan = thumbnail === undefined ? null : planImage(thumbnail, () => thumbnailRule, thumbnailTraits);
  return {
    target: {
      ...target,
      media: media.map((file, i) => planned(file, plans[i] ?? null)),
      ...(thumbnail && { thumbnail: planned(thumbnail, thumbnailPlan) }),
      adapts: true,
    },
    plans,
    thumbnailPlan,
  };
}

/** A file as it will be after its plan. Its size in bytes is not known before the conversion. */
const planned = (file: MediaFacts, plan: ImagePlan | null): MediaFacts =>
  plan === null
    ? file
    : { ...file, contentType: plan.contentType, width: plan.width, height: plan.height, bytes: null };
