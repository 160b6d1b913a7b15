// What a workspace is exported as, read as it comes, and posts by the hundred to be exported.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect } from "vitest";
import { readCsv } from "../../src/adapters/csv.ts";
import { app } from "../../src/http/app.ts";
import { testEnv } from "../support/env.ts";

/** The answer of a call, with its body still to come. */
export async function open(path: string, key: string, DB = testEnv.DB) {
  const execution = createExecutionContext();
  const request = new Request(`http://crier.test${path}`, { headers: { authorization: `Bearer ${key}` } });
  const response = await app.fetch(request, { ...testEnv, DB }, execution);
  return { response, over: () => waitOnExecutionContext(execution) };
}

export async function textOf(path: string, key: string, DB = testEnv.DB) {
  const { response, over } = await open(path, key, DB);
  const text = await response.text();
  await over();
  return { status: response.status, headers: response.headers, text };
}

/** The rows of a CSV text by its header. */
export function rowsOf(text: string): Record<string, string>[] {
  const read = readCsv(text);
  if ("brokenAt" in read) return expect.fail(`line ${read.brokenAt} is broken`);
  const [header, ...rows] = read.map(({ cells }) => cells);
  return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [header?.[i] ?? "", cell])));
}

/** A post of the workspace, so many times more, as the database has it. */
export async function copyPost(workspace: string, id: string, times: number) {
  for (const table of ["posts", "deliveries"]) {
    const { results } = await testEnv.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{
      name: string;
    }>();
    const own = table === "posts" ? "id" : "post_id";
    const names = results.map(({ name }) => name);
    const values = names.map((name) => (name === own ? `substr(${own}, 1, 24) || printf('%07d', i)` : name));
    await testEnv.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
        INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, n WHERE workspace_id = ? AND ${own} = ?`,
    )
      .bind(workspace, id)
      .run();
  }
}
