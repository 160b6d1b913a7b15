// The converter of images: Cloudflare's Images binding. In a local run sharp stands behind it, which takes neither a quality nor a
// background (developers.cloudflare.com/images/transform-images/bindings, read 2026-11-24).
import type { AdaptedType, Encoding } from "../domain/posts/adapt-image.ts";
import type { Allowance } from "../domain/work-allowance.ts";

export interface Images {
  /**
   * Encodes an image within some pixels, turned as its EXIF says, in sRGB and without metadata. Throws `ImageRefused` for an image
   * that cannot be converted, and `ImagesUnavailable` if trying again may help.
   */
  encode(image: ReadableStream<Uint8Array>, type: AdaptedType, encoding: Encoding): Promise<ReadableStream<Uint8Array>>;
}

export class ImageRefused extends Error {
  override name = "ImageRefused";
}
export class ImagesUnavailable extends Error {
  override name = "ImagesUnavailable";
}

/**
 * What the service says of an image that it cannot decode, or that is too large for it. 9523 is also an internal error, and a damaged
 * image (developers.cloudflare.com/images/reference/errors and /troubleshooting, read 2026-11-25).
 */
const REFUSED: ReadonlySet<number> = new Set([9402, 9412, 9413, 9416, 9420, 9516, 9520, 9523]);
/** The errors that only the operator can resolve, in words for them (the same pages). */
const NEEDS_OPERATOR: ReadonlyMap<number, string> = new Map([
  // 5,000 are free, then $0.50 for 1,000 (developers.cloudflare.com/images/pricing, read 2026-11-25).
  [9422, "the Cloudflare account's conversions of this month are used up"],
  [9423, "the Cloudflare account's conversions of this month are used up"],
  [9430, "the Cloudflare account may not use the Images binding"],
  [9432, "the Cloudflare account has the older Image Resizing plan, which has no Images binding"],
]);

/** `allowance`: each conversion is a call that it grants first. */
export function createImages(binding: Pick<ImagesBinding, "input">, allowance: Allowance | null): Images {
  return {
    async encode(image, type, { width, height, quality }) {
      await allowance?.take("fetches", 1);
      try {
        const result = await binding
          .input(image)
          .transform({ width, height, fit: "scale-down" })
          // White stands behind what is transparent; without `anim` a still picture comes of an animation.
          .output({ format: type, background: "#ffffff", anim: false, ...(type === "image/jpeg" ? { quality } : {}) });
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
