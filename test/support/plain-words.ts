// Measures how plain names and sentences are: the share of declared names that are a bare pronoun, preposition or participle, the share
// of functions whose name ends in `Of`, and patterns of prose that have to be read twice, per 100 comments and lines of documents. In
// well-kept code bases these are 0.2 to 1.8 %, 0.1 % and 0.1.
import { readFileSync } from "node:fs";
import { type Comment, parseSync } from "oxc-parser";

const BARE_NAMES: ReadonlySet<string> = new Set(
  (
    "one other others found made asked given named begun wanted sent left kept taken judged said says of by at its own more rest here " +
    "done told gone shown seen known held put looked marked written all part what how it who why way both same as is has those these " +
    "heard meant needed"
  ).split(" "),
);
const PATTERNS: Record<string, RegExp> = {
  "begins with Of":
    /(^|[.:;] )Of (what|a|an|the|one|two|those|all|each|its|it|no|posts?|parts|this|both|several|which)\b/g,
  "who without a person":
    /(^|[.:;,] |\b(to|only|of|by|as|and|for) )[Ww]ho(ever)? (is|has|knows|wants|does|makes|asks|calls|comes|may|sees|leaves|owns|writes|decides|reads|cannot|can|ran|proves|gets|took|signs|connects)\b/g,
  "is none": /\b(is|are|was|were) none\b/g,
  "two headless whats": /\bwhat\b[^.;:?]*\bwhat\b/gi,
  "begins with What":
    /(^|[.;] )What (is|was|has|a|an|the|it|they|one|comes|goes|cannot|can|came|went|waits|became|nobody|somebody|does|did|not|no)\b(?![^.;]*\?)/g,
  "worn words":
    /\b(anew|mend(s|ed|ing)?|as ever|nobody|somebody|by and by|for long|beside|otherwise than|thereof|therein|whatever became|came to nothing|the other way round|all the same)\b/gi,
  "stand for be": /\bstands?\b(?! (in|for|still|alone))/g,
};

/** The counts of a measurement, and its findings as `FILE:LINE finding`. */
export interface Measured {
  names: number;
  bareNames: string[];
  functions: number;
  ofFunctions: string[];
  blocks: number;
  proseHits: string[];
}

interface Node {
  type: string;
  [member: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** Measures files, TypeScript and Markdown, by their paths. */
export function measureWords(paths: readonly string[]): Measured {
  const measured: Measured = { names: 0, bareNames: [], functions: 0, ofFunctions: [], blocks: 0, proseHits: [] };
  for (const path of paths) {
    const text = readFileSync(path, "utf8");
    if (path.endsWith(".md")) {
      for (const [i, line] of text.split("\n").entries()) measureProse(measured, `${path}:${i + 1}`, line);
    } else measureCode(measured, path, text);
  }
  return measured;
}

function measureProse(measured: Measured, place: string, text: string): void {
  measured.blocks++;
  for (const [name, pattern] of Object.entries(PATTERNS)) {
    for (const { index } of text.matchAll(pattern)) {
      measured.proseHits.push(`${place} ${name}: ${text.slice(Math.max(0, index - 20), index + 90)}`);
    }
  }
}

function measureCode(measured: Measured, path: string, text: string): void {
  const { program, comments } = parseSync(path, text);
  const findLine = lineCounter(text);
  for (const { line, words } of blocksIn(comments, findLine)) measureProse(measured, `${path}:${line}`, words);
  const countName = (value: unknown): void => {
    if (!isNode(value)) return;
    if (value.type === "Identifier" && typeof value.name === "string") {
      measured.names++;
      if (BARE_NAMES.has(value.name)) measured.bareNames.push(`${path}:${findLine(value.start)} ${value.name}`);
    } else if (value.type === "ObjectPattern" && Array.isArray(value.properties)) {
      for (const property of value.properties) if (isNode(property)) countName(property.value ?? property.argument);
    } else if (value.type === "ArrayPattern" && Array.isArray(value.elements)) value.elements.forEach(countName);
    else if (value.type === "AssignmentPattern") countName(value.left);
    else if (value.type === "RestElement") countName(value.argument);
  };
  const countFunction = (id: unknown): void => {
    if (!isNode(id) || typeof id.name !== "string") return;
    measured.functions++;
    if (id.name.endsWith("Of")) measured.ofFunctions.push(`${path}:${findLine(id.start)} ${id.name}()`);
  };
  const isFunction = (value: unknown) => isNode(value) && value.type.includes("Function");
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const member of value) visit(member);
    if (!isNode(value)) return;
    if (value.type === "VariableDeclarator") {
      countName(value.id);
      if (isNode(value.id) && value.id.type === "Identifier" && isFunction(value.init)) countFunction(value.id);
    }
    if (value.type === "FunctionDeclaration") countFunction(value.id);
    if (isFunction(value) && Array.isArray(value.params)) {
      for (const param of value.params) countName(isNode(param) ? (param.parameter ?? param) : param);
    }
    for (const inner of Object.values(value)) if (typeof inner === "object") visit(inner);
  };
  visit(program);
}

/** Joins comments to paragraphs; consecutive lines of `//` are one paragraph. */
function blocksIn(comments: readonly Comment[], findLine: (offset: unknown) => number) {
  const blocks: { line: number; lastLine: number; isLines: boolean; words: string }[] = [];
  for (const { type, value, start } of comments) {
    const line = findLine(start);
    const words = value
      .replace(/^\s*\*+ ?/gm, " ")
      .replace(/\s+/g, " ")
      .trim();
    const last = blocks.at(-1);
    if (type === "Line" && last?.isLines === true && line === last.lastLine + 1) {
      last.words += ` ${words}`;
      last.lastLine = line;
    } else blocks.push({ line, lastLine: line, isLines: type === "Line", words });
  }
  return blocks;
}

/** Makes a function that returns the line of an offset in a text, counted from 1. */
function lineCounter(text: string): (offset: unknown) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < Number(offset)) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
