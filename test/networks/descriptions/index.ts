// The description of each network: a package that the network's owner publishes, or that was generated from the owner's
// documents, and facts from pages.
import { BLUESKY_PACKAGE, blueskyDescription } from "./bluesky.ts";
import { buildOperations, buildRefusal, buildTypes, readFacts } from "./facts.ts";
import { META_PACKAGE } from "./meta-sdk.ts";
import type { Description } from "./operation.ts";
import { TELEGRAM_PACKAGE, telegramDescription } from "./telegram.ts";
import { X_PACKAGE, xDescription } from "./x.ts";
import { YOUTUBE_PACKAGE, youtubeDescription } from "./youtube.ts";

export interface Package {
  name: string;
  version: string;
  /** The date on which this version was published in the registry. */
  published: string;
}

const META = { name: META_PACKAGE, version: "24.0.1", published: "2026-03-18" };
/** The package of each network that has one. */
export const PACKAGES: Record<string, Package> = {
  bluesky: { name: BLUESKY_PACKAGE, version: "0.21.0", published: "2026-09-27" },
  facebook: META,
  instagram: META,
  telegram: { name: TELEGRAM_PACKAGE, version: "5.0.0", published: "2026-08-26" },
  x: { name: X_PACKAGE, version: "0.6.6", published: "2026-08-23" },
  youtube: { name: YOUTUBE_PACKAGE, version: "39.0.0", published: "2026-09-16" },
};

/** The described networks: all networks of Crier. */
export const DESCRIBED = [
  "bluesky",
  "facebook",
  "instagram",
  "linkedin",
  "pinterest",
  "telegram",
  "threads",
  "tiktok",
  "x",
  "youtube",
];

const cache = new Map<string, Description>();

/** The description of a network's calls, or undefined for an unknown network. */
export function getDescription(platform: string): Description | undefined {
  if (!DESCRIBED.includes(platform)) return undefined;
  const cached = cache.get(platform);
  if (cached !== undefined) return cached;
  const facts = readFacts(platform);
  const packageDescription = readPackage(platform, buildRefusal(facts));
  const description = {
    platform,
    operations: [...(packageDescription?.operations ?? []), ...buildOperations(facts)],
    reads: facts.reads,
    defs: { ...packageDescription?.defs, ...buildTypes(facts) },
  };
  cache.set(platform, description);
  return description;
}

function readPackage(platform: string, refusal: Description["operations"][number]["refusal"]): Description | null {
  switch (platform) {
    case "bluesky":
      return blueskyDescription(BLUESKY_CALLS, BLUESKY_REFUSALS);
    case "telegram":
      return telegramDescription(TELEGRAM_CALLS);
    case "x":
      return xDescription(X_CALLS, refusal);
    case "youtube":
      return youtubeDescription(YOUTUBE_CALLS, refusal);
    default:
      return null;
  }
}

const BLUESKY_CALLS = [
  "app.bsky.actor.getProfile",
  "app.bsky.actor.searchActorsTypeahead",
  "app.bsky.feed.getPosts",
  "app.bsky.video.finishUpload",
  "app.bsky.video.getJobStatus",
  "app.bsky.video.getUploadLimits",
  "app.bsky.video.startUpload",
  "app.bsky.video.uploadPart",
  "app.bsky.video.uploadVideo",
  "com.atproto.identity.resolveHandle",
  "com.atproto.repo.applyWrites",
  "com.atproto.repo.deleteRecord",
  "com.atproto.repo.getRecord",
  "com.atproto.repo.putRecord",
  "com.atproto.repo.uploadBlob",
  "com.atproto.server.createSession",
  "com.atproto.server.getServiceAuth",
  "com.atproto.server.getSession",
  "com.atproto.server.refreshSession",
];

// The error names of XRPC itself and of the reference server: packages/xrpc/src/types.ts and
// packages/pds/src/auth-verifier.ts.
const BLUESKY_REFUSALS = [
  "AuthMissing",
  "AuthenticationRequired",
  "BlobTooLarge",
  "ExpiredToken",
  "Forbidden",
  "InternalServerError",
  "InvalidMimeType",
  "InvalidRequest",
  "InvalidToken",
  "MethodNotImplemented",
  "NotEnoughResources",
  "PayloadTooLarge",
  "RateLimitExceeded",
  "UpstreamFailure",
  "UpstreamTimeout",
  // Of a sign-in in the browser: packages/oauth/oauth-provider/src/errors, packages/oauth/oauth-scopes.
  "ScopeMissingError",
  "invalid_dpop_proof",
  "invalid_token",
  "use_dpop_nonce",
  // 404 from a server that has no application to pass the call to.
  "XRPCNotSupported",
];

