// The app and the account that publishing needs. Unless a fact names another source:
// developers.facebook.com/documentation/threads/get-started of 2026-06-30, read 2026-11-26.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: 'A Meta app with the use case "Access the Threads API". Use its Threads app id and secret, not those of the Meta app.',
    page: "https://developers.facebook.com/apps/",
    callback: "threads",
    // documentation/development/create-an-app/threads-use-case of 2025-09-09, read 2026-11-26.
    redirect:
      "An https address, registered exactly in the use case's settings, which also need an uninstall and a deletion address.",
    permissions: {
      threads_basic: "Identifies the account that gave consent, and reads its posts.",
      threads_content_publish: "Publishes posts.",
    },
  },
  account:
    "Any account. Until the app is reviewed, the account must be a Threads tester of the app and have accepted the invitation.",
  review:
    "Without App Review, an app works for its own testers, whose posts are public. Other accounts need Advanced access to each permission.",
  // documentation/threads/overview, read 2026-11-20.
  limits: "250 posts and 1,000 replies in 24 hours per account.",
  problems: {
    // 4476002: comments in public code that signs in to Threads with the Meta app's id by mistake, read 2026-11-26.
    app_id: {
      missing: "The Threads app id",
      sign: 'The consent ends on a page of Threads: "No app ID was sent with the request" (4476002), or the exchange is refused because of a wrong client secret.',
      fix: "Set `THREADS_CLIENT_ID` and `THREADS_CLIENT_SECRET` to the id and secret of the use case.",
    },
    permission: {
      missing: "A permission granted to the app",
      sign: "The consent ends on a page that names the invalid scope.",
      fix: "Add the permission to the use case, or set `THREADS_SCOPES` to what it has.",
    },
    // "The user has not accepted the invite to test the app": nango.dev/docs/api-integrations/threads, read 2026-11-26.
    tester: {
      missing: "The tester role",
      sign: "The consent ends on a page of Threads: the user has not accepted the invitation.",
      fix: "Add the account under App roles, Threads testers, and accept the invitation at threads.com, Settings, Account, Website permissions.",
    },
  },
} satisfies AccessRule;
