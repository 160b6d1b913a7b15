// A mail, written once for both of its parts. Text by users is always text in it, never markup.
import { escapeHtml } from "./encoding.ts";

/** A mail as it is sent. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** In addition to the headers of every mail. */
  headers?: Record<string, string>;
  /** Identical in a second copy of the mail, so that mailboxes recognize it. Letters, digits and `.`, `_`, `-` only. */
  reference?: string;
}

/** A paragraph: a text, or a link. */
export type Paragraph = string | { link: string };

/** Each character may take twelve bytes, encoded, of a line of 998 (RFC 5322, 2.1.1). */
const SUBJECT_LENGTH_MAX = 78;

/** A text of at most `lengthMax` characters; a longer text ends with an ellipsis. */
export function shortened(text: string, lengthMax: number): string {
  const characters = [...text];
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join("")}…`;
}

/** Builds a letter from paragraphs. The subject is made one short line, whatever it contains. */
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
