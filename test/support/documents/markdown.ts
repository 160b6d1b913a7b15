// Reads the project's documents.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../../..");
export const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].concat(
  globSync("docs/**/*.md", { cwd: ROOT }).sort(),
);

export const readDocument = (file: string): string => readFileSync(join(ROOT, file), "utf8");

interface CodeBlock {
  file: string;
  /** The number of the first line of code, from 1. */
  line: number;
  language: string;
  code: string;
  /** Whether `<!-- run -->` is above the block, so that test/e2e/local runs it unchanged. */
  isRun: boolean;
}

export function findCodeBlocks(file: string): CodeBlock[] {
  const text = readDocument(file);
  return [...text.matchAll(/(<!-- run -->\n)?^ *```(\w+)\n(.*?)^ *```$/gms)].map((match) => {
    const [block, mark, language = "", code = ""] = match;
    const before = text.slice(0, match.index + block.indexOf("```"));
    return { file, line: before.split("\n").length + 1, language, code, isRun: mark !== undefined };
  });
}

/** Removes the code blocks of a text. */
export const removeCode = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, "");

/** Finds the anchors of a text: its headings, and its `<a id>` elements. */
export function findAnchors(text: string): Set<string> {
  const headings = [...removeCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => makeSlug(heading));
  const markedIds = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
  return new Set([...headings, ...markedIds]);
}

/** Makes the anchor of a heading like GitHub. */
const makeSlug = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

export const findLinks = (text: string): string[] =>
  [...removeCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);

/** Finds the files and folders of the project that a text names as code. */
export const findPaths = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|cli|scripts|simulators|migrations|docs|\.ci)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );

/** Reads the text between the two marks of a printed part, or undefined if it is missing. */
export const readPart = (text: string, name: string): string | undefined =>
  text.split(`<!-- ${name} -->\n`)[1]?.split(`<!-- /${name} -->`)[0];

/** Replaces a printed part of a text. */
export const replacePart = (text: string, name: string, content: string): string =>
  text.replace(
    new RegExp(`(<!-- ${name} -->\\n).*?(<!-- /${name} -->)`, "s"),
    (_, begin: string, end: string) => `${begin}${content}${end}`,
  );
