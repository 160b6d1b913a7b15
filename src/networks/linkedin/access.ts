// The app and the account that publishing needs: learn.microsoft.com/linkedin/shared/authentication; postiz-app pull requests 1658 and 2058, read 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: 'For members: an app with the products "Share on LinkedIn" and "Sign In with LinkedIn using OpenID Connect". For pages: an app with "Community Management API" as its only product.',
    page: "https://www.linkedin.com/developers/apps",
    callback: "linkedin",
    redirect: "Registered exactly under Auth, Authorized redirect URLs.",
    permissions: {
      openid: "Identifies the member who gave consent (product Sign In).",
      profile: "Reads the member's name (product Sign In).",
      w_member_social: "Publishes posts as the member (product Share).",
      r_basicprofile: "Identifies the member who gave consent (Community Management).",
      w_organization_social: "Publishes posts as a page.",
      r_organization_social: "Finds a page's post whose answer was lost, rechecks it and reads its figures.",
      rw_organization_admin: "Lists the pages to choose from.",
    },
  },
  account: "A member. For pages, a member with the role administrator or content administrator.",
  review:
    "None for members. Community Management API requires an application by a registered company, and offers a Development tier until then.",
  limits:
    // learn.microsoft.com/linkedin/shared/api-guide/concepts/rate-limits, read 2026-11-24: "Standard rate limits are not published".
    "A self-serve app gets no refresh token, so each channel must be connected again every 60 days. LinkedIn does not publish its rate limits; your app's limits are on its Analytics tab.",
  problems: {
    products: {
      missing: "A product of the app",
      sign: "The consent ends with `scope_refused`: LinkedIn rejects the whole consent with unauthorized_scope_error.",
      fix: "Add the product, or set `LINKEDIN_SCOPES` to what the app has; for pages `r_basicprofile w_organization_social r_organization_social rw_organization_admin`.",
    },
    page_role: {
      missing: "The role on the page",
      sign: "A post fails with `permission_missing`.",
      fix: "Give the member the role content administrator on the page, then connect the channel again.",
    },
    refresh_token: {
      missing: "A refresh token",
      sign: "The channel loses access after 60 days with `token_expired`.",
      fix: "Connect the channel again. Crier sends reminders a week and a day before.",
    },
  },
} satisfies AccessRule;
