// The app and the account that publishing needs. The source, unless a comment names another, is
// developers.facebook.com/documentation/pages-api (permissions, tasks of a Page), read 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    // The use case: documentation/development/create-an-app of 2025-09-16, read 2026-11-26.
    kind: 'A Meta app of the type Business with the use case "Manage everything on your Page" (Facebook Login), in Live mode.',
    page: "https://developers.facebook.com/apps/",
    callback: "facebook",
    redirect: "An https address, registered exactly under Facebook Login, Settings, Valid OAuth Redirect URIs.",
    permissions: {
      pages_show_list: "Lists the Pages to choose from.",
      pages_read_engagement: "Finds a post whose answer was lost, and rechecks it.",
      pages_manage_posts: "Publishes posts and takes them down.",
    },
  },
  account:
    "A person with full access to the Page, or with its task Content. Posts go to the Page; personal profiles have no API.",
  // Access levels and modes: documentation/development/build-and-test/app-modes of 2025-05-05, read 2026-11-26.
  review:
    "Without App Review, an app works for people who have a role in it. Other people's Pages need Advanced access to each permission.",
  // Reels: documentation/video-api/guides/reels-publishing of 2026-07-30, read 2026-11-26.
  limits:
    "30 reels in 24 hours for each Page; reels beyond that are retried for up to a day. In Development mode, only people with a role in the app can see its posts, although every answer says that they are live.",
  problems: {
    // The same page: content that was made in that mode becomes visible to everyone once the app is live; jprjr/multistreamer
    // issue 40 reports that for posts on a Page. Before that everything looks live: searlsco/posse_party issue 25. Both read
    // 2026-11-26.
    live_mode: {
      missing: "Live mode",
      sign: "A post is `live` and visible to people with a role in the app, but everyone else sees that the content is not available.",
      fix: "Switch the app to Live mode, which requires a privacy policy address, and check the post while signed out. Do not publish it again: older posts become visible to everyone.",
    },
    // The wording of the page: gitroomhq/postiz-app pull request 1199, read 2026-11-24.
    permission: {
      missing: "A permission granted to the app",
      sign: 'The consent ends on a page of Facebook: "Invalid Scopes".',
      fix: "Add the permission to the use case, or set `FACEBOOK_SCOPES` to what the app has.",
    },
    page_role: {
      missing: "A role on the Page",
      sign: "A post fails with `permission_missing`.",
      fix: "Give the person the task Content on the Page, then connect the channel again.",
    },
    // gitroomhq/postiz-app pull request 2045, read 2026-11-24.
    sign_in_at_facebook: {
      missing: "A sign-in that Facebook requires",
      sign: "A post fails with `permission_missing` (190, subcode 459 or 464).",
      fix: "Log in at facebook.com once and check your role on the Page, then retry the delivery.",
    },
  },
} satisfies AccessRule;
