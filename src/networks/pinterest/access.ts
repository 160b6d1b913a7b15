// The app and the account that publishing needs. Unless a fact names another source:
// developers.pinterest.com/docs/getting-started and pinterest/api-description 5.23.0, read 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: "An app with Standard access. New apps have Trial access.",
    page: "https://developers.pinterest.com/apps/",
    callback: "pinterest",
    redirect: "Registered exactly under Redirect URIs.",
    permissions: {
      "boards:read": "Lists the boards to choose from.",
      "boards:write": "Publishes to a board.",
      "pins:read": "Finds a pin whose answer was lost, rechecks it and reads its figures.",
      "pins:write": "Publishes pins and takes them down.",
      "user_accounts:read": "Identifies the account that gave consent.",
    },
  },
  account: "Any account with a board. Business accounts have more figures.",
  // The refusal and the two most common reasons why access is denied: gitroomhq/postiz-app issue 1084, read 2026-11-26.
  review:
    "With Trial access, pins can be created only in Pinterest's sandbox. Standard access requires a video that shows the consent and the creation of a pin.",
  // "Visible only to creator": developers.pinterest.com/docs/key-concepts/access-tiers, read 2026-11-26.
  limits: "With Trial access, a pin is refused, or seen by its owner only.",
  problems: {
    standard_access: {
      missing: "Standard access",
      sign: "A pin is refused with `permission_missing` (403, code 29).",
      fix: "Request Standard access for the app at developers.pinterest.com, then retry the delivery.",
    },
    // pinterest/api-quickstart issue 48, read 2026-11-24.
    scopes: {
      missing: "A scope granted to the app",
      sign: 'The consent ends on a page of Pinterest: "Invalid scopes requested".',
      fix: "Set `PINTEREST_SCOPES` to scopes of API v5 only.",
    },
    board: {
      missing: "A board",
      sign: "A post is refused before it is sent: the option `board` is required.",
      fix: "Create a board on Pinterest, and select it.",
    },
  },
} satisfies AccessRule;
