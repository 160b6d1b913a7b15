// Names use the words of the glossary (docs/glossary.md), and titles of tests are statements.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const files = globSync("{src,cli,simulators,scripts,test}/**/*.{ts,tsx}", { cwd: root }).filter(
  (file) => !file.includes("node_modules"),
);

/** Words that names must not contain, each with the standard term to use instead. */
const PRIVATE_WORDS = new Map([
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
/** Standard terms that contain one of these words. */
const STANDARD_WORDS = /round_?trips?|by_?hand|all_?settled/i;
/**
 * Earlier names of concepts, each with the glossary's word; the words of a name are joined by `_`. The names of the
 * dashboard are not checked: they follow with its redesign.
 */
const EARLIER_NAMES: [string, string][] = [
  ["settle[sd]?|settlement", "decide, record"],
  ["(?:verify|verified|verification)_(?:posts?|deliver[a-z]*|jobs?|tasks?|outcomes?|days|waits?)", "recheck"],
  ["(?:after|next|count)_verifications?", "recheck"],
  ["(?:batch|map|both)_parts?", "statements"],
  ["(?:live|proven|written|rechecked|published)_parts?", "thread part"],
  ["(?:open|send|upload)_parts|parts_divisor", "chunk"],
  ["(?:walk|due|figure|follow_up|renewal|rotation|webhook|archive|event|upcoming|version)_places?", "cursor"],
  ["publish_handles?", "publish key"],
];
const EARLIER = EARLIER_NAMES.map(([name, word]) => ({ name: new RegExp(`(?:^|_)(?:${name})(?:_|$)`), word }));
const RIDDLE = /^(?:what|whatever|who|whoever|whom|where|which|how|why)\b/i;

/** Parsing takes most of the time, so a source that matches none of these patterns is not parsed. */
const MAYBE_PRIVATE = new RegExp(
  [...PRIVATE_WORDS.keys()]
    .map((word) => `(?<![a-z])${word}(?![a-z])|${word.charAt(0).toUpperCase()}${word.slice(1)}(?![a-z])`)
    .join("|"),
);
const MAYBE_EARLIER = new RegExp(EARLIER_NAMES.map(([name]) => name.replaceAll("_", "_?")).join("|"), "i");
const MAYBE_RIDDLE = /["'`](?:what|who|where|which|how|why)/i;

interface Node {
  type: string;
  [member: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** Calls `onNode` for a node and all nodes inside it. A generator would be much slower for a million nodes. */
function visit(value: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(value)) for (const child of value) visit(child, onNode);
  if (!isNode(value)) return;
  onNode(value);
  for (const inner of Object.values(value)) if (typeof inner === "object") visit(inner, onNode);
}

const splitName = (name: string): string[] => name.split(/(?=[A-Z])|_/).map((piece) => piece.toLowerCase());

/** Returns the title of a call of `it`, `describe` or `test`, or null for any other call. */
function getTitle({ type, callee, arguments: args }: Node): string | null {
  if (type !== "CallExpression") return null;
  let target: unknown = callee;
  while (isNode(target) && target.type !== "Identifier") target = target.callee ?? target.object ?? target.tag;
  if (!isNode(target) || !["it", "describe", "test"].includes(String(target.name))) return null;
  const [title] = Array.isArray(args) ? args : [];
  if (!isNode(title)) return null;
  if (title.type === "Literal" && typeof title.value === "string") return title.value;
  return title.type === "TemplateLiteral" ? readFirst(title) : null;
}
function readFirst({ quasis }: Node): string | null {
  const [first] = Array.isArray(quasis) ? quasis : [];
  return isNode(first) ? String(Object(first.value).raw) : null;
}

it("no name contains a private word, and no title of a test begins with a question word", () => {
  const faults = new Set<string>();
  for (const file of files) {
    const source = readFileSync(join(root, file), "utf8");
    const isDashboard = file.startsWith("src/dashboard/") || file.startsWith("test/unit/dashboard/");
    const maybeEarlier = !isDashboard && MAYBE_EARLIER.test(source);
    if (!MAYBE_PRIVATE.test(source) && !MAYBE_RIDDLE.test(source) && !maybeEarlier) continue;
    const { program } = parseSync(file, source);
    visit(program, (node) => {
      const title = getTitle(node);
      if (title !== null && RIDDLE.test(title)) faults.add(`${file}: "${title}" states no promise`);
      if (!node.type.endsWith("Identifier") || typeof node.name !== "string" || STANDARD_WORDS.test(node.name)) return;
      const name = node.name;
      const pieces = splitName(name);
      const earlier = maybeEarlier ? EARLIER.find((entry) => entry.name.test(pieces.join("_"))) : undefined;
      if (earlier !== undefined) faults.add(`${file}: ${name}; say ${earlier.word}`);
      for (const piece of pieces) {
        const better = PRIVATE_WORDS.get(piece);
        if (better !== undefined) faults.add(`${file}: ${name}; say ${better}`);
      }
    });
  }
  expect([...faults]).toEqual([]);
});

/** Words that texts for people must not use, because each has a plainer synonym. */
const HARD = /\b(?:whoever|whomever|whatever|whence|thereof|herein|anew|somewhat|lest)\b/i;

it("no text of the product or the documents has a word that is hard for readers of English as a second language", () => {
  const faults = new Set<string>();
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
        faults.add(`${file}: "${text.trim().slice(0, 80)}" begins with a question`);
      const [word] = text.trim().includes(" ") ? (HARD.exec(text) ?? []) : [];
      if (word !== undefined) faults.add(`${file}: "${text.trim().slice(0, 80)}" has "${word}"`);
    });
  }
  for (const file of globSync(["*.md", "docs/**/*.md"], { cwd: root })) {
    for (const line of readFileSync(join(root, file), "utf8").split("\n")) {
      const [word] = HARD.exec(line) ?? [];
      if (word !== undefined) faults.add(`${file}: "${line.trim().slice(0, 80)}" has "${word}"`);
    }
  }
  expect([...faults]).toEqual([]);
});
