// The app and the account that publishing needs. Unless a fact names another source: developers.tiktok.com/doc,
// content-posting-api-get-started and content-sharing-guidelines (5 users, SELF_ONLY, 5 drafts), read 2026-11-26.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: "An app with the products Login Kit for Web and Content Posting API, with Direct Post enabled.",
    page: "https://developers.tiktok.com/apps/",
    callback: "tt",
    // The portal's refusal: brightbeanxyz/brightbean-studio, README, read 2026-11-24.
    redirect:
      "An https address, registered exactly under Login Kit, Redirect URI. The portal refuses some addresses with its own name in them, so this one does not contain it.",
    permissions: {
      "user.info.basic": "Identifies the account that gave consent.",
      "video.publish":
        "Publishes posts and reads their status. `video.upload` instead is enough if you only send drafts.",
    },
  },
  account: "Any account. Until the app is audited, the account must be private.",
  review:
    "An app that has not passed the audit can post for 5 users in 24 hours, to private accounts, with `privacy_level: SELF_ONLY`. With the scope `video.upload`, it can send drafts to the inbox of any account, with `post_mode: inbox`. The audit rejects tools that serve only your own accounts.",
  // "Typically around 15", "shared across all API Clients": content-sharing-guidelines, read 2026-11-26.
  limits:
    "About 15 posts in 24 hours per account, across all apps, and 5 pending drafts in its inbox. Posts beyond these limits are retried for up to a day.",
  problems: {
    audit: {
      missing: "A passed audit",
      sign: "A post fails with `permission_missing`: `unaudited_client_can_only_post_to_private_accounts`.",
      fix: "Until the app passes TikTok's audit, set `post_mode: inbox`, which needs the scope `video.upload`, or make the account private and post with `privacy_level: SELF_ONLY`.",
    },
    user_cap: {
      missing: "Capacity for another user",
      sign: "A post is held back with `network_quota`: `reached_active_user_cap`.",
      fix: "Wait a day, or have the app audited. Without an audit, 5 users can post in 24 hours.",
    },
    pending_drafts: {
      missing: "Room in the inbox",
      sign: "A draft is held back with `network_quota`: `spam_risk_too_many_pending_share`.",
      fix: "Publish or discard the drafts in the app's inbox: TikTok accepts 5 in 24 hours. Crier retries the delivery until a day after its time.",
    },
    verified_domain: {
      missing: "A verified domain for photos",
      sign: "Photos fail with `permission_missing`: `url_ownership_unverified`.",
      fix: "Verify the address prefix of Crier's files for the app, under URL properties, then retry the delivery.",
    },
    scope: {
      missing: "A scope granted to the app",
      sign: 'The consent ends on a page of TikTok: "Something went wrong", `scope`.',
      fix: "Add the scope to the app, or set `TIKTOK_SCOPES` to what it has.",
    },
  },
} satisfies AccessRule;
