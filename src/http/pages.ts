// The two pages that a mail or a provider leads to, until there is more for people to see.
import type { Hono, Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import type { IdpError } from "../adapters/idp.ts";
import type { HttpEnv } from "./mount.ts";
import { nonceOf, pagePolicy } from "./page-policy.ts";

const REASONS: Record<IdpError, string> = {
  state_invalid: "The sign-in took too long, or was begun in another browser. Begin again.",
  provider_refused: "The provider did not confirm who you are. Begin again.",
  provider_unavailable: "The provider does not answer. Try again in a moment.",
  identity_changed:
    "Another account of the provider signs in to this address here. Sign in with your password instead.",
  email_not_verified: "The provider has not verified your email address. Verify it there, then begin again.",
};
const isReason = (text: string): text is IdpError => Object.hasOwn(REASONS, text);

export function mountPages(app: Hono<HttpEnv>): void {
  app.get("/auth", pagePolicy, (c) => {
    const error = c.req.query("error") ?? "";
    const body = isReason(error)
      ? html`<p>${REASONS[error]}</p>`
      : html`<p>Sign in through the API: <code>POST /v1/auth/login</code>.</p>`;
    return page(c, "Sign in", body);
  });
  app.get("/auth/reset", pagePolicy, (c) =>
    page(
      c,
      "Set a new password",
      html`<form><label>New password <input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required></label>
        <button>Set password</button></form><p role="status"></p>
        <script nonce="${nonceOf(c)}">${raw(RESET_SCRIPT)}</script>`,
    ),
  );
}

function page(c: HonoContext<HttpEnv>, title: string, body: ReturnType<typeof html>) {
  c.header("Cache-Control", "no-store");
  return c.html(html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>${title} · Crier</title><style nonce="${nonceOf(c)}">${raw(STYLE)}</style></head>
    <body><main><h1>${title}</h1>${body}</main></body></html>`);
}

const RESET_SCRIPT = `
const form = document.querySelector("form"), status = document.querySelector("[role=status]");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const body = JSON.stringify({ token, password: form.password.value });
  const answer = await fetch("/v1/auth/reset", { method: "POST", headers: { "content-type": "application/json" }, body });
  const result = await answer.json();
  status.textContent = answer.ok ? "Your password is set, and you are signed in." : [result.message, result.hint].filter(Boolean).join(" ");
  if (answer.ok) form.remove();
});`;
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f3f5f8, #0d1014); }
main { width: min(92vw, 26rem); padding: 2rem; border-radius: 12px; background: light-dark(#fff, #171b21); border: 1px solid light-dark(#d9dee5, #2d343e); }
h1 { margin: 0 0 1rem; font-size: 1.3rem; }
form { display: grid; gap: 1rem; }
label { display: grid; gap: .3rem; }
input, button { font: inherit; padding: .55rem .7rem; border-radius: 8px; border: 1px solid light-dark(#b8c0cc, #444d5a); }
button { background: #0b57d0; color: #fff; border: 0; cursor: pointer; }`;
