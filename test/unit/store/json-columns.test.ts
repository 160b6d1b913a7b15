// JSON columns accept only JSON of the expected kind, because one row with other JSON would stop the lists of its workspace and its lane.
import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as schema from "../../../src/store/db/schema.ts";
import { fillOddly } from "../../support/odd-rows.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

/** JSON that the store reads as a text. */
const TEXTS: [table: string, column: string][] = [["events", "body"]];
const tables: SQLiteTable[] = Object.values(schema);
const columns = tables.flatMap((table) =>
  Object.values(getTableColumns(table))
    .filter(({ dataType }) => dataType === "json")
    .map((column): [string, string] => [getTableName(table), column.name]),
);

describe.each([...columns, ...TEXTS])("%s.%s", (table, column) => {
  const { raw } = sqliteDatabase();
  fillOddly(raw, 1);

  it.each(["{broken", "", "7", "null", '"text"'])("the column rejects %j", (value) => {
    expect(() => raw.prepare(`UPDATE ${table} SET ${column} = ?`).run(value)).toThrow(/JSON/);
    const names = raw.prepare("SELECT name FROM pragma_table_info(?)").all(table);
    const values = names.map(({ name }) => (name === column ? "?" : String(name)));
    expect(() => raw.prepare(`INSERT INTO ${table} SELECT ${values.join()} FROM ${table}`).run(value)).toThrow(/JSON/);
  });

  it("the column accepts either a list or an object", () => {
    const takes = (value: string) => {
      try {
        raw.prepare(`UPDATE ${table} SET ${column} = ?`).run(value);
        return true;
      } catch {
        return false;
      }
    };
    expect([takes("[]"), takes("{}")].filter(Boolean)).toHaveLength(1);
  });
});
