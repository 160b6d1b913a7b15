// Builds mails: one list of paragraphs becomes both the plain text and the HTML. Text by users is escaped, never markup.
import { escapeHtml } from "./encoding.ts";

/** A mail that is ready to send. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** In addition to the headers of every mail. */
  headers?: Record<string, string>;
  /** The same in every copy of a mail, so that mailboxes recognize a duplicate. Letters, digits and `.`, `_`, `-` only. */
  reference?: string;
}

/** A paragraph: a text, or a link. */
export type Paragraph = string | { link: string };

/** An encoded character can take twelve bytes, and a line may have 998 (RFC 5322, 2.1.1). */
const SUBJECT_LENGTH_MAX = 78;

/** A text of at most `lengthMax` characters; a longer text ends with an ellipsis. */
export function shortened(text: string, lengthMax: number): string {
  const characters = [...text];
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join("")}…`;
}

/** Builds a letter from paragraphs. Line breaks in the subject become spaces, and a long subject is shortened. */
export function letter(
  to: string,
  subject: string,
  paragraphs: Paragraph[],
  extraFields: Pick<Letter, "headers" | "reference"> = {},
): Letter {
  return {
    to,
    subject: shortened(subject.replaceAll(/\p{Cc}+/gu, " ").trim(), SUBJECT_LENGTH_MAX),
    text: `${paragraphs.map((paragraph) => (typeof paragraph === "string" ? paragraph : paragraph.link)).join("\n\n")}\n`,
    html: paragraphs
      .map((paragraph) => `<p>${typeof paragraph === "string" ? toHtml(paragraph) : buildAnchor(paragraph.link)}</p>`)
      .join(""),
    ...extraFields,
  };
}

const buildAnchor = (link: string) => `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`;
const toHtml = (text: string) => escapeHtml(text).replaceAll("\n", "<br>");
