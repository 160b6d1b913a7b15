// The page behind an invitation's link. It shows the invitation, lets the user sign in or sign up, and asks for an
// answer.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../domain/limits.ts";
import { shownAddress } from "../domain/shown-address.ts";
import { me } from "../operations/accounts/me.ts";
import { handlers } from "../operations/index.ts";
import { findInvitation } from "../operations/members/answer.ts";
import { limitTries } from "../operations/rate-limit.ts";
import { readTimezone, timezoneField, timezoneScript } from "./browser-timezone.ts";
import {
  type BrowserUser,
  makeConsentToken,
  NOTHING,
  notDone,
  otherWays,
  providersFor,
  readBrowserUser,
  renderAlert,
  signedInAs,
  signIn,
  signInForm,
  signOut,
} from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { type Html, type PageStatus, page, pagePolicy } from "./page.ts";
import { INVITATION_PATH } from "./return-to.ts";
import { isSameOrigin } from "./session-cookie.ts";
import { unsentTextsScript } from "./unsent-texts.ts";

type C = HonoContext<HttpEnv>;
type Invitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>;
interface Trouble {
  alert: string;
  status: PageStatus;
}

export function mountInvitation(app: Hono<HttpEnv>): void {
  const policy = pagePolicy({ forms: true });

  app.get(INVITATION_PATH, policy, (c) => withInvitation(c, (invitation) => ask(c, invitation)));

  // Every step is a form at this same address, so each step checks the link again.
  app.post(INVITATION_PATH, policy, (c) =>
    withInvitation(c, async (invitation) => {
      if (!isSameOrigin(c.req.raw, c.var.ctx.settings.baseUrl)) return notOurs(c);
      const text = await readFields(c.req.raw);
      const step = text("step");
      if (step === "sign-in" || step === "sign-up") {
        const { email } = invitation;
        const body =
          step === "sign-in"
            ? { email: text("email"), password: text("password") }
            : {
                email,
                password: text("password"),
                invitation: readToken(c),
                ...readTimezone(text("timezone")),
                ...(text("name") === "" ? {} : { name: text("name") }),
              };
        const outcome = await signIn(c, `accounts.${step}`, body, buildInvitationPath(c));
        return outcome instanceof Response ? outcome : ask(c, invitation, outcome);
      }
      const user = await readBrowserUser(c);
      if (user === null) return ask(c, invitation);
      if (text("consent") !== (await makeConsentToken(c, user))) return notOurs(c);
      if (step === "switch") {
        await signOut(c, user);
        return again(c);
      }
      return step === "accept" || step === "decline" ? answer(c, invitation, user, step) : ask(c, invitation);
    }),
  );
}

const readToken = (c: C) => c.req.query("token") ?? "";
const buildInvitationPath = (c: C) => `${INVITATION_PATH}?token=${encodeURIComponent(readToken(c))}`;
/** Repeats the question for the user who is signed in now. */
const again = (c: C) => c.redirect(buildInvitationPath(c), 303);

async function withInvitation(c: C, then: (invitation: Invitation) => Promise<Response>): Promise<Response> {
  c.header("Cache-Control", "no-store");
  await limitTries(c.var.ctx, { address: "invitation_address" });
  const invitation = await findInvitation(c.var.ctx, readToken(c));
  if (invitation !== null) return then(invitation);
  const reason =
    "It has expired, or was answered, withdrawn or replaced by a newer one. Ask the person who invited you for a new one.";
  return page(c, "This invitation is no longer open", html`<p>${reason}</p>`, 410);
}

const notOurs = (c: C) =>
  page(c, "This request did not come from this page", html`<p>Nothing was accepted. Open the link again.</p>`, 403);

async function answer(c: C, invitation: Invitation, user: BrowserUser, step: "accept" | "decline") {
  const { id, workspace, role } = invitation;
  try {
    const input = { ...NOTHING, params: { id }, body: { token: readToken(c) } };
    await handlers[`invitations.${step}`].invoke(c.var.ctx, user.caller, input);
  } catch (error) {
    return ask(c, invitation, notDone(error));
  }
  return step === "accept"
    ? page(
        c,
        "Invitation accepted",
        html`<p>You have joined the workspace <strong>${workspace.name}</strong> as ${role}.</p>
        <a class="button first" href="/">Open Crier</a>`,
      )
    : page(c, "Declined", html`<p>You have not joined the workspace, and no email was sent.</p>`);
}

/** The facts of the invitation: inviter, email address, role and workspace. */
function facts({ email, role, workspace, invited_by: inviter }: Invitation): Html {
  const person = ({ email, email_verified: verified }: { email: string; email_verified: boolean }) =>
    shownAddress({ email, verified });
  return html`<dl>
    <div><dt>Workspace</dt><dd><strong>${workspace.name}</strong></dd></div>
    <div><dt>Owned by</dt><dd>${workspace.owners.map(person).join(", ")}</dd></div>
    <div><dt>Invited by</dt><dd>${inviter.name === null ? "" : `${inviter.name}, `}${person(inviter)}</dd></div>
    <div><dt>Invited address</dt><dd>${email}</dd></div>
    <div><dt>Role</dt><dd><strong>${role}</strong></dd></div>
  </dl>`;
}

async function ask(c: C, invitation: Invitation, trouble: Trouble | null = null): Promise<Response> {
  const { email } = invitation;
  const user = await readBrowserUser(c);
  const signedIn = user === null ? undefined : (await me(c.var.ctx, user.caller, NOTHING)).body?.user;
  const above = html`<p>You are invited to a workspace.</p>${facts(invitation)}${renderAlert(trouble?.alert ?? null)}`;
  const show = (body: Html) => page(c, "Invitation", html`${above}${body}`, trouble?.status ?? 200);
  if (user === null || signedIn === undefined) {
    return show(html`<p>Sign in as ${email} to accept or decline.</p>
      ${signInForm(email, await providersFor(c, buildInvitationPath(c)))}${otherWays(null)}${signUpForm(email)}${timezoneScript(c)}`);
  }
  const hidden = html`<input type="hidden" name="consent" value="${await makeConsentToken(c, user)}">`;
  if (signedIn.email !== email) {
    return show(
      html`<p>This invitation was sent to a different email address.</p>${signedInAs(signedIn.email, hidden)}${unsentTextsScript(c)}`,
    );
  }
  return show(html`<p class="note">You can leave the workspace at any time. If its last owner erases their account,
      Crier asks you whether you want to become the owner.</p>
    <form method="post">${hidden}<div class="side"><button class="quiet" name="step" value="decline">Decline</button>
      <button name="step" value="accept">Accept</button></div></form>
    ${signedInAs(signedIn.email, hidden)}${unsentTextsScript(c)}`);
}

const signUpForm = (email: string): Html =>
  html`<form method="post"><input type="hidden" name="step" value="sign-up">${timezoneField}
      <p>No account yet? Create one for ${email}:</p>
      <label>Name <input name="name" autocomplete="name"></label>
      <label>New password <input type="password" name="password" autocomplete="new-password" minlength="${PASSWORD_LENGTH_MIN}"
        maxlength="${PASSWORD_LENGTH_MAX}" required></label>
      <button>Sign up</button></form>`;
