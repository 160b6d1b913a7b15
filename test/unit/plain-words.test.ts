// Names and sentences must read like those of well-kept projects. A failure prints each place to rewrite.
import { globSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ROOT } from "../support/documents/markdown.ts";
import { type Measured, measureWords } from "../support/plain-words.ts";

const CODE = "{src,cli,simulators,scripts}/**/*.{ts,tsx}";
const DOCUMENTS = ["docs/**/*.md", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
let measured: Measured;

beforeAll(() => {
  const paths = globSync([CODE, ...DOCUMENTS], { cwd: ROOT }).filter(
    (path) => !path.includes("node_modules") && !path.endsWith(".d.ts"),
  );
  measured = measureWords(paths.map((path) => join(ROOT, path)));
});

it("at most 1.5 % of the declared names are a bare pronoun, preposition or participle", () => {
  const { bareNames, names } = measured;
  expect((100 * bareNames.length) / names, bareNames.join("\n")).toBeLessThanOrEqual(1.5);
});

it("at most 0.5 % of the functions have a name that ends in Of", () => {
  const { ofFunctions, functions } = measured;
  expect((100 * ofFunctions.length) / functions, ofFunctions.join("\n")).toBeLessThanOrEqual(0.5);
});

it("at most one in 100 comments and lines of documents has a pattern that is hard to read", () => {
  const { proseHits, blocks } = measured;
  expect((100 * proseHits.length) / blocks, proseHits.join("\n")).toBeLessThanOrEqual(1);
});
