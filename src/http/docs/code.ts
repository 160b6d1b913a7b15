// JSON and command lines, formatted for reading and copying.
import { html, raw } from "hono/html";
import type { Html } from "./markdown.ts";

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** A value as indented JSON, with names, texts and numbers in separate colors. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, quoted, colon] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    if (colon !== undefined) parts.push(html`<b>${quoted}</b>${colon}`);
    else parts.push(quoted === undefined ? html`<i>${token}</i>` : html`<q>${token}</q>`);
    end = match.index + token.length;
  }
  parts.push(html`${text.slice(end)}`);
  return html`${parts}`;
}

export interface Call {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body?: unknown;
}

/** A call as a command that can be pasted into a shell. */
export function curl({ method, url, headers, body }: Call): string {
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} "${url}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(" \\\n  ");
}

/** A titled block of code. No white space between the tags and the text, because it would show up in the block. */
export function block(title: Html | string, code: Html | string): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption>${raw('<pre tabindex="0"><code>')}${code}${raw("</code></pre>")}</figure>`;
}
