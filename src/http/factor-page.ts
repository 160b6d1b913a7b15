// The second step of a browser sign-in: the user presents their second factor. A cookie holds the completed first step.
import type { Hono, Context as HonoContext } from "hono";
import { deleteCookie, getCookie } from "hono/cookie";
import { html, raw } from "hono/html";
import { looksLikeAppCode } from "../domain/factor.ts";
import { describeChallenge } from "../operations/factors/challenge.ts";
import { handlers } from "../operations/index.ts";
import { FACTOR_COOKIE, NOTHING, type NotSignedIn, notDone, renderAlert } from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { getNonce, notOurs, page, pagePolicy } from "./page.ts";
import { FACTOR_PATH, returnAddress, SIGN_IN_PATH } from "./return-to.ts";
import { cookieAttributes, cookieName, isSameOrigin } from "./session-cookie.ts";
import { giveCookies, sessionIn } from "./signed-in.ts";

type C = HonoContext<HttpEnv>;

export function mountFactorPage(app: Hono<HttpEnv>): void {
  // An application may have opened this window for its authorization and be waiting for it.
  const policy = pagePolicy({ forms: true, popup: true });

  app.get(FACTOR_PATH, policy, (c) => showFactor(c));
  app.post(FACTOR_PATH, policy, async (c) => {
    const { ctx } = c.var;
    const { baseUrl } = ctx.settings;
    if (!isSameOrigin(c.req.raw, baseUrl)) return notOurs(c);
    const text = await readFields(c.req.raw);
    const body = { challenge: readChallenge(c) ?? "", ...readShown(text) };
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

/** Reads the second factor from the form: a passkey that the script requested from the browser, or a typed code. */
function readShown(text: (name: string) => string): object {
  const passkey = text("passkey");
  if (passkey !== "") return { passkey: parsePasskey(passkey) };
  const typed = text("code").trim();
  return looksLikeAppCode(typed) ? { code: typed } : { recovery_code: typed };
}

/** Unparsable text is treated as an empty passkey. */
function parsePasskey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function showFactor(c: C, failed: NotSignedIn | null = null) {
  const signIn = SIGN_IN_PATH + new URL(c.req.url).search;
  const challenge = readChallenge(c);
  const challengeDetails = challenge === undefined ? null : await describeChallenge(c.var.ctx, challenge);
  if (challengeDetails === null) return c.redirect(signIn, 303);
  const { kinds, passkey } = challengeDetails;
  const codeHint = kinds.includes("totp") ? "The six digits that your authenticator app shows, or one" : "One";
  return page(
    c,
    "Confirm that it is you",
    html`${renderAlert(failed?.alert ?? null)}${passkey === null ? "" : passkeyForm(passkey)}
      <form method="post">
        <label>Code <input name="code" inputmode="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false"
          required ${passkey === null ? "autofocus" : ""} aria-describedby="code-note"></label>
        <p class="note" id="code-note">${codeHint} of your recovery codes.</p>
        <button>Sign in</button></form>
      <p class="ways"><a href="${signIn}">Sign in with another account</a></p>
      ${passkey === null ? "" : html`<script nonce="${getNonce(c)}">${raw(PASSKEY_SCRIPT)}</script>`}`,
    failed?.status ?? 200,
  );
}

/** The passkey form needs a script. Without scripts it stays hidden and the user types a recovery code. */
const passkeyForm = (options: object) =>
  html`<form method="post" id="passkey" data-options="${JSON.stringify(options)}" hidden>
      <input type="hidden" name="passkey"><button>Use a passkey</button>
      <p class="alert" role="alert" hidden>The passkey did not work. Try again, or enter a recovery code.</p></form>`;

const PASSKEY_SCRIPT = `{
  const form = document.getElementById("passkey");
  const bytes = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  form.hidden = window.PublicKeyCredential?.parseRequestOptionsFromJSON === undefined;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options));
      const { id, rawId, type, response } = await navigator.credentials.get({ publicKey });
      const { clientDataJSON, authenticatorData, signature } = response;
      form.elements.passkey.value = JSON.stringify({ id, rawId: bytes(rawId), type, response: {
        clientDataJSON: bytes(clientDataJSON), authenticatorData: bytes(authenticatorData), signature: bytes(signature) } });
      form.submit();
    } catch {
      form.querySelector("[role=alert]").hidden = false;
    }
  });
}`;
