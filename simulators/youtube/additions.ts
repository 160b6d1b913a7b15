// What is done to a video that is there: thumbnails.set, developers.google.com/youtube/data/reference/rest/v3, read 2026-11-22.
// Channels called `unproven_…` have not proven their phone number, and set no thumbnails.
import type { ReceivedFile } from "../ledger.ts";
import type { World } from "../simulator.ts";
import type { Account } from "./accounts.ts";
import { ApiError, badRequest } from "./errors.ts";
import type { Video } from "./videos.ts";

const THUMBNAIL_BYTES_MAX = 50 * 1024 * 1024;
const TYPES = ["image/jpeg", "image/png"];
const DOMAIN = "youtube.thumbnail";

/** The picture of a video. */
export async function setThumbnail(
  { ledger }: World,
  account: Account,
  video: Video | undefined,
  body: ReadableStream<Uint8Array> | null,
): Promise<object> {
  if (video === undefined)
    throw new ApiError(
      404,
      "videoNotFound",
      "The video that you are trying to insert a thumbnail image for cannot be found.",
      DOMAIN,
    );
  if (video.account.name !== account.name)
    throw new ApiError(
      403,
      "forbidden",
      "The thumbnail can't be set for the specified video. The request might not be properly authorized.",
      DOMAIN,
    );
  if (account.name.startsWith("unproven_"))
    throw new ApiError(
      403,
      "forbidden",
      "The authenticated user doesn't have permissions to upload and set custom video thumbnails.",
      DOMAIN,
    );
  const file: ReceivedFile = await ledger.receive(body, "application/octet-stream");
  if (file.bytes === 0) throw badRequest("mediaBodyRequired", "The request does not include the image content.");
  if (!TYPES.includes(file.type) || file.bytes > THUMBNAIL_BYTES_MAX)
    throw badRequest("invalidImage", "The provided image content is invalid.");
  ledger.append("youtube", video.id, "thumbnails", file);
  const picture = (name: string, width: number, height: number) => ({
    url: `https://i.ytimg.com/vi/${video.id}/${name}.jpg`,
    width,
    height,
  });
  const items = [
    {
      default: picture("default", 120, 90),
      medium: picture("mqdefault", 320, 180),
      high: picture("hqdefault", 480, 360),
    },
  ];
  return { kind: "youtube#thumbnailSetResponse", etag: file.sha256.slice(0, 27), items };
}
