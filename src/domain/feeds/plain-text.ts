import { Parser } from "htmlparser2";

/** Elements that begin a line. */
const BLOCKS = [
  "p",
  "div",
  "br",
  "li",
  "ul",
  "ol",
  "tr",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "blockquote",
  "pre",
  "hr",
];
const HIDDEN = ["script", "style", "head", "title", "template"];

/** The text of an HTML fragment, as a reader sees it: paragraphs are separated by an empty line. */
export function toPlainText(html: string): string {
  const parts: string[] = [];
  let hidden = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (HIDDEN.includes(name)) hidden++;
      else if (BLOCKS.includes(name)) parts.push("\n");
    },
    ontext(data) {
      if (hidden === 0) parts.push(data.replaceAll(/\s+/g, " "));
    },
    onclosetag(name) {
      if (HIDDEN.includes(name)) hidden--;
      else if (name === "p") parts.push("\n\n");
      else if (BLOCKS.includes(name)) parts.push("\n");
    },
  });
  parser.end(html);
  return parts
    .join("")
    .split("\n")
    .map((line) => line.replaceAll(/[^\S\n]+/g, " ").trim())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
