// The app and the account that publishing needs: developers.google.com/youtube/v3 (revision history, videos.insert) and Google's OAuth policies, read 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: 'A Google Cloud project with the YouTube Data API v3 enabled, an OAuth client of the type Web application, and a consent screen that is published ("In production").',
    page: "https://console.cloud.google.com/apis/credentials",
    callback: "youtube",
    redirect: "Listed exactly under Authorized redirect URIs.",
    permissions: {
      "https://www.googleapis.com/auth/youtube.upload": "Uploads videos.",
      "https://www.googleapis.com/auth/youtube": "In place of the others: manages the channel's videos.",
      "https://www.googleapis.com/auth/youtube.force-ssl":
        "In place of the others: takes down, comments and fills playlists too.",
      "https://www.googleapis.com/auth/youtube.readonly":
        "Tells which channel consented, looks for a video whose answer was lost, and rechecks it.",
    },
  },
  account:
    "A Google account with a YouTube channel. Videos over 15 minutes and own thumbnails need a verified phone number.",
  review:
    "Videos of a project that has not passed the compliance audit stay private. Until the consent screen is verified, people are warned, and 100 may consent.",
  limits:
    "100 uploads a day for each project. While the consent screen is in Testing, a refresh token ends after 7 days and only listed test users may consent.",
  problems: {
    audit: {
      missing: "The compliance audit",
      sign: "A video is `live` and stays private, even with `privacy: public`.",
      fix: "Request the audit with YouTube's form for API services, then publish again: older videos stay locked.",
    },
    production: {
      missing: "A consent screen in production",
      sign: 'The consent ends with "Error 403: access_denied", or the channel ends after 7 days with `token_revoked`.',
      fix: "Publish the app under OAuth consent screen, Audience, then connect the channel again.",
    },
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
    api: {
      missing: "The enabled API",
      sign: "Connecting or a post is refused; Google says `accessNotConfigured`.",
      fix: "Enable the YouTube Data API v3 in the project.",
    },
  },
} satisfies AccessRule;
