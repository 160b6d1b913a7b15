// Stands in for Cloudflare's Images binding in Node. Unlike the platform's own stand-in it supports qualities and backgrounds, and returns
// the error codes of the service (developers.cloudflare.com/images/reference/errors, /get-started/limits and /optimization/binding, read
// 2026-11-25).
import sharp from "../../scripts/local/images/sharp-with-heic.ts";

export class ImagesError extends Error {
  override name = "ImagesError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const BYTES_MAX = 20_000_000;
const PIXELS_MAX = 100_000_000;
const SIDE_MAX = 12_000;

type Binding = Pick<ImagesBinding, "input">;
type Output = Parameters<ImageTransformer["output"]>[0];

async function convert(
  source: ReadableStream<Uint8Array>,
  size: ImageTransform,
  { format, quality, background }: Output,
) {
  const file = Buffer.from(await new Response(source).arrayBuffer());
  if (file.byteLength > BYTES_MAX) throw new ImagesError(9402, "Could not fetch the image — file too large");
  const notAnImage = () => new ImagesError(9412, "Could not resize the image: The requested file is not an image.");
  const { width, height } = await sharp(file, { limitInputPixels: false })
    .metadata()
    .catch(() => Promise.reject(notAnImage()));
  if (Math.max(width, height) > SIDE_MAX || width * height > PIXELS_MAX) {
    throw new ImagesError(9413, `Could not resize the image: The image is too large: ${width}×${height}`);
  }
  const input = sharp(file, { autoOrient: true });
  const sized = input.resize(size.width ?? null, size.height ?? null, { fit: "inside", withoutEnlargement: true });
  const flatten = () => sized.flatten({ background: background ?? "#000000" });
  const encode = () => {
    if (format === "image/png") return sized.png();
    return format === "image/webp" ? flatten().webp({ quality }) : flatten().jpeg({ quality });
  };
  const encoded = encode();
  return new Uint8Array(
    await encoded.toBuffer().catch((error: Error) => {
      throw new ImagesError(9516, `Could not resize the image: error during decoding: ${error.message}`);
    }),
  );
}

export const sharpImages: Binding = {
  input(source) {
    let size: ImageTransform = {};
    const transformer: ImageTransformer = {
      transform(next) {
        size = { ...size, ...next };
        return transformer;
      },
      draw() {
        throw new Error("this stand-in draws nothing");
      },
      async output(options) {
        const bytes = await convert(source, size, options);
        const response = () => new Response(bytes, { headers: { "content-type": options.format } });
        const image = () => new Blob([bytes]).stream();
        return { response, image, contentType: () => options.format };
      },
    };
    return transformer;
  },
};
