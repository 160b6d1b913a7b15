// The dashboard's addresses. Signed-in users get the app's single page at each of them.
import type { Hono, MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { PRELOAD } from "../identity/files.ts";
import type { Settings } from "../settings.ts";
import type { HttpEnv } from "./mount.ts";
import { SIGN_IN_PATH } from "./return-to.ts";
import { readSessionCookie } from "./session-cookie.ts";
import { readTheme } from "./theme.ts";

/** Any other path is not the dashboard: a missing file is a 404, not this page. */
const ADDRESSES = [
  "/compose",
  "/calendar",
  "/posts",
  "/posts/:id",
  "/channels",
  "/slots",
  "/approvals",
  "/media",
  "/activity",
  "/analytics",
  "/import",
  "/settings/:part",
];

/** The calls that the app makes first at an address, whatever the workspace. The browser begins them before the app has arrived. */
const listFirstReads = (path: string): string[] => [
  "/v1/auth/me",
  ...(path === "/compose" || path === "/channels" ? ["/v1/platforms"] : []),
];
/** With `crossorigin`, the preload counts as the same request as a `fetch` of the app. */
const preloadRead = (address: string): string => `<${address}>; rel=preload; as=fetch; crossorigin`;

export function mountDashboard(app: Hono<HttpEnv>): void {
  const answer: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const { settings } = c.var.ctx;
    const requestUrl = new URL(c.req.url);
    const address = `${requestUrl.pathname}${requestUrl.search}`;
    if (readSessionCookie(c, settings.baseUrl) === null) {
      return c.redirect(`${SIGN_IN_PATH}?continue=${encodeURIComponent(address)}`);
    }
    if (c.env.ASSETS === undefined) return next();
    const page = await c.env.ASSETS.fetch(new URL("/index.html", requestUrl));
    if (!page.ok) return next();
    await buildPolicy(settings)(c, async () => {});
    // The page changes with every release, which also renames its files.
    c.header("Cache-Control", "no-cache");
    c.header("Link", [PRELOAD, ...listFirstReads(requestUrl.pathname).map(preloadRead)].join(", "));
    const theme = readTheme(c);
    const text = await page.text();
    return c.html(theme === null ? text : text.replace("<html", `<html data-theme="${theme}"`));
  };
  for (const path of ADDRESSES) app.get(path, answer);
  // Only a local run has this page.
  app.get("/gallery", async (c, next) => {
    const page = await c.env.ASSETS?.fetch(new URL("/gallery.html", c.req.url));
    if (page?.ok !== true) return next();
    await buildPolicy(c.var.ctx.settings)(c, async () => {});
    return c.html(await page.text());
  });
  // Signed-out users get a separate page at this address, and programs get the usual answer.
  app.get("/", (c, next) => {
    const asksForPage = c.req.header("accept")?.includes("text/html") === true;
    const isSignedIn = readSessionCookie(c, c.var.ctx.settings.baseUrl) !== null;
    return asksForPage && isSignedIn ? answer(c, next) : next();
  });
}

/** Allows the dashboard's own files and calls, the files of posts, and the upload host. */
function buildPolicy({ bucket }: Settings) {
  const media = bucket === null ? [] : [new URL(bucket.mediaUrl).origin];
  const uploads = bucket === null ? [] : [new URL(bucket.endpoint).origin];
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      fontSrc: ["'self'"],
      connectSrc: ["'self'", ...uploads],
      imgSrc: ["'self'", "blob:", ...media],
      mediaSrc: ["'self'", "blob:", ...media],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
    // The Worker already adds this header to every answer where it applies, with a longer lifetime.
    strictTransportSecurity: false,
    referrerPolicy: "same-origin",
    crossOriginOpenerPolicy: "same-origin",
  });
}
