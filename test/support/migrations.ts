// Creates the tables before the tests of a file, and deletes crowded workspaces after them, because files share the databases.
import { applyD1Migrations } from "cloudflare:test";
import { afterAll } from "vitest";
import { DATABASES, testEnv } from "./env.ts";

/**
 * Test files that run in one workerd share its databases, and many helpers of tests read whole tables. A workspace with more
 * rows than this was planted to test what many rows do; it would slow down every file after it.
 */
const MOST_ROWS = 100;
const CROWDED_TABLES = ["posts", "deliveries", "events", "media_uses", "webhook_messages", "workspace_audit"];

for (const database of DATABASES) await applyD1Migrations(database, testEnv.TEST_MIGRATIONS);

afterAll(async () => {
  const crowded = CROWDED_TABLES.map(
    (table) => `id IN (SELECT workspace_id FROM ${table} GROUP BY workspace_id HAVING COUNT(*) > ${MOST_ROWS})`,
  ).join(" OR ");
  for (const database of DATABASES) await database.exec(`DELETE FROM workspaces WHERE ${crowded}`);
});
