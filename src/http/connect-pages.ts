// What the pages for connecting an account say. Most of their readers are clients of an agency, who see its brand.
import type { Context as HonoContext } from "hono";
import { html } from "hono/html";
import { networkName } from "../domain/network-name.ts";
import { shownAddress } from "../domain/shown-address.ts";
import { toNetworkMessage } from "../domain/visible-text.ts";
import type { LinkedWorkspace, LinkView, Opened } from "../operations/channels/connect-link.ts";
import { type Consented, sayLeftOut } from "../operations/channels/consent.ts";
import type { ShownForm } from "../operations/channels/link-form.ts";
import { renderMark } from "./brand.ts";
import { renderAlert } from "./browser-user.ts";
import type { HttpEnv } from "./mount.ts";
import { page } from "./page.ts";

type C = HonoContext<HttpEnv>;
type Choice = Extract<Consented, { is: "choose" }>;
type Failed = Extract<Consented, { is: "failed" }>;
type Connected = Extract<Consented, { is: "connected" }>;

/** Who publishes, as the reader knows them: the name of the brand, otherwise that of the workspace. */
const getPublisher = ({ name, brand }: LinkedWorkspace): string => brand?.name ?? name;

/** The workspace and the addresses of its owners, so that nobody connects their account to a stranger unknowingly. */
const renderWorkspace = ({ name, owners }: LinkedWorkspace) =>
  html`<strong>${name}</strong> of ${owners.map(shownAddress).join(", ")}`;

/** Says whose page this is, where a brand stands at its top. */
const renderService = (c: C, workspace: LinkedWorkspace) =>
  workspace.brand === null
    ? ""
    : html`<p class="note">${getPublisher(workspace)} publishes with Crier. This page belongs to Crier at ${new URL(c.var.ctx.settings.baseUrl).host}.</p>`;

/** `problem`: why the last try did not lead to the network. */
export function linkPage(
  c: C,
  { platform, site, workspace, asksHandle, handle }: LinkView,
  problem: Extract<Opened, { is: "asks_handle" }>["problem"],
) {
  const name = networkName(platform);
  return page(
    c,
    `Connect ${name}`,
    html`<p class="lead">${renderMark(platform)}<span>${getPublisher(workspace)} wants to post to your ${name} account.</span></p>
      <ol class="steps">${asksHandle ? html`<li>Enter your handle, which leads to your server.</li>` : ""}<li>Allow access on ${site}. Your password stays there.</li><li>Come back here and choose the account.</li></ol>
      ${problem === null ? "" : html`<p class="alert" role="alert">${problem.message} ${problem.hint}</p>${quoteNetwork({ platform, networkMessage: problem.networkMessage })}`}
      <form method="post">${
        asksHandle
          ? html`<label>Handle <input name="handle" value="${handle}" placeholder="you.example.com" dir="ltr" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="300" required></label>`
          : ""
      }<button>Continue to ${site}</button></form>
      <p class="note">Asked by the workspace ${renderWorkspace(workspace)}. You can end the access at any time in the settings of ${site}.</p>
      ${renderService(c, workspace)}`,
    problem === null ? 200 : 422,
    { brand: workspace.brand },
  );
}

/** What was entered before, and why it was refused. */
interface RefusedEntry {
  message: string;
  hint: string | null;
  networkMessage: string | undefined;
  getEntered(name: string): string;
}

