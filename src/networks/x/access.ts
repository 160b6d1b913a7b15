// The app and the account that publishing needs. The source, unless a comment names another, is docs.x.com:
// fundamentals/developer-apps and getting-started/pricing, read 2026-11-26.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: 'An app of the type "Web App, Automated App or Bot" (a confidential client) with OAuth 2.0 and "Read and write"; its owner has bought credits.',
    page: "https://console.x.com",
    callback: "x",
    redirect: "Registered exactly under User authentication settings, Callback URI.",
    permissions: {
      "tweet.read": "Finds a post whose answer was lost, and rechecks it.",
      "tweet.write": "Publishes posts and takes them down.",
      "users.read": "Identifies the account that gave consent.",
      "media.write": "Uploads images and videos.",
    },
  },
  account: "Any account that is not locked.",
  review: "None. The app owner's credits pay for each call.",
  // The source of the second limit: gitroomhq/postiz-app pull request 2040, read 2026-11-24.
  limits: "No posts without credits. A new account may not mention crypto addresses in its first 7 days.",
  problems: {
    // xdevplatform/xurl issue 27, read 2026-11-24.
    app_type: {
      missing: "OAuth 2.0 in the app, or the redirect address",
      sign: 'The consent ends on a page of X: "You weren\'t able to give access to the App."',
      fix: "Set up User authentication with the type Web App and the exact redirect address.",
    },
    credits: {
      missing: "Credits",
      sign: "A post is held back with `network_billing` (402).",
      fix: "Buy credits in the Developer Console. Crier retries the delivery.",
    },
    // gitroomhq/postiz-app pull request 2040, read 2026-11-24.
    unlocked_account: {
      missing: "An account that is not locked",
      sign: 'A post fails with `permission_missing`: "Your account is temporarily locked".',
      fix: "Sign in at x.com and unlock the account, then retry the delivery.",
    },
  },
} satisfies AccessRule;
