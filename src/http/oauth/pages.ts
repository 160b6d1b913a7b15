// What a person reads before they let an application in. All that the application says of itself is shown as its words.
import { html } from "hono/html";
import { isLoopback } from "../../domain/oauth.ts";
import type { Authorization } from "../../operations/oauth/authorization.ts";
import type { Html } from "../page.ts";

interface Asking {
  authorization: Authorization;
  /** What went wrong with the answer before. */
  alert: string | null;
}

const alertOf = (alert: string | null) => (alert === null ? "" : html`<p class="alert" role="alert">${alert}</p>`);

/** Who asks, and where the answer goes. */
function facts({ client, redirectUri }: Authorization): Html {
  const leadsTo = new URL(redirectUri);
  const whose =
    client.describedBy === null
      ? "Nobody has checked that name: go by the address."
      : html`${client.describedBy} says so.`;
  const where = isLoopback(leadsTo)
    ? html`<dd><strong>a program on this computer</strong> (${leadsTo.host})</dd>
        <dd class="note">Any program here can use that name. Allow it only if you have just begun this in one that you trust.</dd>`
    : html`<dd><strong>${leadsTo.host}</strong></dd>`;
  return html`<dl>
    <div><dt>It calls itself</dt><dd><strong>${client.name}</strong></dd><dd class="note">${whose}</dd></div>
    <div><dt>Your answer goes to</dt>${where}</div>
  </dl>`;
}

export function signInBody({
  authorization,
  providers,
  email,
  alert,
}: Asking & { providers: { name: string; url: string }[]; email: string }): Html {
  return html`<p>An application asks to work in a workspace of yours. Sign in to see what it asks.</p>
    ${facts(authorization)}${alertOf(alert)}
    <form method="post"><input type="hidden" name="step" value="sign-in">
      <label>Email <input type="email" name="email" value="${email}" autocomplete="username" required></label>
      <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
      <button>Sign in</button>
      ${providers.map(({ name, url }) => html`<a class="button" href="${url}">Sign in with ${name}</a>`)}
    </form>`;
}

export function consentBody({
  authorization,
  email,
  workspaces,
  consent,
  alert,
}: Asking & { email: string; workspaces: { id: string; name: string }[]; consent: string }): Html {
  const hidden = html`<input type="hidden" name="consent" value="${consent}">`;
  const [first, second] = workspaces;
  const choices = workspaces.map(
    ({ id, name }) =>
      html`<label class="choice"><input type="radio" name="workspace" value="${id}" required ${
        second === undefined ? "checked" : ""
      }><span>${name}</span></label>`,
  );
  return html`<p>An application asks to work in one workspace of yours.</p>
    ${facts(authorization)}${alertOf(alert)}
    <form method="post">${hidden}
      ${
        first === undefined
          ? html`<p>You are in no workspace that it could work in.</p>`
          : html`<fieldset><legend>In which workspace?</legend>${choices}</fieldset>
            <p class="note">There it can see channels, posts, files and figures, and write, publish, change and cancel posts,
              until you end it. It sees neither the workspace's key nor your password.</p>`
      }
      <div class="side"><button class="quiet" name="step" value="refuse" formnovalidate>Refuse</button>
        ${first === undefined ? "" : html`<button name="step" value="allow">Allow</button>`}</div>
    </form>
    <form method="post">${hidden}<p class="note">Signed in as ${email}.
      <button class="link" name="step" value="switch">Sign in as somebody else</button></p></form>`;
}
