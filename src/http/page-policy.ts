// What a page of ours may load: its own style and script, named by a nonce, and nothing from anywhere else.
import type { Context as HonoContext } from "hono";
import { secureHeaders } from "hono/secure-headers";

export const pagePolicy = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [(c) => `'nonce-${nonceOf(c)}'`],
    scriptSrc: [(c) => `'nonce-${nonceOf(c)}'`],
    connectSrc: ["'self'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
  // The address of a page may hold a link's token: it goes to nobody.
  referrerPolicy: "no-referrer",
});

/** One per answer; the request id is random enough, and already there. */
export function nonceOf(c: HonoContext): string {
  return String(c.get("requestId"));
}
