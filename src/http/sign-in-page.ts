// The pages for signing in, signing up and signing out in a browser. They work without scripts.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import type { IdpError } from "../adapters/idp.ts";
import { NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../domain/limits.ts";
import { me } from "../operations/accounts/me.ts";
import { readTimezone, timezoneField, timezoneScript } from "./browser-timezone.ts";
import {
  makeConsentToken,
  NOTHING,
  type NotSignedIn,
  otherWays,
  providersFor,
  readBrowserUser,
  renderAlert,
  signedInAs,
  signIn,
  signInForm,
  signOut,
  takesAnybody,
} from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { notOurs, page, pagePolicy } from "./page.ts";
import { returnAddress, SIGN_IN_PATH, SIGN_UP_PATH } from "./return-to.ts";
import { isSameOrigin } from "./session-cookie.ts";
import { unsentTextsScript } from "./unsent-texts.ts";

type C = HonoContext<HttpEnv>;

const REASONS: Record<IdpError, string> = {
  state_invalid: "The sign-in took too long or was started in another browser. Start again.",
  provider_refused: "The provider did not confirm who you are. Try again.",
  provider_unavailable: "The provider did not answer. Try again in a moment.",
  identity_changed:
    "A different account at the provider is already linked to this email address. Sign in with your password instead.",
  sign_up_closed: "New accounts need an invitation. Ask a member to invite you.",
  email_not_verified: "The provider has not verified your email address. Verify it there, then try again.",
};
const isReason = (text: string): text is IdpError => Object.hasOwn(REASONS, text);

export function mountSignIn(app: Hono<HttpEnv>): void {
  const policy = pagePolicy({ forms: true });

  app.get(SIGN_IN_PATH, policy, (c) => showSignIn(c));
  app.post(SIGN_IN_PATH, policy, async (c) => {
    if (!isSameOrigin(c.req.raw, c.var.ctx.settings.baseUrl)) return notOurs(c);
    const text = await readFields(c.req.raw);
    if (text("step") === "switch") return leave(c, text("consent"));
    const email = text("email");
    const outcome = await signIn(c, "accounts.sign-in", { email, password: text("password") }, getReturnAddress(c));
    return outcome instanceof Response ? outcome : showSignIn(c, outcome, email);
  });

  app.get(SIGN_UP_PATH, policy, async (c) => ((await takesAnybody(c)) ? showSignUp(c) : byInvitation(c)));
  app.post(SIGN_UP_PATH, policy, async (c) => {
    if (!isSameOrigin(c.req.raw, c.var.ctx.settings.baseUrl)) return notOurs(c);
    const text = await readFields(c.req.raw);
    const optional = (name: string) => (text(name) === "" ? {} : { [name]: text(name) });
    const body = {
      email: text("email"),
      password: text("password"),
      ...optional("name"),
      ...optional("workspace"),
      ...readTimezone(text("timezone")),
    };
    const outcome = await signIn(c, "accounts.sign-up", body, getReturnAddress(c));
    return outcome instanceof Response ? outcome : showSignUp(c, outcome, text);
  });
}

/** The address of another page with the same query, so that it leads to the same destination. */
const beside = (c: C, path: string) => path + new URL(c.req.url).search;
const getReturnAddress = (c: C) => returnAddress(c.req.query("continue"));

/** Signs the user out. Only our own page in this session may do that. */
async function leave(c: C, consent: string): Promise<Response> {
  const user = await readBrowserUser(c);
  if (user !== null && consent !== (await makeConsentToken(c, user))) return notOurs(c);
  if (user !== null) await signOut(c, user);
  return c.redirect(beside(c, SIGN_IN_PATH), 303);
}

async function showSignIn(c: C, failed: NotSignedIn | null = null, email = ""): Promise<Response> {
  const user = failed === null ? await readBrowserUser(c) : null;
  const profile = user === null ? undefined : (await me(c.var.ctx, user.caller, NOTHING)).body?.user;
  if (user !== null && profile !== undefined) {
    const hidden = html`<input type="hidden" name="consent" value="${await makeConsentToken(c, user)}">`;
    return page(
      c,
      "Signed in",
      html`<p><a class="button first" href="${getReturnAddress(c)}">Continue</a></p>${signedInAs(profile.email, hidden)}${unsentTextsScript(c)}`,
    );
  }
  const error = c.req.query("error") ?? "";
  const alert = failed?.alert ?? (isReason(error) ? REASONS[error] : null);
  const providers = await providersFor(c, getReturnAddress(c));
  const signUp = (await takesAnybody(c)) ? beside(c, SIGN_UP_PATH) : null;
  return page(
    c,
    "Sign in",
    html`${renderAlert(alert)}${signInForm(email, providers)}${otherWays(signUp)}${timezoneScript(c)}`,
    failed?.status ?? 200,
  );
}

/** Explains that sign-up needs an invitation. The link in an invitation leads to a page of its own for signing up. */
const byInvitation = (c: C) =>
  page(
    c,
    "Sign up by invitation",
    html`<p>New accounts need an invitation. Ask an owner to invite you, then open the link that you get.</p>
      <p class="ways"><a href="${beside(c, SIGN_IN_PATH)}">Sign in instead</a></p>`,
    403,
  );

function showSignUp(c: C, failed: NotSignedIn | null = null, text: (name: string) => string = () => "") {
  return page(
    c,
    "Sign up",
    html`${renderAlert(failed?.alert ?? null)}
      <form method="post">${timezoneField}
        <label>Name <input name="name" value="${text("name")}" maxlength="${NAME_LENGTH_MAX}" autocomplete="name" autofocus></label>
        <label>Email <input type="email" name="email" value="${text("email")}" autocomplete="username" required></label>
        <label>Password <input type="password" name="password" autocomplete="new-password" minlength="${PASSWORD_LENGTH_MIN}"
          maxlength="${PASSWORD_LENGTH_MAX}" required aria-describedby="password-rule"></label>
        <p class="note" id="password-rule">At least ${PASSWORD_LENGTH_MIN} characters. The most common passwords are not accepted.</p>
        <label>Workspace <input name="workspace" value="${text("workspace")}" maxlength="${NAME_LENGTH_MAX}" placeholder="Your company or project"></label>
        <button>Sign up</button>
      </form>
      <p class="ways"><a href="${beside(c, SIGN_IN_PATH)}">Sign in instead</a></p>${timezoneScript(c)}`,
    failed?.status ?? 200,
  );
}
