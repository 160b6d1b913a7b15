import type { Encoding } from "../../../../src/domain/posts/adapt-image.ts";
import { jpeg, webp } from "../../../support/media-files.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { setUpWorkspace } from "./workspace-of-two.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Parts = NonNullable<Parameters<typeof setUpWorkspace>[0]>;
/** A call of the image service. */
interface Request extends Encoding {
  type: string;
}

export const WEBP = webp(1_000, 1_000);
export const JPEG = jpeg(1_000, 1_000);

/** Pads `file` with zeros to the length `bytes`. */
export function lengthen(file: Bytes, bytes: number): Bytes {
  const longer = new Uint8Array(bytes);
  longer.set(file);
  return longer;
}

/**
 * Sets up a workspace with a bucket, an image service and two channels on Instagram, which does not accept WebP. `encode` makes the
 * answers of the image service, and `requests` lists its calls.
 */
export async function setUpImages(
  encode: (request: Request) => Bytes | Promise<Bytes> = () => JPEG,
  parts: Parts = {},
) {
  const memory = memoryBucket();
  const { bucket, hold } = memory;
  const requests: Request[] = [];
  const images = {
    encode: async (_image: ReadableStream, type: string, encoding: Encoding) => {
      const request = { type, ...encoding };
      requests.push(request);
      return new Blob([await encode(request)]).stream();
    },
  };
  const setup = await setUpWorkspace({
    channel: { platform: "instagram" },
    ...parts,
    outside: { bucket, images, ...parts.outside },
  });
  const { call, workspaceId, create } = setup;
  const upload = async (content = WEBP, type = "image/webp") => {
    const { body } = await call("media.request-upload", { body: { content_type: type, bytes: content.length } });
    const { id } = Object(body.media);
    hold(`m/${workspaceId}/${id}`, content, type);
    return String(id);
  };
  const id = await upload();
  return {
    ...setup,
    ...memory,
    requests,
    upload,
    id,
    post: (body: object = {}, options: object = {}) => create({ media: [id], media_fit: "adapt", ...body }, options),
    /** Reads the sent files of the workspace's only post. */
    readSentFiles: async () => (await setup.readPosts())[0]?.sentFiles ?? [],
    /** Lists the keys of the converted copies in the bucket. */
    listCopies: () => [...memory.files.keys()].filter((key) => key.includes("/converted/")),
  };
}
