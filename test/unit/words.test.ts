// The words of the house (docs/glossary.md): no name is made of a private one, and no title of a test is a riddle.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const files = globSync("{src,cli,simulators,scripts,test}/**/*.{ts,tsx}", { cwd: root }).filter(
  (file) => !file.includes("node_modules"),
);

/** Parts of names, and the word that the field has for each. */
const PRIVATE = new Map([
  ["crew", "publisher"],
  ["doubt", "outcome unknown"],
  ["doubts", "outcomes unknown"],
  ["fate", "outcome"],
  ["hand", "publisher, session, worker"],
  ["hands", "publishers, sessions, workers"],
  ["heard", "received, delivered"],
  ["hears", "receives"],
  ["leg", "post target"],
  ["legs", "post targets"],
  ["told", "notified, mailed, reported"],
  ["trip", "round trip"],
  ["trips", "round trips"],
  ["twin", "duplicate"],
  ["unsure", "unknown"],
  ["voice", "dispatcher"],
]);
/** What makes a word of the field of such a part. */
const OF_THE_FIELD = /round_?trips?|by_?hand/i;
const RIDDLE = /^(?:what|whatever|who|whoever|whom|where|which|how|why)\b/i;

/** A text without these has no such name and no such title: it need not be parsed, which is most of the work. */
const MAYBE_PRIVATE = new RegExp(
  [...PRIVATE.keys()]
    .map((word) => `(?<![a-z])${word}(?![a-z])|${word.charAt(0).toUpperCase()}${word.slice(1)}(?![a-z])`)
    .join("|"),
);
const MAYBE_RIDDLE = /["'`](?:what|who|where|which|how|why)/i;

interface Node {
  type: string;
  [member: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** Shows a node and all that are in it; of a million, a generator in a generator for each would cost most of the test. */
function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, see);
  if (!isNode(value)) return;
  see(value);
  for (const inner of Object.values(value)) if (typeof inner === "object") visit(inner, see);
}

const partsOf = (name: string): string[] => name.split(/(?=[A-Z])|_/).map((part) => part.toLowerCase());

/** What `it`, `describe` or `test` is called with as its title; null: it is another call. */
function titleOf({ type, callee, arguments: given }: Node): string | null {
  if (type !== "CallExpression") return null;
  let called: unknown = callee;
  while (isNode(called) && called.type !== "Identifier") called = called.callee ?? called.object ?? called.tag;
  if (!isNode(called) || !["it", "describe", "test"].includes(String(called.name))) return null;
  const [title] = Array.isArray(given) ? given : [];
  if (!isNode(title)) return null;
  if (title.type === "Literal" && typeof title.value === "string") return title.value;
  return title.type === "TemplateLiteral" ? readFirst(title) : null;
}
function readFirst({ quasis }: Node): string | null {
  const [first] = Array.isArray(quasis) ? quasis : [];
  return isNode(first) ? String(Object(first.value).raw) : null;
}

it("no name has a private word, and no title of a test begins with a question", () => {
  const found = new Set<string>();
  for (const file of files) {
    const source = readFileSync(join(root, file), "utf8");
    if (!MAYBE_PRIVATE.test(source) && !MAYBE_RIDDLE.test(source)) continue;
    const { program } = parseSync(file, source);
    visit(program, (node) => {
      const title = titleOf(node);
      if (title !== null && RIDDLE.test(title)) found.add(`${file}: "${title}" states no promise`);
      if (!node.type.endsWith("Identifier") || typeof node.name !== "string" || OF_THE_FIELD.test(node.name)) return;
      for (const part of partsOf(node.name)) {
        const better = PRIVATE.get(part);
        if (better !== undefined) found.add(`${file}: ${node.name}; say ${better}`);
      }
    });
  }
  expect([...found]).toEqual([]);
});

/** Words of the texts that people read, in markup and in strings: each has a plainer one. */
const HARD = /\b(?:whoever|whomever|whatever|whence|thereof|herein|anew|somewhat|lest)\b/i;

it("no text that people read has a word that is hard for a reader whose first language is another", () => {
  const found = new Set<string>();
  for (const file of files.filter((file) => /^(?:src|cli)\//.test(file))) {
    const source = readFileSync(join(root, file), "utf8");
    if (!HARD.test(source)) continue;
    const { program } = parseSync(file, source);
    visit(program, ({ type, value }) => {
      const text = type === "TemplateElement" ? String(Object(value).raw) : value;
      if (!["Literal", "JSXText", "TemplateElement"].includes(type) || typeof text !== "string") return;
      if (
        file.startsWith("src/dashboard/") &&
        RIDDLE.test(text.trim()) &&
        / /.test(text.trim()) &&
        /^\s*[A-Z]/.test(text)
      )
        found.add(`${file}: "${text.trim().slice(0, 80)}" begins with a question`);
      const [word] = text.trim().includes(" ") ? (HARD.exec(text) ?? []) : [];
      if (word !== undefined) found.add(`${file}: "${text.trim().slice(0, 80)}" has "${word}"`);
    });
  }
  for (const file of globSync(["*.md", "docs/**/*.md"], { cwd: root })) {
    for (const line of readFileSync(join(root, file), "utf8").split("\n")) {
      const [word] = HARD.exec(line) ?? [];
      if (word !== undefined) found.add(`${file}: "${line.trim().slice(0, 80)}" has "${word}"`);
    }
  }
  expect([...found]).toEqual([]);
});
