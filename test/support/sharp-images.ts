// Stands in for Cloudflare's Images binding in Node. Unlike the platform's own stand-in it knows qualities and backgrounds.
import sharp from "sharp";

type Binding = Pick<ImagesBinding, "input">;
type Output = Parameters<ImageTransformer["output"]>[0];

async function convert(
  source: ReadableStream<Uint8Array>,
  size: ImageTransform,
  { format, quality, background }: Output,
) {
  const input = sharp(Buffer.from(await new Response(source).arrayBuffer()), { autoOrient: true });
  const sized = input.resize(size.width ?? null, size.height ?? null, { fit: "inside", withoutEnlargement: true });
  const encoded =
    format === "image/png" ? sized.png() : sized.flatten({ background: background ?? "#000000" }).jpeg({ quality });
  return new Uint8Array(await encoded.toBuffer());
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
