// The dashboard keeps unsent texts in the browser, and signing out deletes them. The dashboard saves them as drafts first.
// The pages outside the dashboard cannot save drafts, so they ask the user before signing out.
import type { Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import { getNonce, type Html } from "./page.ts";

/**
 * Asks before the form with the button "Use another account" is submitted. Without scripts there are no unsent texts,
 * because the dashboard needs scripts.
 */
export const unsentTextsScript = (c: HonoContext): Html => html`<script nonce="${getNonce(c)}">${raw(SCRIPT)}</script>`;

const SCRIPT = `{
  const question =
    "A text that you were writing has not been saved as a draft. Signing out deletes it from this browser. Sign out anyway?";
  const isKept = () => Object.keys(localStorage).some((place) => place.startsWith("crier:compose:"));
  document.querySelector("button[value=switch]")?.addEventListener("click", (event) => {
    if (isKept() && !confirm(question)) event.preventDefault();
  });
}`;
