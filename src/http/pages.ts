// The two pages that a mail or a provider leads to, until there is more for people to see.
import type { Hono } from "hono";
import { html, raw } from "hono/html";
import type { IdpError } from "../adapters/idp.ts";
import type { HttpEnv } from "./mount.ts";
import { nonceOf, page, pagePolicy } from "./page.ts";

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
  const policy = pagePolicy({ forms: false });
  app.get("/auth", policy, (c) => {
    const error = c.req.query("error") ?? "";
    const body = isReason(error)
      ? html`<p>${REASONS[error]}</p>`
      : html`<p>Sign in through the API: <code>POST /v1/auth/login</code>.</p>`;
    return page(c, "Sign in", body);
  });
  app.get("/auth/reset", policy, (c) =>
    page(
      c,
      "Set a new password",
      html`<form><label>New password <input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required></label>
        <button>Set password</button></form><p role="status"></p>
        <script nonce="${nonceOf(c)}">${raw(RESET_SCRIPT)}</script>`,
    ),
  );
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
