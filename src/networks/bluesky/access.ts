// The app and the account that publishing needs. Unless a fact names another source: docs.bsky.app, get-started, read
// 2026-11-24.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: null,
  account:
    "Any account. Its owner signs in at the account's server, or creates an app password: Settings, Privacy and security, App passwords. Videos need a confirmed email address.",
  review: "None. Posts are public at once.",
  // app.bsky.video.getUploadLimits, lexicon of bluesky-social/atproto, read 2026-11-24.
  limits: "The video service tells the account before each video how many it accepts per day.",
  problems: {
    app_password: {
      missing: "A valid app password, or the full handle",
      sign: 'Connecting is refused: "The network does not know this identifier with this app password."',
      fix: "Create a new app password, and enter the handle with its domain, such as `ada.bsky.social`.",
    },
    // atproto.com/specs/oauth, "Client ID Metadata Document", read 2026-11-27.
    public_address: {
      missing: "A public https address (`BASE_URL`) for the sign-in in the browser",
      sign: "The sign-in does not start: the account's server does not accept Crier's request.",
      fix: "Make `BASE_URL/oauth-client-metadata.json` readable for everybody, or use an app password.",
    },
    // bluesky-social/atproto issue 3097, read 2026-11-24.
    email: {
      missing: "A confirmed email address",
      sign: "A video fails with `permission_missing`; the network says `unconfirmed_email`.",
      fix: "Confirm the address in Bluesky's settings, then retry the delivery.",
    },
  },
} satisfies AccessRule;
