// Triggers of the accounts database end rights (migrations/0001_schema.sql). This test searches the source for all code that fires one
// of them, so that every such act also notifies the databases of workspaces (src/store/accounts/guarded-home.ts).
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { ACTS_BY_FILE, NO_ACTS } from "../support/acts-that-end-rights.ts";
import { files, root } from "./imports.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const toCamelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The statements that fire such a trigger. Deleting a row of `users` also deletes its sessions and memberships. */
const STATEMENTS = [
  /\.delete\(users\)/,
  ...[
    ...read("migrations/0001_schema.sql").matchAll(
      /CREATE TRIGGER rights_ended_by_\w+ AFTER (?:DELETE|UPDATE OF (\w+)) ON (\w+)/g,
    ),
  ].map(([, column, table = ""]) =>
    column === undefined
      ? new RegExp(`\\.delete\\(${toCamelCase(table)}\\)`)
      : new RegExp(`\\.update\\(${toCamelCase(table)}\\)\\s*\\.set\\(\\{[^}]*\\b${toCamelCase(column)}\\b`),
  ),
];

/** A function or constant at the top of a file. */
interface Definition {
  file: string;
  name: string;
  text: string;
}
const definitions: Definition[] = files.flatMap((file) =>
  read(file)
    .split(/\n(?=(?:export |async |function |const |class ))/)
    .flatMap((text) => {
      const name = /^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/.exec(text)?.[1];
      return name === undefined ? [] : { file, name, text };
    }),
);

/** The imported names of each file with their origin: `FILE#NAME`, or `FILE#*` for a namespace import. */
const imported = new Map(
  files.map((file) => {
    const toName = (from: string, name: string) => `${normalize(join(dirname(file), from))}#${name}`;
    const meanings = new Map<string, string>();
    for (const [, names = "", from = ""] of read(file).matchAll(/(?:^|\n)import \{([^}]*)\} from "(\.[^"]+)"/g))
      for (const [, name = "", alias = name] of names.matchAll(/(?:^|,)\s*(\w+)(?: as (\w+))?\s*(?=,|$)/g))
        meanings.set(alias, toName(from, name));
    for (const [, name = "", from = ""] of read(file).matchAll(/(?:^|\n)import \* as (\w+) from "(\.[^"]+)"/g))
      meanings.set(name, toName(from, "*"));
    return [file, meanings];
  }),
);
function findNames({ file, name, text }: Definition): string[] {
  const meanings = imported.get(file);
  return [...text.matchAll(/(?:\b(\w+)\.)?\b(\w+)/g)].flatMap(([, owner = "", word = ""]) => {
    const whole = meanings?.get(owner);
    if (whole?.endsWith("#*") === true) return [whole.replace("*", word)];
    return [owner, word]
      .filter((candidate) => candidate !== name)
      .map((candidate) => meanings?.get(candidate) ?? `${file}#${candidate}`);
  });
}

/** The functions of the store that end rights, as `FILE#NAME`. */
function findEndingFunctions(): Set<string> {
  const store = definitions.filter(({ file }) => file.startsWith("src/store/"));
  const endingNames = new Set<string>();
  for (let size = -1; size !== endingNames.size; ) {
    size = endingNames.size;
    for (const definition of store)
      if (
        STATEMENTS.some((statement) => statement.test(definition.text)) ||
        findNames(definition).some((name) => endingNames.has(name))
      )
        endingNames.add(`${definition.file}#${definition.name}`);
  }
  return endingNames;
}

const endingFunctions = findEndingFunctions();
const acts = definitions.filter(
  (definition) =>
    !definition.file.startsWith("src/store/") && findNames(definition).some((name) => endingFunctions.has(name)),
);

it("the list of acts names every file that ends rights", () => {
  expect(STATEMENTS.length).toBeGreaterThan(6);
  const actFiles = [...new Set(acts.map(({ file }) => file))].sort();
  expect(actFiles).toEqual([...Object.keys(ACTS_BY_FILE), ...Object.keys(NO_ACTS)].sort());
});

it.each(acts.filter(({ file }) => !(file in NO_ACTS)).map(({ file, name }) => [name, file]))(
  "%s in %s notifies the databases of workspaces that rights have ended",
  (name, file) => {
    const definitionsInFile = definitions.filter((definition) => definition.file === file);
    const callers = definitionsInFile.filter(
      (definition) => definition.name === name || findNames(definition).includes(`${file}#${name}`),
    );
    expect(callers.filter(({ text }) => /\btellHomes\(ctx\)/.test(text))).not.toEqual([]);
  },
);
