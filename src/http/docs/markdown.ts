// The subset of Markdown that our own texts use: headings, lists, paragraphs, code, bold and links. Everything is escaped.
import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

/** An id for a heading, from its text. */
export const slug = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** The titles of a text's headings (`## Title`). */
export function headings(markdown: string): string[] {
  return [...markdown.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title);
}

export function blocks(markdown: string): Html[] {
  return markdown.split(/\n{2,}/).map((block) => {
    if (block.startsWith("## ")) {
      const title = block.slice(3);
      return html`<h2 id="${slug(title)}">${title}</h2>`;
    }
    if (block.startsWith("- "))
      return html`<ul>${block
        .split(/^- /m)
        .slice(1)
        .map((item) => html`<li>${inline(item.trim())}</li>`)}</ul>`;
    return html`<p>${inline(block)}</p>`;
  });
}

/** Text with `code`, **bold** and [links](address). */
export function inline(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map((segment) => {
    if (/^`[^`]+`$/.test(segment)) return html`<code>${segment.slice(1, -1)}</code>`;
    if (/^\*\*[^*]+\*\*$/.test(segment)) return html`<strong>${segment.slice(2, -2)}</strong>`;
    const link = /^\[([^\]]+)\]\(((?:https?:\/\/|[/#])[^)\s]*)\)$/.exec(segment);
    return link === null ? html`${segment}` : html`<a href="${link[2]}">${link[1]}</a>`;
  });
}
