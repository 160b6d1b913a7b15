// The app and the account that publishing needs. Unless a fact names another source: developers.google.com/youtube/v3, guides
// (auth/server-side-web-apps) and docs (channels, videos, thumbnails), read 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: 'A Google Cloud project with the YouTube Data API v3 enabled, an OAuth client of the type Web application, and a published consent screen ("In production").',
    page: "https://console.cloud.google.com/apis/credentials",
    callback: "youtube",
    redirect: "Registered exactly under Authorized redirect URIs.",
    permissions: {
      "https://www.googleapis.com/auth/youtube.upload": "Uploads videos.",
      "https://www.googleapis.com/auth/youtube": "Instead of the others: manages the channel's videos.",
      "https://www.googleapis.com/auth/youtube.force-ssl":
        "Instead of the others: also takes videos down, comments, and adds captions and videos to playlists.",
      "https://www.googleapis.com/auth/youtube.readonly":
        "Identifies the channel that gave consent, finds a video whose answer was lost, and rechecks it.",
    },
  },
  account:
    "A Google account with a YouTube channel. Videos over 15 minutes and custom thumbnails need a verified phone number.",
  // Private until the audit: docs/videos/insert, for projects since 2020-07-28. 100 accounts before the consent screen is verified:
  // mkpoli/gmail-mcp release 0.2.1. Both read 2026-11-26.
  review:
    "Videos of a project that has not passed the compliance audit stay private. Until the consent screen is verified, Google shows a warning, and at most 100 people can consent.",
  // 100 uploads: determine_quota_cost and revision history, read 2026-11-25. 7 days: developers.google.com/identity/protocols/oauth2#expiration, as
  // developers.google.com/nest/device-access/reference/errors/authorization repeats it with the list of test users, read 2026-11-26.
  limits:
    "100 uploads a day for each project. YouTube also limits how many videos a channel can upload in 24 hours, without saying how many; videos beyond that are retried for up to a day. While the consent screen is in Testing, a refresh token ends after 7 days, and only listed test users can consent.",
  problems: {
    audit: {
      missing: "A passed compliance audit",
      sign: "A video is `live` and stays private, even with `privacy: public`.",
      fix: "Request the audit with YouTube's form for API services, then publish the video again: older videos stay locked.",
    },
    production: {
      missing: "A consent screen in production",
      sign: 'The consent ends with "Error 403: access_denied", or the channel loses access after 7 days with `token_expired` (`token_revoked` if you sent its tokens to the API).',
      fix: "Publish the app under OAuth consent screen, Audience, then connect the channel again.",
    },
    // Google's page as users quote it (permissions.test.ts), read 2026-11-24.
    scope: {
      missing: "A registered scope",
      sign: 'The consent ends with "Error 403: restricted_client", "Unregistered scope(s) in the request".',
      fix: "Register the scope under OAuth consent screen, Data access, or set `YOUTUBE_SCOPES` to what is registered.",
    },
    channel: {
      missing: "A YouTube channel",
      sign: 'Connecting is refused: "This Google account has no YouTube channel."',
      fix: "Create a channel at youtube.com, then connect again.",
    },
    // `accessNotConfigured`: youtube/v3/docs/errors, read 2026-11-20.
    api: {
      missing: "The YouTube Data API, enabled",
      sign: "Connecting or a post is refused; Google says `accessNotConfigured`.",
      fix: "Enable the YouTube Data API v3 in the project.",
    },
  },
} satisfies AccessRule;