/** Asks for what the network needs. Secrets are entered again after a refusal, so no page contains them. */
export function formPage(c: C, { platform, workspace, steps, fields }: ShownForm, refused: RefusedEntry | null = null) {
  const name = networkName(platform);
  return page(
    c,
    `Connect ${name}`,
    html`<p class="lead">${renderMark(platform)}<span>${getPublisher(workspace)} wants to post to your ${name} account.</span></p>
      <ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
      ${refused === null ? "" : html`<p class="alert" role="alert">${refused.message} ${refused.hint ?? ""}</p>${quoteNetwork({ platform, networkMessage: refused.networkMessage })}`}
      <form method="post">${fields.map(
        (field) =>
          html`<label>${field.label} <input name="${field.name}" type="${field.isSecret ? "password" : "text"}" value="${field.isSecret ? "" : (refused?.getEntered(field.name) ?? "")}" dir="ltr" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="300" required><small>${field.hint}</small></label>`,
      )}<button>Connect</button></form>
      <p class="note">Asked by the workspace ${renderWorkspace(workspace)}. What you enter is checked with ${name} and stored encrypted.</p>
      ${renderService(c, workspace)}`,
    refused === null ? 200 : 422,
    { brand: workspace.brand },
  );
}

export const invalidLinkPage = (c: C) =>
  page(
    c,
    "This link does not work",
    html`<p>It has expired, has already connected an account, or was opened in another browser since. Open the link once more, or ask for a new one.</p>`,
    410,
  );

/** A page of another site has submitted the form, so the visitor did not intend this request. */
export const elsewherePage = (c: C) =>
  page(
    c,
    "This request did not come from this page",
    html`<p>The form was sent from another site. Open the link itself and press its button.</p>`,
    403,
  );

export function choicePage(c: C, { platform, accounts, leftOut, workspace, isNoneChosen }: Choice, state: string) {
  const name = networkName(platform);
  const isOne = accounts.length === 1 && leftOut === 0;
  return page(
    c,
    isOne ? `Connect this account on ${name}?` : `Which accounts on ${name} do you want to connect?`,
    html`<p>${getPublisher(workspace)} will be able to post to every account that you connect here.</p>
      <p class="note">Asked by the workspace ${renderWorkspace(workspace)}.</p>
      ${renderAlert(isNoneChosen ? "Choose at least one account." : null)}
      <form method="post"><input type="hidden" name="state" value="${state}">
      ${accounts.map(
        ({ id, handle, name }) =>
          html`<label class="choice"><input type="checkbox" name="account" value="${id}"${isNoneChosen ? "" : " checked"}><span>${name ?? handle}${name === null || name === handle ? "" : html`<small>${handle}</small>`}</span></label>`,
      )}${leftOut === 0 ? "" : html`<p>${sayLeftOut(leftOut)} If one is missing, open the link again and choose fewer accounts on ${name}.</p>`}<button>Connect</button></form>`,
    isNoneChosen ? 422 : 200,
    { brand: workspace.brand },
  );
}

export function connectedPage(c: C, { platform, channels, workspace }: Connected) {
  const name = networkName(platform);
  const isOne = channels.length === 1;
  return page(
    c,
    "Connected",
    html`<p>${getPublisher(workspace)} can now post to ${isOne ? "this account" : "these accounts"} on ${name}:</p>
      <ul class="accounts">${channels.map(
        ({ handle }) => html`<li>${renderMark(platform)}<bdi>${handle}</bdi><span class="done">Connected</span></li>`,
      )}</ul>
      <p>You can close this page. To end the access later, remove Crier in the settings of ${name}.</p>
      ${renderService(c, workspace)}`,
    200,
    { brand: workspace.brand },
  );
}

export const failedPage = (c: C, failed: Failed) =>
  page(
    c,
    "Nothing was connected",
    html`<p>${failed.message}</p>${quoteNetwork(failed)}${failed.hint === null ? "" : html`<p>${failed.hint}</p>`}
      <p class="note">If it does not work, tell the person who sent you the link.</p>`,
    422,
    { brand: failed.workspace.brand },
  );

/** The network's own message, marked as a quotation. */
function quoteNetwork({ platform, networkMessage }: Pick<Failed, "platform" | "networkMessage">) {
  const message = toNetworkMessage(networkMessage);
  return message === undefined ? "" : html`<p>${networkName(platform)} says:</p><blockquote>${message}</blockquote>`;
}
