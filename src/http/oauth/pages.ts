// The pages that ask a user to sign in and to authorize an application. The application's own description is shown as text.
import { html } from "hono/html";
import { isLoopback } from "../../domain/oauth.ts";
import { shownAddress } from "../../domain/shown-address.ts";
import type { OwnedWorkspace } from "../../operations/members/with-owners.ts";
import type { Asked, Authorization } from "../../operations/oauth/authorization.ts";
import { otherWays, type Provider, renderAlert, signedInAs, signInForm } from "../browser-user.ts";
import type { Html } from "../page.ts";
import { SIGN_UP_PATH } from "../return-to.ts";

interface Asking {
  authorization: Authorization;
  alert: string | null;
}

/** The facts of the request: the application, and the address that receives the answer. */
function facts({ client, redirectUri }: Pick<Authorization, "client" | "redirectUri">): Html {
  const leadsTo = new URL(redirectUri);
  const whose =
    client.describedBy === null
      ? "This name is not verified: check the address."
      : html`As stated by ${client.describedBy}.`;
  const where = isLoopback(leadsTo)
    ? html`<dd><strong>an application on this computer</strong> (${leadsTo.host})</dd>
        <dd class="note">Any application on this computer can use this name. Allow access only if you have just started this from an application that you trust.</dd>`
    : html`<dd><strong>${leadsTo.host}</strong></dd>`;
  return html`<dl>
    <div><dt>Application</dt><dd><strong>${client.name}</strong></dd><dd class="note">${whose}</dd></div>
    <div><dt>Returns you to</dt>${where}</div>
  </dl>`;
}

/**
 * A request that cannot be granted. The user has not consented to anything yet, so they decide whether to return to the
 * application's address.
 */
export function refusedBody({ client, redirectUri, to, message }: Extract<Asked, { is: "refused" }>): Html {
  return html`<p>An application made a request that Crier cannot grant: ${message}</p>
    ${facts({ client, redirectUri })}
    <p>No access was granted. Close this page, or go back if you trust the application.</p>
    <a class="button quiet" href="${to}" rel="noreferrer">Go back to ${new URL(redirectUri).host}</a>`;
}

/** `address`: the address of the request itself, to return to. */
export function signInBody({
  authorization,
  providers,
  email,
  address,
  alert,
}: Asking & { providers: Provider[]; email: string; address: string }): Html {
  return html`<p>An application asks for access to one of your workspaces. Sign in to see the request.</p>
    ${facts(authorization)}${renderAlert(alert)}${signInForm(email, providers)}
    ${otherWays(`${SIGN_UP_PATH}?continue=${encodeURIComponent(address)}`)}`;
}

const ownedBy = (owners: OwnedWorkspace["owners"]) =>
  owners.length === 0 ? "It has no owner." : `Owned by ${owners.map(shownAddress).join(", ")}.`;

export function consentBody({
  authorization,
  email,
  workspaces,
  consent,
  alert,
}: Asking & { email: string; workspaces: OwnedWorkspace[]; consent: string }): Html {
  const hidden = html`<input type="hidden" name="consent" value="${consent}">`;
  const [first, second] = workspaces;
  const choices = workspaces.map(
    ({ id, name, role, owners }) =>
      html`<label class="choice"><input type="radio" name="workspace" value="${id}" required ${
        second === undefined ? "checked" : ""
      }><span>${name}<small>${ownedBy(owners)} You are its ${role}.</small></span></label>`,
  );
  return html`<p>An application asks for access to one of your workspaces.</p>
    ${facts(authorization)}${renderAlert(alert)}
    <form method="post">${hidden}
      ${
        first === undefined
          ? html`<p>You are not a member of any workspace.</p>`
          : html`<fieldset><legend>Workspace</legend>${choices}</fieldset>
            <p class="note">In this workspace, the application can read channels, posts, files and metrics, and create, publish, edit
              and cancel posts, as far as your role allows, until you revoke its access. It cannot see the workspace key or your
              password.</p>`
      }
      <div class="side"><button class="quiet" name="step" value="refuse" formnovalidate>Refuse</button>
        ${first === undefined ? "" : html`<button name="step" value="allow">Allow</button>`}</div>
    </form>
    ${signedInAs(email, hidden)}`;
}
