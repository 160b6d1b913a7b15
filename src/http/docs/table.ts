import { html } from "hono/html";
import type { Html } from "./markdown.ts";

/** A table that scrolls on its own if it is wider than its page, also by keyboard. `name`: the table's contents. */
export function table(kind: "fields" | "codes", name: string, heads: string[], rows: Html[]): Html {
  return html`<div class="scroll" role="group" aria-label="${name}" tabindex="0"><table class="${kind}"><thead><tr>${heads.map(
    (head) => html`<th>${head}</th>`,
  )}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
