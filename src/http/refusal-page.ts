import type { Context as HonoContext } from "hono";
import { html } from "hono/html";
import type { Refusal } from "../domain/refusal.ts";
import { notDone } from "./browser-user.ts";
import { page, pagePolicy } from "./page.ts";

const TITLES: Record<number, string> = { 429: "Too many requests", 503: "Crier cannot do this right now" };

/** Renders a refusal as a page, if no page handles it itself. */
export async function refusalPage(c: HonoContext, refusal: Refusal): Promise<Response> {
  await pagePolicy({ forms: false })(c, async () => {});
  for (const [name, value] of Object.entries(refusal.detail.headers ?? {})) c.header(name, value);
  const { alert, status } = notDone(refusal);
  return page(c, TITLES[status] ?? "This did not work", html`<p class="alert" role="alert">${alert}</p>`, status);
}
