import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { required } from "../columns.ts";

export const moving = sqliteTable("moving", {
  workspaceId: text("workspace_id").primaryKey(),
  stage: required("stage").$type<"arriving" | "leaving" | "retiring" | "kept">(),
});

export const keptRows = sqliteTable(
  "kept_rows",
  {
    workspaceId: required("workspace_id"),
    tableName: required("table_name"),
    key: required("key"),
    content: required("content"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.tableName, table.key] })],
);
