// A mail, written once for both of its parts. Whatever people wrote is text in it, never markup.

/** A mail as it is sent. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Beside those that every mail has. */
  headers?: Record<string, string>;
  /** The same for a second copy of the mail, so that mailboxes can tell it. Letters, digits and `.`, `_`, `-` only. */
  reference?: string;
}

/** A paragraph: a text, or an address to follow. */
export type Paragraph = string | { link: string };

/** A letter of paragraphs. A subject is one line, whatever stands in it. */
export function letter(
  to: string,
  subject: string,
  paragraphs: Paragraph[],
  more: Pick<Letter, "headers" | "reference"> = {},
): Letter {
  return {
    to,
    subject: subject.replaceAll(/\p{Cc}+/gu, " ").trim(),
    text: `${paragraphs.map((one) => (typeof one === "string" ? one : one.link)).join("\n\n")}\n`,
    html: paragraphs.map((one) => `<p>${typeof one === "string" ? htmlOf(one) : anchorOf(one.link)}</p>`).join(""),
    ...more,
  };
}

const anchorOf = (link: string) => `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`;
const htmlOf = (text: string) => escapeHtml(text).replaceAll("\n", "<br>");

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
