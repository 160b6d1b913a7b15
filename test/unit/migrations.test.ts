// Migrations run before the new code is deployed. The previous release then works on the new tables for a moment, or for any time
// after a rollback. So a migration may only add to the tables.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { isAtLeast, unusedSince } from "../../scripts/deploy/contract.ts";
import { BASELINE } from "../support/baseline.ts";
import { splitStatements } from "../support/cloudflare/statements.ts";
import { ROOT } from "../support/documents/markdown.ts";

const BREAKING: [RegExp, string][] = [
  [/\bDROP\s+(?:TABLE|COLUMN|VIEW|TRIGGER)\b/i, "drops what the release before reads"],
  [/\bALTER\s+TABLE\s+\S+\s+DROP\b/i, "drops what the release before reads"],
  [/\bRENAME\b/i, "renames what the release before reads"],
  [
    /\bADD\s+(?:COLUMN\s+)?\S+[^,;]*\bNOT\s+NULL\b(?![^,;]*\bDEFAULT\b)/i,
    "has a column that the release before does not fill",
  ],
];

const removeComments = (sql: string) => sql.replace(/--.*$/gm, "").replace(/\/\*[\s\S]*?\*\//g, "");

/** The reasons why a migration would break the previous release. */
function breaks(sql: string): string[] {
  // This migration is only deployed if no release in use reads the table or column that it drops.
  if (unusedSince(sql) !== null) return [];
  const code = removeComments(sql);
  return [...new Set(BREAKING.flatMap(([pattern, reason]) => (pattern.test(code) ? [reason] : [])))];
}

const files = readdirSync(join(ROOT, "migrations")).sort();

it("a migration drops or renames nothing that the previous release reads", () => {
  const broken = files
    .filter((file) => Number(file.slice(0, 4)) > BASELINE)
    .map((file) => ({ file, breaks: breaks(readFileSync(join(ROOT, "migrations", file), "utf8")) }))
    .filter((migration) => migration.breaks.length > 0);
  expect(broken, "add a column or a table instead; see docs/operations.md, Upgrade").toEqual([]);
});

it("every migration has its own number", () => {
  const numbers = files.map((file) => /^(\d{4})_\w+\.sql$/.exec(file)?.[1]);
  expect(numbers).not.toContain(undefined);
  expect(numbers).toEqual([...new Set(numbers)]);
});

it("splitting a migration as D1's query endpoint does gives complete statements", () => {
  const database = new DatabaseSync(":memory:");
  for (const file of files) {
    for (const statement of splitStatements(readFileSync(join(ROOT, "migrations", file), "utf8"))) {
      expect(() => database.exec(statement), `${file}: ${statement}`).not.toThrow();
    }
  }
  database.close();
});

const TRIGGER = "CREATE TRIGGER noted AFTER INSERT ON posts BEGIN\n  SELECT (CASE WHEN TRUE THEN 1 END);\nEND";
it.each([
  ["does not split a trigger whose CASE has parentheses", `${TRIGGER};\nSELECT 1;`, [TRIGGER, "SELECT 1"]],
  [
    "splits a trigger after the END of a bare CASE",
    "CREATE TRIGGER noted AFTER INSERT ON posts BEGIN SELECT CASE WHEN TRUE THEN 1 END; END;",
    ["CREATE TRIGGER noted AFTER INSERT ON posts BEGIN SELECT CASE WHEN TRUE THEN 1 END", "END"],
  ],
  [
    "splits a trigger whose BEGIN is in lower case",
    "CREATE TRIGGER noted AFTER INSERT ON posts begin SELECT 1; end;",
    ["CREATE TRIGGER noted AFTER INSERT ON posts begin SELECT 1", "end"],
  ],
  [
    "splits a trigger whose lines end with a carriage return",
    "CREATE TRIGGER noted AFTER INSERT ON posts BEGIN\r\nSELECT 1;\r\nEND;",
    ["CREATE TRIGGER noted AFTER INSERT ON posts BEGIN\r\nSELECT 1", "END"],
  ],
  [
    "does not split inside quotes and comments, and drops a trailing comment",
    "INSERT INTO posts VALUES ('a;''b'); -- so; far\n/* END; */",
    ["INSERT INTO posts VALUES ('a;''b')"],
  ],
])("D1's query endpoint %s", (_promise, sql, statements) => {
  expect(splitStatements(sql)).toEqual(statements);
});

it.each([
  ["DROP TABLE posts;", 1],
  ["drop  table IF EXISTS posts;", 1],
  ["ALTER TABLE posts DROP COLUMN text;", 1],
  ["ALTER TABLE posts DROP text;", 1],
  ["ALTER TABLE posts RENAME TO notes;", 1],
  ["ALTER TABLE posts RENAME COLUMN text TO body;", 1],
  ["ALTER TABLE posts ADD COLUMN note TEXT NOT NULL;", 1],
  ["ALTER TABLE posts ADD COLUMN note TEXT NOT NULL DEFAULT '';", 0],
  ["ALTER TABLE posts ADD COLUMN note TEXT;", 0],
  ["-- We DROP TABLE nothing here.\nCREATE TABLE notes (id TEXT NOT NULL);", 0],
  ["DROP INDEX posts_due;\nCREATE INDEX posts_due ON posts (due_at);", 0],
  ["-- Contract: unused since 0.3.0.\nDROP TABLE posts;", 0],
  ["-- Unused.\nDROP TABLE posts;", 1],
])("the check of migrations counts the breaking statements in %s: %i", (sql, count) => {
  expect(breaks(sql)).toHaveLength(count);
});

it.each([
  ["0.3.0+0123456789ab", "0.3.0", true],
  ["0.3.1", "0.3.0", true],
  ["1.0.0+0123456789ab", "0.10.4", true],
  ["0.10.0", "0.9.0", true],
  ["0.9.9", "0.10.0", false],
  ["0.2.9+0123456789ab", "0.3.0", false],
  ["", "0.1.0", false],
  ["dev", "0.1.0", false],
])("isAtLeast compares the versions %s and %s: %s", (version, minimum, expected) => {
  expect(isAtLeast(version, minimum)).toBe(expected);
});
