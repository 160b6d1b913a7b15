// The app and the account that publishing needs. Unless a fact names another source: developers.tiktok.com/doc,
// content-posting-api-get-started and content-sharing-guidelines (5 users, SELF_ONLY, 5 drafts), read 2026-11-26.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: "An app with the products Login Kit for Web and Content Posting API, with Direct Post switched on.",
    page: "https://developers.tiktok.com/apps/",
    callback: "tt",
    // The portal's refusal: brightbeanxyz/brightbean-studio, README, read 2026-11-24.
    redirect:
      "An https address, listed exactly under Login Kit, Redirect URI. The portal refuses some addresses with its own name in it, so this one has none.",
    permissions: {
      "user.info.basic": "Tells which account consented.",
      "video.publish":
        "Publishes, and asks what became of a post. `video.upload` in its place is enough for drafts alone.",
    },
  },
  account: "Any account. Until the app is audited, one that is set to private.",
  review:
    "An app that has not passed the audit posts for 5 users in 24 hours, to private accounts, with `privacy_level: SELF_ONLY`. With the scope `video.upload` it may send drafts to the inbox of any account, with `post_mode: inbox`. The audit refuses tools for accounts of one's own.",
  // "Typically around 15", "shared across all API Clients": content-sharing-guidelines, read 2026-11-26.
  limits:
    "About 15 posts in 24 hours for an account, of all apps together, and 5 drafts that wait in its inbox. What comes beyond that waits for up to a day.",
  problems: {
    audit: {
      missing: "The audit",
      sign: "A post fails with `permission_missing`: `unaudited_client_can_only_post_to_private_accounts`.",
      fix: "Until the app has passed TikTok's audit, set `post_mode: inbox`, which needs the scope `video.upload`; or set the account to private and post with `privacy_level: SELF_ONLY`.",
    },
    user_cap: {
      missing: "Room for one more user",
      sign: "A post waits with `network_quota`: `reached_active_user_cap`.",
      fix: "Wait a day, or have the app audited: without it 5 users may post in 24 hours.",
    },
    pending_drafts: {
      missing: "Room in the inbox",
      sign: "A draft waits with `network_quota`: `spam_risk_too_many_pending_share`.",
      fix: "Publish or discard drafts that wait in the app's inbox: TikTok takes 5 in 24 hours. The delivery is tried again until a day after its time.",
    },
    verified_domain: {
      missing: "A verified domain for photos",
      sign: "Photos fail with `permission_missing`: `url_ownership_unverified`.",
      fix: "Verify the address prefix of Crier's files for the app, under URL properties, then retry the delivery.",
    },
    scope: {
      missing: "A scope that the app has",
      sign: 'The consent ends on a page of TikTok: "Something went wrong", `scope`.',
      fix: "Add the scope to the app, or set `TIKTOK_SCOPES` to what it has.",
    },
  },
} satisfies AccessRule;