const TELEGRAM_CALLS = [
  "deleteMessage",
  "editMessageText",
  "deleteMessages",
  "editMessageReplyMarkup",
  "getChat",
  "getChatMember",
  "getMe",
  "pinChatMessage",
  "sendAnimation",
  "sendDocument",
  "sendMediaGroup",
  "sendMessage",
  "sendPhoto",
  "sendPoll",
  "sendVideo",
];

const X_CALLS = [
  { call: "GET /2/users/me", options: "GetMeOptions", answer: "GetUsersMeResponse" },
  { call: "GET /2/users/by", options: "GetByUsernamesOptions", answer: "GetUsersByUsernamesResponse" },
  { call: "POST /2/tweets", body: "CreatePostsRequest", answer: "CreatePostsResponse", status: 201 },
  { call: "GET /2/tweets", options: "GetByIdsOptions", answer: "GetPostsByIdsResponse" },
  { call: "DELETE /2/tweets/{id}", answer: "DeletePostsResponse" },
  { call: "GET /2/users/{id}/tweets", options: "GetPostsOptions$1", answer: "GetUsersPostsResponse" },
  {
    call: "POST /2/media/upload/initialize",
    body: "InitializeMediaUploadRequest",
    answer: "InitializeMediaUploadResponse",
  },
  { call: "POST /2/media/upload/{id}/finalize", answer: "FinalizeMediaUploadResponse" },
  { call: "GET /2/media/upload", options: "GetUploadStatusOptions", answer: "GetMediaUploadStatusResponse" },
  { call: "POST /2/media/metadata", body: "CreateMediaMetadataRequest", answer: "CreateMediaMetadataResponse" },
  {
    call: "POST /2/articles/draft",
    body: "ArticleCreateDraftRequest$1",
    answer: "ArticleCreateDraftResponse$1",
    status: 201,
  },
  { call: "POST /2/articles/{article_id}/publish", answer: "ArticlePublishResponse$1" },
];

const YOUTUBE_CALLS = [
  {
    call: "GET /youtube/v3/channels",
    parameters: "Params$Resource$Channels$List",
    answer: "Schema$ChannelListResponse",
  },
  {
    call: "POST /youtube/v3/commentThreads",
    parameters: "Params$Resource$Commentthreads$Insert",
    body: "Schema$CommentThread",
    answer: "Schema$CommentThread",
  },
  { call: "GET /youtube/v3/videos", parameters: "Params$Resource$Videos$List", answer: "Schema$VideoListResponse" },
  {
    call: "POST /upload/youtube/v3/videos",
    parameters: "Params$Resource$Videos$Insert",
    body: "Schema$Video",
    answer: "Schema$Video",
  },
  {
    call: "GET /youtube/v3/playlists",
    parameters: "Params$Resource$Playlists$List",
    answer: "Schema$PlaylistListResponse",
  },
  {
    call: "GET /youtube/v3/playlistItems",
    parameters: "Params$Resource$Playlistitems$List",
    answer: "Schema$PlaylistItemListResponse",
  },
  {
    call: "POST /youtube/v3/playlistItems",
    parameters: "Params$Resource$Playlistitems$Insert",
    body: "Schema$PlaylistItem",
    answer: "Schema$PlaylistItem",
  },
  {
    call: "POST /upload/youtube/v3/thumbnails/set",
    parameters: "Params$Resource$Thumbnails$Set",
    answer: "Schema$ThumbnailSetResponse",
    isWhole: true,
  },
  {
    call: "GET /youtube/v3/captions",
    parameters: "Params$Resource$Captions$List",
    answer: "Schema$CaptionListResponse",
  },
  {
    call: "POST /upload/youtube/v3/captions",
    parameters: "Params$Resource$Captions$Insert",
    body: "Schema$Caption",
    answer: "Schema$Caption",
  },
  {
    call: "PUT /youtube/v3/videos",
    parameters: "Params$Resource$Videos$Update",
    body: "Schema$Video",
    answer: "Schema$Video",
  },
  { call: "DELETE /youtube/v3/videos", parameters: "Params$Resource$Videos$Delete", answer: null },
];
