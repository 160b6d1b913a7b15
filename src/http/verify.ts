// The page behind a mailed link. It verifies an email address in a session of the account that the link belongs to.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { me } from "../operations/accounts/me.ts";
import { describeVerification } from "../operations/accounts/verify.ts";
import { handlers } from "../operations/index.ts";
import {
  type BrowserUser,
  NOTHING,
  type NotSignedIn,
  notDone,
  otherWays,
  readBrowserUser,
  renderAlert,
  signIn,
  signInForm,
} from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { notOurs, page, pagePolicy } from "./page.ts";
import { VERIFY_PATH } from "./return-to.ts";
import { isSameOrigin } from "./session-cookie.ts";

type C = HonoContext<HttpEnv>;
const TITLE = "Confirm your email address";

const readToken = (c: C) => c.req.query("token") ?? "";

export function mountVerify(app: Hono<HttpEnv>): void {
  const policy = pagePolicy({ forms: true });
  app.get(VERIFY_PATH, policy, async (c) => show(c));
  // Every step is a form at this same address, so each step checks the link and the session again.
  app.post(VERIFY_PATH, policy, async (c) => {
    if (!isSameOrigin(c.req.raw, c.var.ctx.settings.baseUrl)) return notOurs(c);
    const text = await readFields(c.req.raw);
    if (text("step") === "sign-in") {
      const body = { email: text("email"), password: text("password") };
      const returnTo = `${VERIFY_PATH}?token=${encodeURIComponent(readToken(c))}`;
      const outcome = await signIn(c, "accounts.sign-in", body, returnTo);
      return outcome instanceof Response ? outcome : show(c, outcome, body.email);
    }
    const user = await readBrowserUser(c);
    return user === null ? show(c) : confirm(c, user);
  });
}

async function confirm(c: C, { caller }: BrowserUser) {
  try {
    await handlers["accounts.verify"].invoke(c.var.ctx, caller, { ...NOTHING, body: { token: readToken(c) } });
  } catch (error) {
    return show(c, notDone(error));
  }
  return page(
    c,
    "Email address confirmed",
    html`<p>You can close this page or continue to Crier.</p><a class="button first" href="/">Open Crier</a>`,
  );
}

async function show(
  c: C,
  { alert, status }: NotSignedIn | { alert: null; status: 200 } = { alert: null, status: 200 },
  email = "",
) {
  const { ctx } = c.var;
  const link = await describeVerification(ctx, readToken(c));
  if (link === null) {
    return page(
      c,
      "This link does not work",
      html`<p>It has expired or was replaced by a newer one. <a href="/settings/account">Sign in to request a new link</a>.</p>`,
      410,
    );
  }
  const user = await readBrowserUser(c);
  if (user?.caller.userId === link.userId) {
    return page(
      c,
      TITLE,
      html`${renderAlert(alert)}<p>Is <strong>${link.email}</strong> yours?</p><form method="post"><button>Confirm</button></form>`,
      status,
    );
  }
  return page(
    c,
    TITLE,
    html`${await whoElse(c, user)}${renderAlert(alert)}${signInForm(email, [])}${otherWays(null)}`,
    status,
  );
}

/** Why the visitor is asked to sign in. */
async function whoElse(c: C, user: BrowserUser | null) {
  const { body } = user === null ? {} : await me(c.var.ctx, user.caller, NOTHING);
  return body === undefined
    ? html`<p>Sign in to the account that this link is for.</p>`
    : html`<p>You are signed in as ${body.user.email}. This link is for another account: sign in to that account.</p>`;
}
