// A workspace with a bucket and an image service, for tests of posts whose images are converted.
import type { Encoding } from "../../../../src/domain/posts/adapt-image.ts";
import { jpeg, webp } from "../../../support/media-files.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { workspaceOfTwo } from "./workspace-of-two.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Parts = NonNullable<Parameters<typeof workspaceOfTwo>[0]>;
/** One call of the image service. */
interface Request extends Encoding {
  type: string;
}

export const WEBP = webp(1_000, 1_000);
export const JPEG = jpeg(1_000, 1_000);

/** `file`, made as long as `bytes`. */
export function lengthen(file: Bytes, bytes: number): Bytes {
  const longer = new Uint8Array(bytes);
  longer.set(file);
  return longer;
}

/**
 * A workspace of two accounts of Instagram, which takes no WebP, and what its image service is asked for. `encode` makes the
 * service's answers.
 */
export async function withImages(encode: (request: Request) => Bytes | Promise<Bytes> = () => JPEG, parts: Parts = {}) {
  const held = memoryBucket();
  const { bucket, hold } = held;
  const requests: Request[] = [];
  const images = {
    encode: async (_image: ReadableStream, type: string, encoding: Encoding) => {
      const request = { type, ...encoding };
      requests.push(request);
      return new Blob([await encode(request)]).stream();
    },
  };
  const here = await workspaceOfTwo({
    channel: { platform: "instagram" },
    ...parts,
    outside: { bucket, images, ...parts.outside },
  });
  const { call, workspaceId, create } = here;
  const upload = async (content = WEBP, type = "image/webp") => {
    const { body } = await call("media.request-upload", { body: { content_type: type, bytes: content.length } });
    const { id } = Object(body.media);
    hold(`m/${workspaceId}/${id}`, content, type);
    return String(id);
  };
  const id = await upload();
  return {
    ...here,
    ...held,
    requests,
    upload,
    id,
    post: (body: object = {}, more: object = {}) => create({ media: [id], media_fit: "adapt", ...body }, more),
    /** The files that the only post of the workspace publishes. */
    readSentFiles: async () => (await here.readPosts())[0]?.sentFiles ?? [],
    /** The converted copies in the bucket, by key. */
    listCopies: () => [...held.files.keys()].filter((key) => key.includes("/converted/")),
  };
}
