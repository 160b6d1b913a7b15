// Updates of a video's snippet: developers.google.com/youtube/v3/docs/videos/update, read 2026-11-27. A property that the call leaves
// out is lost, and title and category are required.
import type { Context } from "hono";
import { findMarks } from "../marks.ts";
import type { SimulatorEnv, World } from "../simulator.ts";
import type { Account } from "./accounts.ts";
import { ApiError, badRequest } from "./errors.ts";
import { checkResource } from "./resource.ts";
import type { Videos } from "./videos.ts";

/** Returns the video as it is now. */
export async function updateVideo(
  { ledger }: World,
  videos: Videos,
  account: Account,
  c: Context<SimulatorEnv>,
): Promise<object> {
  const part = c.req.query("part");
  const { id, ...body } = Object(await c.req.json().catch(() => undefined));
  const video = videos.find(String(id), account);
  if (video === undefined) throw new ApiError(404, "videoNotFound", "The video cannot be found.", "youtube.video");
  if (video.account.name !== account.name)
    throw new ApiError(403, "forbidden", "The video is not yours.", "youtube.video");
  if (part !== "snippet") throw badRequest("invalidVideoMetadata", "Only the snippet can be updated here.");
  if (Object(body.snippet).categoryId === undefined)
    throw badRequest("invalidVideoMetadata", "The request metadata is invalid.");
  const { snippet } = checkResource(body, part);
  video.resource = { ...video.resource, snippet };
  const { description, ...detail } = snippet;
  ledger.edit("youtube", video.id, description, findMarks(description, ["links", "names", "tags"]), detail);
  return videos.view(video, [part], account);
}
