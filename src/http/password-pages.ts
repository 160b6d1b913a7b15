// Resetting a forgotten password in a browser: the page that requests a link, and the page that the link opens.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../domain/limits.ts";
import { handlers } from "../operations/index.ts";
import { NOTHING, type NotSignedIn, notDone, renderAlert, signIn } from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { notOurs, page, pagePolicy } from "./page.ts";
import { SIGN_IN_PATH } from "./return-to.ts";
import { isSameOrigin } from "./session-cookie.ts";

type C = HonoContext<HttpEnv>;

const FORGOT_PATH = `${SIGN_IN_PATH}/forgot`;
const RESET_PATH = `${SIGN_IN_PATH}/reset`;

export function mountPasswordPages(app: Hono<HttpEnv>): void {
  const policy = pagePolicy({ forms: true });

  app.get(FORGOT_PATH, policy, (c) => showForgot(c));
  app.post(FORGOT_PATH, policy, async (c) => {
    if (!isSameOrigin(c.req.raw, c.var.ctx.settings.baseUrl)) return notOurs(c);
    const email = (await readFields(c.req.raw))("email");
    try {
      await handlers["accounts.forgot"].invoke(c.var.ctx, { kind: "nobody" }, { ...NOTHING, body: { email } });
    } catch (error) {
      return showForgot(c, notDone(error), email);
    }
    return page(
      c,
      "Check your email",
      html`<p>If there is an account for ${email}, a link to set a new password is on its way. The link works for one hour.</p>
        <p class="ways"><a href="${SIGN_IN_PATH}">Sign in</a></p>`,
    );
  });

  app.get(RESET_PATH, policy, (c) => showReset(c));
  app.post(RESET_PATH, policy, async (c) => {
    if (!isSameOrigin(c.req.raw, c.var.ctx.settings.baseUrl)) return notOurs(c);
    const password = (await readFields(c.req.raw))("password");
    const outcome = await signIn(c, "accounts.reset", { token: c.req.query("token") ?? "", password }, "/");
    return outcome instanceof Response ? outcome : showReset(c, outcome);
  });
}

function showForgot(c: C, failed: NotSignedIn | null = null, email = "") {
  return page(
    c,
    "Forgot your password?",
    html`${renderAlert(failed?.alert ?? null)}
      <form method="post"><label>Email <input type="email" name="email" value="${email}" autocomplete="username" required></label>
        <button>Send a link</button></form>
      <p class="ways"><a href="${SIGN_IN_PATH}">Sign in</a></p>`,
    failed?.status ?? 200,
  );
}

function showReset(c: C, failed: NotSignedIn | null = null) {
  return page(
    c,
    "Set a new password",
    html`${renderAlert(failed?.alert ?? null)}
      <form method="post"><label>New password <input type="password" name="password" autocomplete="new-password"
        minlength="${PASSWORD_LENGTH_MIN}" maxlength="${PASSWORD_LENGTH_MAX}" required></label>
        <button>Set password</button></form>
      <p class="ways"><a href="${FORGOT_PATH}">Request another link</a></p>`,
    failed?.status ?? 200,
  );
}
