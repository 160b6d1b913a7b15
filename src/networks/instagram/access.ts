// The app and the account that publishing needs: developers.facebook.com/documentation/instagram-platform; Joomline/slogin issue 112, read 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: "A Meta app of the type Business with the product Instagram, set up for API with Instagram Login. Its Instagram app id and secret, not those of the Meta app.",
    page: "https://developers.facebook.com/apps/",
    callback: "instagram",
    redirect:
      "An https address, listed exactly under Instagram, API setup with Instagram login, Business login settings.",
    permissions: {
      instagram_business_basic: "Tells which account consented, and reads its posts.",
      instagram_business_content_publish: "Publishes.",
    },
  },
  account:
    "A professional account (Business or Creator). Until the app is reviewed, an Instagram tester of the app that has accepted the invitation.",
  review:
    "Without App Review an app works for its own testers, whose posts are public. Accounts of other people need Advanced access to each permission.",
  limits: "50 posts in 24 hours for an account.",
  problems: {
    app_id: {
      missing: "The Instagram app id",
      sign: 'The consent ends on a page of Instagram: "Invalid platform app", or the exchange is refused with subcode 4476002.',
      fix: "Set `INSTAGRAM_CLIENT_ID` and `INSTAGRAM_CLIENT_SECRET` to the id and secret under the product Instagram.",
    },
    permission: {
      missing: "A permission that the app has",
      sign: "The consent ends with `Invalid scope`.",
      fix: "Add the permission to the app, or set `INSTAGRAM_SCOPES` to what it has.",
    },
    professional_account: {
      missing: "A professional account",
      sign: "Connecting is refused, because the account is a personal one.",
      fix: "Switch to a professional account in the Instagram app, then connect again.",
    },
    tester: {
      missing: "The role of a tester",
      sign: 'The consent ends on a page of Instagram: "Insufficient developer role".',
      fix: "Add the account under App roles, Instagram testers, and accept the invitation in Instagram's settings, Website permissions.",
    },
  },
} satisfies AccessRule;
