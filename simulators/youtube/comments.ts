// Comments under a video.
import type { World } from "../simulator.ts";
import type { Account } from "./accounts.ts";
import { ApiError } from "./errors.ts";
import type { Video } from "./videos.ts";

/** A comment of the channel's own: youtube/v3/docs/commentThreads/insert. */
export function addComment(
  world: World,
  account: Account,
  video: Video | undefined,
  { videoId, text }: { videoId: string; text: string },
): object {
  if (video === undefined)
    throw new ApiError(
      404,
      "videoNotFound",
      "The video identified by videoId could not be found.",
      "youtube.commentThread",
    );
  const { privacyStatus, selfDeclaredMadeForKids } = video.resource.status;
  if (privacyStatus === "private" || selfDeclaredMadeForKids === true)
    throw new ApiError(403, "commentsDisabled", "The video has disabled comments.", "youtube.commentThread");
  const id = `Ug${video.id}${world.ledger.list({ platform: "youtube" }).length}`;
  world.ledger.accept({
    platform: "youtube",
    account: account.handle,
    id,
    text,
    media: [],
    token: null,
    url: `https://www.youtube.com/watch?v=${videoId}&lc=${id}`,
    detail: { comment_on: videoId },
    shown: { marks: [], card: null },
  });
  const { channelId } = account;
  const topLevelComment = { id, kind: "youtube#comment", snippet: { videoId, textOriginal: text, textDisplay: text } };
  const snippet = {
    channelId,
    videoId,
    topLevelComment: topLevelComment,
    canReply: true,
    totalReplyCount: 0,
    isPublic: true,
  };
  return { kind: "youtube#commentThread", etag: id, id, snippet };
}
