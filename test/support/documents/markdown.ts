// The project's documents, and what a test reads in them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../../..");
export const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].concat(
  globSync("docs/**/*.md", { cwd: ROOT }).sort(),
);

export const readDocument = (file: string): string => readFileSync(join(ROOT, file), "utf8");

interface CodeBlock {
  file: string;
  /** Of the first line of code, from 1. */
  line: number;
  language: string;
  code: string;
  /** `<!-- run -->` stands above it: test/e2e/local runs it as it stands. */
  isRun: boolean;
}

export function codeBlocks(file: string): CodeBlock[] {
  const text = readDocument(file);
  return [...text.matchAll(/(<!-- run -->\n)?^ *```(\w+)\n(.*?)^ *```$/gms)].map((match) => {
    const [all, mark, language = "", code = ""] = match;
    const before = text.slice(0, match.index + all.indexOf("```"));
    return { file, line: before.split("\n").length + 1, language, code, isRun: mark !== undefined };
  });
}

/** The text without its blocks of code. */
export const proseOf = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, "");

/** Where links to a heading of the text lead, and what is marked as a place by itself. */
export function anchorsOf(text: string): Set<string> {
  const headings = [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slug(heading));
  const marked = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
  return new Set([...headings, ...marked]);
}

/** A heading's address, as GitHub makes it. */
const slug = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

export const linksOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);

/** The files and folders of the project that a text names as code. */
export const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|cli|scripts|simulators|migrations|docs|\.ci)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );

/** What stands between the two marks of a printed part; undefined: it is not there. */
export const partOf = (text: string, name: string): string | undefined =>
  text.split(`<!-- ${name} -->\n`)[1]?.split(`<!-- /${name} -->`)[0];

/** The text with a part replaced. */
export const withPart = (text: string, name: string, part: string): string =>
  text.replace(
    new RegExp(`(<!-- ${name} -->\\n).*?(<!-- /${name} -->)`, "s"),
    (_, begin: string, end: string) => `${begin}${part}${end}`,
  );
