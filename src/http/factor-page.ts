// The second step of a sign-in in a browser: the person shows their second factor. What they proved before waits in a cookie.
import type { Hono, Context as HonoContext } from "hono";
import { deleteCookie, getCookie } from "hono/cookie";
import { html } from "hono/html";
import { looksLikeAppCode } from "../domain/factor.ts";
import { handlers } from "../operations/index.ts";
import { alertOf, FACTOR_COOKIE, NOTHING, type NotSignedIn, notDone } from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { notOurs, page, pagePolicy } from "./page.ts";
import { FACTOR_PATH, returnAddress, SIGN_IN_PATH } from "./return-to.ts";
import { cookieAttributes, cookieName, isSameOrigin } from "./session-cookie.ts";
import { giveCookies, sessionIn } from "./signed-in.ts";

type C = HonoContext<HttpEnv>;

export function mountFactorPage(app: Hono<HttpEnv>): void {
  // An application may have opened this window to be let in, and wait for it.
  const policy = pagePolicy({ forms: true, popup: true });

  app.get(FACTOR_PATH, policy, (c) => showFactor(c));
  app.post(FACTOR_PATH, policy, async (c) => {
    const { ctx } = c.var;
    const { baseUrl } = ctx.settings;
    if (!isSameOrigin(c.req.raw, baseUrl)) return notOurs(c);
    const typed = (await readFields(c.req.raw))("code").trim();
    const challenge = readChallenge(c) ?? "";
    const body = { challenge, ...(looksLikeAppCode(typed) ? { code: typed } : { recovery_code: typed }) };
    try {
      const reply = await handlers["accounts.sign-in-with-factor"].invoke(
        ctx,
        { kind: "nobody" },
        { ...NOTHING, body },
      );
      await giveCookies(c, ctx, sessionIn(reply.body));
    } catch (error) {
      return showFactor(c, notDone(error));
    }
    deleteCookie(c, cookieName(baseUrl, FACTOR_COOKIE), cookieAttributes(baseUrl));
    return c.redirect(returnAddress(c.req.query("continue")), 303);
  });
}

const readChallenge = (c: C) => getCookie(c, cookieName(c.var.ctx.settings.baseUrl, FACTOR_COOKIE));

function showFactor(c: C, failed: NotSignedIn | null = null) {
  const signIn = SIGN_IN_PATH + new URL(c.req.url).search;
  if (readChallenge(c) === undefined) return c.redirect(signIn, 303);
  return page(
    c,
    "Confirm that it is you",
    html`${alertOf(failed?.alert ?? null)}
      <form method="post">
        <label>Code <input name="code" inputmode="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false"
          required autofocus aria-describedby="code-note"></label>
        <p class="note" id="code-note">The six digits that your authenticator app shows, or one of your recovery codes.</p>
        <button>Sign in</button></form>
      <p class="ways"><a href="${signIn}">Sign in as somebody else</a></p>`,
    failed?.status ?? 200,
  );
}
