// The image converter: Cloudflare's Images binding. A local run uses sharp, which accepts neither a quality nor a background
// (developers.cloudflare.com/images/transform-images/bindings, read 2026-11-24).
import type { AdaptedType, Encoding } from "../domain/posts/adapt-image.ts";
import type { Allowance } from "../domain/work-allowance.ts";

export interface Images {
  /**
   * Encodes an image within some pixels, rotated as its EXIF says, in sRGB and without metadata. Throws `ImageRefused` for
   * an image that cannot be converted, and `ImagesUnavailable` if a retry may help.
   */
  encode(
    image: ReadableStream<Uint8Array>,
    type: AdaptedType | "image/webp",
    encoding: Encoding,
  ): Promise<ReadableStream<Uint8Array>>;
}

export class ImageRefused extends Error {
  override name = "ImageRefused";
}
export class ImagesUnavailable extends Error {
  override name = "ImagesUnavailable";
}

/**
 * The error codes for an image that the service cannot decode, or that is too large for it. 9523 also covers internal errors
 * and damaged images (developers.cloudflare.com/images/reference/errors and /troubleshooting, read 2026-11-25).
 */
const REFUSED: ReadonlySet<number> = new Set([9402, 9412, 9413, 9416, 9420, 9516, 9520, 9523]);
/** Errors that only the operator can resolve, with messages for the operator (the same pages). */
const NEEDS_OPERATOR: ReadonlyMap<number, string> = new Map([
  // 5,000 are free, then $0.50 for 1,000 (developers.cloudflare.com/images/pricing, read 2026-11-25).
  [9422, "the Cloudflare account's conversions of this month are used up"],
  [9423, "the Cloudflare account's conversions of this month are used up"],
  [9430, "the Cloudflare account may not use the Images binding"],
  [9432, "the Cloudflare account has the older Image Resizing plan, which has no Images binding"],
]);

/** `allowance`: each conversion counts as one call, which the allowance must grant first. */
export function createImages(binding: Pick<ImagesBinding, "input">, allowance: Allowance | null): Images {
  return {
    async encode(image, type, { width, height, quality }) {
      await allowance?.take("fetches", 1);
      try {
        const result = await binding
          .input(image)
          .transform({ width, height, fit: "scale-down" })
          // Transparent areas become white; without `anim` an animation becomes a still image.
          .output({ format: type, background: "#ffffff", anim: false, ...(type === "image/png" ? {} : { quality }) });
        const { body } = result.response();
        if (body === null) throw new ImagesUnavailable("it answered without an image");
        return body;
      } catch (error) {
        throw readError(error);
      }
    },
  };
}

function readError(error: unknown): Error {
  if (!(error instanceof Error)) return new ImagesUnavailable(String(error));
  const [message = ""] = error.message.split("\n");
  const code = "code" in error ? error.code : undefined;
  if (typeof code !== "number") return new ImagesUnavailable(message);
  return REFUSED.has(code) ? new ImageRefused(message) : new ImagesUnavailable(NEEDS_OPERATOR.get(code) ?? message);
}
