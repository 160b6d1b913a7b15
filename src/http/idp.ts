// Browser sign-in through the provider. The first route redirects the browser to the provider, with a cookie. The second route
// takes the browser back, and gives it a session or an error.
import type { Hono, Context as HonoContext } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { type IdpError, STATE_LIFE_MS } from "../adapters/idp.ts";
import { errorText, log } from "../adapters/log.ts";
import { refuse } from "../domain/refusal.ts";
import { enterWithIdp } from "../operations/accounts/enter-with-idp.ts";
import { takeState } from "../operations/accounts/take-state.ts";
import { limitTries } from "../operations/rate-limit.ts";
import { forgetTimezone, keepTimezone, readKeptTimezone } from "./browser-timezone.ts";
import { askForFactor, readChallenge } from "./browser-user.ts";
import type { HttpEnv } from "./mount.ts";
import { forgetReturnTo, keepReturnTo, readReturnTo } from "./return-to.ts";
import { cookieAttributes, cookieName } from "./session-cookie.ts";
import { giveCookies } from "./signed-in.ts";

export function mountIdp(app: Hono<HttpEnv>): void {
  app.get("/v1/oauth/:idp/start", async (c) => {
    const idp = requireIdp(c);
    await limitTries(c.var.ctx, { address: "oauth_address" });
    const { baseUrl } = c.var.ctx.settings;
    try {
      const { url, cookie } = await idp.start();
      setCookie(c, cookieName(baseUrl, "oauth"), cookie, {
        ...cookieAttributes(baseUrl),
        maxAge: STATE_LIFE_MS / 1000,
      });
      keepReturnTo(c, baseUrl, c.req.query("continue"));
      keepTimezone(c, baseUrl, c.req.query("timezone"));
      return c.redirect(url, 302);
    } catch (error) {
      log("warn", "idp_unavailable", { error: errorText(error) });
      return back(c, "provider_unavailable");
    }
  });

  app.get("/v1/oauth/:idp/callback", async (c) => {
    const idp = requireIdp(c);
    const { ctx } = c.var;
    const { baseUrl, dashboardUrl } = ctx.settings;
    const cookie = getCookie(c, cookieName(baseUrl, "oauth")) ?? null;
    const entered = await idp.enter(new URL(c.req.url), cookie, (id, expiresAt) => takeState(ctx, id, expiresAt));
    if (entered.is === "refused") return back(c, entered.error);
    const { timezone = "UTC" } = readKeptTimezone(c, baseUrl);
    const returnTo = readReturnTo(c, baseUrl);
    let session: Awaited<ReturnType<typeof enterWithIdp>>;
    try {
      session = await enterWithIdp(ctx, entered.identity, timezone);
    } catch (error) {
      const challenge = readChallenge(error);
      if (challenge === null) throw error;
      forgetJourney(c, baseUrl);
      return askForFactor(c, challenge, returnTo ?? "/");
    }
    if (typeof session === "string") return back(c, session);
    forgetJourney(c, baseUrl);
    await giveCookies(c, ctx, session);
    return c.redirect(returnTo === null ? `${dashboardUrl}/` : `${baseUrl}${returnTo}`, 302);
  });
}

/** Clears the values that the browser kept while it was at the provider. */
function forgetJourney(c: HonoContext<HttpEnv>, baseUrl: string): void {
  deleteCookie(c, cookieName(baseUrl, "oauth"), cookieAttributes(baseUrl));
  forgetReturnTo(c, baseUrl);
  forgetTimezone(c, baseUrl);
}

function requireIdp(c: HonoContext<HttpEnv>) {
  const { idp } = c.var.ctx;
  if (idp === null) throw refuse("sign_in_not_configured");
  if (c.req.param("idp") !== idp.name) throw refuse("not_found");
  return idp;
}

/** Redirects to our own page with the error. Sets no cookie. */
function back(c: HonoContext<HttpEnv>, error: IdpError): Response {
  return c.redirect(`${c.var.ctx.settings.dashboardUrl}/auth?error=${error}`, 302);
}
