// The app and the account that publishing needs: learn.microsoft.com/linkedin/shared/authentication; postiz-app pull requests 1658 and 2058, read 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: {
    kind: 'For members: an app with the products "Share on LinkedIn" and "Sign In with LinkedIn using OpenID Connect". For pages: an app with "Community Management API" as its only product.',
    page: "https://www.linkedin.com/developers/apps",
    callback: "linkedin",
    redirect: "Listed exactly under Auth, Authorized redirect URLs.",
    permissions: {
      openid: "Tells which member consented (product Sign In).",
      profile: "Tells the member's name (product Sign In).",
      w_member_social: "Publishes as the member (product Share).",
      r_basicprofile: "Tells which member consented (Community Management).",
      w_organization_social: "Publishes as a page.",
      r_organization_social: "Looks for a page's post whose answer was lost, rechecks it and reads its figures.",
      rw_organization_admin: "Lists the pages to choose from.",
    },
  },
  account: "A member; for pages, one with the role of an administrator or content administrator.",
  review:
    "None for members. Community Management API needs an application by a registered company, and has a Development tier before that.",
  limits:
    // learn.microsoft.com/linkedin/shared/api-guide/concepts/rate-limits, read 2026-11-24: "Standard rate limits are not published".
    "An app that is open to everybody gets no refresh token: a channel is connected again every 60 days. LinkedIn publishes no numbers for its limits of calls; your app's are on its Analytics tab.",
  problems: {
    products: {
      missing: "A product that the app has",
      sign: "The consent ends with `scope_refused`: LinkedIn answers `unauthorized_scope_error` for the whole consent.",
      fix: "Add the product, or set `LINKEDIN_SCOPES` to what the app has; for pages `r_basicprofile w_organization_social r_organization_social rw_organization_admin`.",
    },
    page_role: {
      missing: "The role on the page",
      sign: "A post fails with `permission_missing`.",
      fix: "Let the page give the member the role of a content administrator, then connect again.",
    },
    refresh_token: {
      missing: "A refresh token",
      sign: "The channel ends after 60 days with `token_expired`.",
      fix: "Connect the channel again; Crier announces the day a week and a day before.",
    },
  },
} satisfies AccessRule;
