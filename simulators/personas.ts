// Apps and accounts with the peculiarities of real ones. The name selects a persona: `cm_only`, or `cm_only_` and any
// suffix.

export interface Persona {
  platform: string;
  name: string;
  /** `app`: by client id; `account`: by name, as in tokens and on the consent page. */
  of: "app" | "account" | "app or account";
  shows: string;
}

export const PERSONAS: readonly Persona[] = [
  {
    platform: "bluesky",
    name: "unconfirmed",
    of: "account",
    shows: "never confirmed its email address (`unconfirmed.bsky.social`): it may not upload videos",
  },
  {
    platform: "facebook",
    name: "smallest",
    of: "app",
    shows: "has only `pages_show_list`, `pages_read_engagement` and `pages_manage_posts`",
  },
  {
    platform: "facebook",
    name: "outage_100_33",
    of: "account",
    shows:
      "every single object is reported as missing (100/33) while its lists and `/me` answer, as in the outage of May 2026",
  },
  {
    platform: "facebook",
    name: "dev_mode",
    of: "account",
    shows:
      "is a Page whose app is in Development mode: every answer says that the post is live, and the ledger marks it as visible only to people with a role in the app",
  },
  {
    platform: "pinterest",
    name: "trial",
    of: "account",
    shows: "is connected by an app with trial access: its pins are refused (403, 29)",
  },
  ...[1, 235, 2787].map((code) => ({
    platform: "pinterest",
    name: `passing_${code}`,
    of: "account" as const,
    shows: `the first attempt of each pin is refused with code ${code}, and the second is accepted`,
  })),
  {
    platform: "x",
    name: "locked",
    of: "account",
    shows: "its posts are refused until its owner signs in at x.com (403)",
  },
  {
    platform: "x",
    name: "premium",
    of: "account",
    shows: "pays for X Premium: its posts may have 25,000 weighted characters, others 280",
  },
  {
    platform: "x",
    name: "guides_only",
    of: "account",
    shows: "knows the parameter `tweet.fields` of the guides and refuses `post.fields` (400)",
  },
  {
    platform: "pinterest",
    name: "smallest",
    of: "app",
    shows: "has the scopes of boards and pins and `user_accounts:read`, and may not ask for secret boards or ads",
  },
  {
    platform: "instagram",
    name: "smallest",
    of: "app",
    shows:
      "has the scopes that Crier requests, but not `instagram_business_manage_messages`; by Facebook Login, only the four that publishing needs",
  },
  ...["instagram", "threads"].map((platform) => ({
    platform,
    name: "meta_app",
    of: "app" as const,
    shows:
      "sends the id of the Meta app instead of the product's own: its consent ends on a page of the network, and an exchange is refused (4476002)",
  })),
  {
    platform: "instagram",
    name: "no_role",
    of: "account",
    shows: 'has no role in the app: its consent ends on a page of the network, "Insufficient developer role"',
  },
  {
    platform: "youtube",
    name: "smallest",
    of: "app",
    shows:
      "has registered only `youtube.upload`, `youtube.readonly` and `youtube.force-ssl`: other scopes are refused (`restricted_client`)",
  },
  {
    platform: "youtube",
    name: "api_off",
    of: "app or account",
    shows: "belongs to a project without the YouTube Data API: every call is refused (403, `accessNotConfigured`)",
  },
  {
    platform: "youtube",
    name: "testing",
    of: "app or account",
    shows: "belongs to an app in testing: a refresh token ends after 7 days (`invalid_grant`)",
  },
  {
    platform: "youtube",
    name: "capped",
    of: "account",
    shows: "may upload one video in any 24 hours: the next one is refused (400, `uploadLimitExceeded`)",
  },
  {
    platform: "x",
    name: "ignores_post_fields",
    of: "account",
    shows: "ignores `post.fields` and answers `tweet.fields` with the requested fields",
  },
  {
    platform: "threads",
    name: "smallest",
    of: "app",
    shows:
      "has only `threads_basic`, `threads_content_publish`, `threads_manage_replies` and `threads_manage_insights`",
  },
  {
    platform: "tiktok",
    name: "drafts",
    of: "app or account",
    shows: "has only `user.info.basic` and `video.upload`: it sends drafts to the inbox and publishes nothing",
  },
  {
    platform: "tiktok",
    name: "no_video_list",
    of: "app or account",
    shows: "has only `user.info.basic` and `video.publish`, like an app that passed no review for further scopes",
  },
  {
    platform: "tiktok",
    name: "unaudited",
    of: "account",
    shows: "is a public account of an app without the audit: every post is refused (403)",
  },
  {
    platform: "tiktok",
    name: "unaudited_private",
    of: "account",
    shows: "is a private account of such an app: posts with `SELF_ONLY` go out, others are refused (403)",
  },
  {
    platform: "linkedin",
    name: "cm_only",
    of: "app or account",
    shows: "has only the product Community Management: `r_basicprofile` and `/v2/me`, no `openid`",
  },
  {
    platform: "linkedin",
    name: "advertising",
    of: "app",
    shows: "has Share, Sign In and Advertising API: `openid` and the scopes of pages on one app",
  },
  {
    platform: "linkedin",
    name: "fresh_token",
    of: "account",
    shows: "each new access token is refused for 5 seconds as revoked (401, 65601)",
  },
];

/** Whether an app or an account with this name has a persona. In a handle, a dot or a hyphen follows the persona. */
export const hasPersona = (name: string, persona: string): boolean =>
  name === persona || ["_", "-", "."].some((separator) => name.startsWith(`${persona}${separator}`));
