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
 * What the service says of an image that it cannot read, or that is too large for it: 100 megabytes, 100 megapixels or a side of 12,000
 * pixels (developers.cloudflare.com/images/reference/troubleshooting and /images/get-started/limits, read 2026-11-24).
 */
const REFUSED: ReadonlySet<number> = new Set([9402, 9412, 9413, 9511, 9520, 9523]);
/** The transformations of the month are used up: 5,000 are free, then $0.50 for 1,000 (/images/pricing, read 2026-11-24). */
const USED_UP = 9422;

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
  if (code === USED_UP) return new ImagesUnavailable("the account's conversions of this month are used up");
  return typeof code === "number" && REFUSED.has(code) ? new ImageRefused(message) : new ImagesUnavailable(message);
}
