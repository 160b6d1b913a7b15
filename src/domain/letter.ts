// A mail, written once for both of its parts. Whatever people wrote is text in it, never markup.
import { escapeHtml } from "./encoding.ts";

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

/** Each may take twelve bytes of a line of 998 (RFC 5322, 2.1.1), encoded. */
const SUBJECT_LENGTH_MAX = 78;

/** A text of at most so many characters; one that is longer ends with an ellipsis. */
export function shortened(text: string, lengthMax: number): string {
  const characters = [...text];
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join("")}…`;
}

/** A letter of paragraphs. A subject is one short line, whatever stands in it. */
export function letter(
  to: string,
  subject: string,
  paragraphs: Paragraph[],
  more: Pick<Letter, "headers" | "reference"> = {},
): Letter {
  return {
    to,
    subject: shortened(subject.replaceAll(/\p{Cc}+/gu, " ").trim(), SUBJECT_LENGTH_MAX),
    text: `${paragraphs.map((one) => (typeof one === "string" ? one : one.link)).join("\n\n")}\n`,
    html: paragraphs.map((one) => `<p>${typeof one === "string" ? htmlOf(one) : anchorOf(one.link)}</p>`).join(""),
    ...more,
  };
}

const anchorOf = (link: string) => `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`;
const htmlOf = (text: string) => escapeHtml(text).replaceAll("\n", "<br>");
