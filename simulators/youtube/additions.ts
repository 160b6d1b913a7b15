// Follow-up calls on a video: thumbnails.set and playlistItems, developers.google.com/youtube/data/reference/rest/v3, read
// 2026-11-22. Each channel has two playlists. Channels called `unproven_…` have not verified their phone number, and cannot
// set thumbnails.
import * as z from "zod";
import type { ReceivedFile } from "../ledger.ts";
import type { World } from "../simulator.ts";
import type { Account } from "./accounts.ts";
import { ApiError, badRequest } from "./errors.ts";
import type { Video } from "./videos.ts";

const THUMBNAIL_BYTES_MAX = 50 * 1024 * 1024;
const TYPES = ["image/jpeg", "image/png"];
const DOMAIN = "youtube.thumbnail";

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

export function getPlaylists({ channelId }: Account): { id: string; title: string }[] {
  const idSuffix = channelId.slice(2);
  return [
    { id: `PL${idSuffix}A`, title: "Talks" },
    { id: `PL${idSuffix}B`, title: "Made this year" },
  ];
}

const ITEM_DOMAIN = "youtube.playlistItem";
const Item = z.object({
  snippet: z.object({
    playlistId: z.string(),
    resourceId: z.object({ kind: z.literal("youtube#video"), videoId: z.string() }),
  }),
});

/** Adds a video to a playlist, which may already contain it. */
export function addToPlaylist(
  { ledger }: World,
  account: Account,
  find: (id: string) => Video | undefined,
  body: unknown,
): object {
  const item = Item.safeParse(body).data?.snippet;
  if (item === undefined) throw badRequest("invalidPlaylistItemMetadata", "The request metadata is invalid.");
  const { playlistId, resourceId } = item;
  if (!getPlaylists(account).some(({ id }) => id === playlistId))
    throw new ApiError(
      404,
      "playlistNotFound",
      "The playlist identified with the request's playlistId parameter cannot be found.",
      ITEM_DOMAIN,
    );
  const video = find(resourceId.videoId);
  if (video === undefined) throw new ApiError(404, "videoNotFound", "Video not found.", ITEM_DOMAIN);
  ledger.append("youtube", video.id, "playlists", playlistId);
  const { channelId } = account;
  const id = Buffer.from(`${playlistId}.${video.id}`).toString("base64");
  const { title, description } = video.resource.snippet;
  const snippet = {
    publishedAt: new Date().toISOString(),
    channelId,
    title,
    description,
    playlistId,
    position: 0,
    resourceId,
  };
  return { kind: "youtube#playlistItem", etag: id, id, snippet };
}

/** The items of a playlist that show a video. */
export function findPlaylistItems({ ledger }: World, playlistId: string, videoId: string): object[] {
  const lists = ledger.find("youtube", videoId)?.detail.playlists;
  const id = Buffer.from(`${playlistId}.${videoId}`).toString("base64");
  return Array.isArray(lists) && lists.includes(playlistId) ? [{ kind: "youtube#playlistItem", etag: id, id }] : [];
}
