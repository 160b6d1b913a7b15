import { sql } from "drizzle-orm";
import { integer, type SQLiteColumnBuilderBase, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import { openDatabase } from "../../../src/store/db/db.ts";
import { fromJson, rowAsJson } from "../../../src/store/db/row-as-json.ts";
import { testEnv } from "../../support/env.ts";

it("a row with more columns than a function accepts is read completely, each column in its type", async () => {
  const columns: Record<string, SQLiteColumnBuilderBase> = {
    flag: integer("flag", { mode: "boolean" }),
    list: text("list", { mode: "json" }),
    none: text("none"),
  };
  for (let i = 0; i < 70; i++) columns[`c${i}`] = integer(`c${i}`);
  const wide = sqliteTable("wide", columns);
  const numbers = Array.from({ length: 70 }, (_, i) => sql`${sql.raw(String(i))} AS ${sql.identifier(`c${i}`)}`);
  const row = rowAsJson(wide);
  const query = openDatabase(testEnv.DB)
    .select({ row: fromJson(row.array, row.read) })
    .from(sql`(SELECT 1 AS flag, '["a",1]' AS list, NULL AS none, ${sql.join(numbers, sql`, `)}) AS wide`);
  // The local database accepts more arguments than D1 does.
  const calls = [...query.toSQL().sql.matchAll(/json_array\(([^()]+)\)/g)].map(
    ([, argumentList = ""]) => argumentList.split(",").length,
  );
  expect(Math.max(...calls)).toBeLessThanOrEqual(32);
  const [result] = await query;
  const counted = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`c${i}`, i]));
  expect(result?.row).toEqual({ flag: true, list: ["a", 1], none: null, ...counted });
});
