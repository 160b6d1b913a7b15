import { expect, it } from "vitest";
import { INVARIANTS } from "../../../src/store/invariants.ts";
import { toPageQuestion, toPages } from "../../../src/store/invariants-page.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const { raw } = sqliteDatabase();
const tables = raw
  .prepare(
    "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'workspace_id'",
  )
  .all()
  .map(({ name }) => String(name));

it("pages cover every id exactly once", () => {
  expect(toPages([])).toEqual([{ after: null, upTo: null }]);
  expect(toPages(["b", "d"])).toEqual([
    { after: null, upTo: "b" },
    { after: "b", upTo: "d" },
    { after: "d", upTo: null },
  ]);
});

it.each(INVARIANTS)("the invariant $name reads only the rows of its page", ({ sql }) => {
  const question = toPageQuestion(sql, { after: "ws_a", upTo: "ws_o'b" });
  for (const table of [...tables, "workspaces"].filter((name) => new RegExp(`\\b(?:FROM|JOIN) ${name}\\b`).test(sql))) {
    expect(question).toContain(`${table} AS (SELECT * FROM main.${table} WHERE`);
  }
  const plan = raw.prepare(`EXPLAIN QUERY PLAN SELECT * FROM (${question}) LIMIT 1000`).all();
  const scans = plan
    .map(({ detail }) => String(detail))
    .filter((detail) => /^SCAN (?!json_each|\(subquery)/.test(detail));
  expect(scans, "no table may be scanned completely").toEqual([]);
});
