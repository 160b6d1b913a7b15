// A live check as an OAuth client without an installation: servers accept a client on the person's own machine by its
// address alone (atproto.com/specs/oauth, "Localhost Client Development", read 2026-11-27).
import type { OAuthClient } from "../../src/networks/network.ts";

/** Where the person lands. Nothing listens there: the address that the browser shows is enough. */
export const LOOPBACK_REDIRECT = "http://127.0.0.1/callback";

/** A public client, which has no key. */
export const makeLoopbackClient = (permissions: readonly string[]): OAuthClient => ({
  id: `http://localhost?${new URLSearchParams({ redirect_uri: LOOPBACK_REDIRECT, scope: permissions.join(" ") })}`,
  getActiveKey: async () => null,
  assert: async () => null,
});
