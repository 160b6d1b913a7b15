// The app and the account that publishing needs. Unless a fact names another source:
// developers.facebook.com/documentation/instagram-platform, overview and instagram-api-with-instagram-login, read 2026-11-24.
import type { AccessRule, PermissionRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: "A Meta app of the type Business with the product Instagram, set up for the API with Instagram Login. Use its Instagram app id and secret, not those of the Meta app.",
    page: "https://developers.facebook.com/apps/",
    callback: "instagram",
    // instagram-api-with-instagram-login/business-login of 2026-03-13, read 2026-11-26.
    redirect:
      "An https address, registered exactly under Instagram, API setup with Instagram login, Business login settings.",
    permissions: {
      instagram_business_basic: "Identifies the account that gave consent, and reads its posts.",
      instagram_business_content_publish: "Publishes posts.",
    },
  },
  account:
    "A professional account (Business or Creator). Until the app is reviewed, the account must be an Instagram tester of the app and have accepted the invitation.",
  review:
    "Without App Review, an app works for its own testers, whose posts are public. Other accounts need Advanced access to each permission.",
  // 100: content-publishing of 2026-09-28. 50: the reference of content_publishing_limit (`quota_total`). Both read 2026-11-26.
  limits:
    "50 or 100 posts in 24 hours per account; two of Meta's pages disagree. Crier reads from the account how many are left.",
  problems: {
    // "Invalid platform app": docs.unified.to, skills/instagram-oauth-app. 4476002 with the Meta app's id: seen in code for Threads
    // (threads/access.ts). Both read 2026-11-26.
    app_id: {
      missing: "The Instagram app id",
      sign: 'The consent ends on a page of Instagram: "Invalid platform app", or the exchange is refused with subcode 4476002.',
      fix: "Set `INSTAGRAM_CLIENT_ID` and `INSTAGRAM_CLIENT_SECRET` to the id and secret under the product Instagram.",
    },
    // Joomline/slogin issue 112, read 2026-11-24.
    permission: {
      missing: "A permission granted to the app",
      sign: "The consent ends with `Invalid scope`.",
      fix: "Add the permission to the app, or set `INSTAGRAM_SCOPES` to what it has.",
    },
    professional_account: {
      missing: "A professional account",
      sign: "Connecting is refused because the account is a personal account.",
      fix: "Switch to a professional account in the Instagram app, then connect the account again.",
    },
    // "Insufficient developer role": wearealloy/craft3-instagramFeed issue 1, read 2026-11-26.
    tester: {
      missing: "The tester role",
      sign: 'The consent ends on a page of Instagram: "Insufficient developer role".',
      fix: "Add the account under App roles, Instagram testers, and accept the invitation in Instagram's settings, Website permissions.",
    },
  },
} satisfies AccessRule;

/**
 * The four that publishing needs: overview of the content publishing guide. The others: reference of ig-media (comments,
 * deleting) and of its insights; `business_management` for people whose role on the Page comes from a business portfolio. All of
 * instagram-platform, read 2026-11-27, and in the lists of open-source publishers (Jaal-Yantra-Textiles/v2, postle.fr).
 */
export const FACEBOOK_PERMISSIONS: PermissionRule = {
  asked: [
    "instagram_basic",
    "instagram_content_publish",
    "pages_show_list",
    "pages_read_engagement",
    "instagram_manage_insights",
    "instagram_manage_comments",
    "instagram_manage_contents",
    "business_management",
  ],
  sufficient: [["instagram_basic", "instagram_content_publish", "pages_show_list", "pages_read_engagement"]],
  optional: {
    instagram_manage_insights: "Posts have no figures.",
    instagram_manage_comments: "First comments are not posted, and comments are not turned off.",
    instagram_manage_contents: "Posts are not taken down.",
    business_management: "Accounts of Pages that belong to a business portfolio may be missing.",
  },
};
