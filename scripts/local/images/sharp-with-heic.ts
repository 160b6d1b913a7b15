// sharp, which decodes no HEVC, with a decoder for HEIC before it: what stands in for Cloudflare's Images in a local run takes the
// photos that the service takes. Colours are read as sRGB, because the decoder tells nothing of a profile.
import sharp, { type Sharp, type SharpOptions } from "sharp";
import { contentTypeOf, HEIC } from "../../../src/domain/media/types.ts";

export default function sharpWithHeic(input: ArrayBuffer | Uint8Array, options: SharpOptions = {}): Sharp {
  const file = new Uint8Array(input);
  if (contentTypeOf(file.subarray(0, 64)) !== HEIC) return sharp(file, options);
  // With its own default: it reads a stream only if it has some option.
  const image = sharp({ failOn: "warning", ...options });
  // sharp says of the file itself, as of any other, that it cannot be decoded.
  decodeHeic(file).then(
    (png) => image.end(png),
    () => image.end(file),
  );
  return image;
}

/** A HEIC photo as it is shown, in PNG. 12 megapixels take 1.6 s (2026-11-26). */
async function decodeHeic(file: Uint8Array): Promise<Buffer> {
  const { default: libheif } = await import("libheif-js/wasm-bundle.js");
  const [picture, ...others] = new libheif.HeifDecoder().decode(file);
  if (picture === undefined) throw new Error("not a HEIC photo");
  try {
    const [width, height] = [picture.get_width(), picture.get_height()];
    const pixels = { data: new Uint8ClampedArray(width * height * 4), width, height };
    const written = await new Promise<typeof pixels | null>((settle) => picture.display(pixels, settle));
    if (written === null) throw new Error("a HEIC photo that cannot be decoded");
    return await sharp(written.data, { raw: { width, height, channels: 4 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
  } finally {
    for (const each of [picture, ...others]) each.free();
  }
}
