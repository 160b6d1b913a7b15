// Reads exports as they arrive, and creates hundreds of posts for them.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect } from "vitest";
import { readCsv } from "../../src/adapters/csv.ts";
import { app } from "../../src/http/app.ts";
import { testEnv } from "../support/env.ts";

/** Makes a call, and returns its answer before the body has arrived. */
export async function open(path: string, key: string, DB = testEnv.DB) {
  const execution = createExecutionContext();
  const request = new Request(`http://crier.test${path}`, { headers: { authorization: `Bearer ${key}` } });
  const response = await app.fetch(request, { ...testEnv, DB }, execution);
  return { response, finish: () => waitOnExecutionContext(execution) };
}

export async function fetchText(path: string, key: string, DB = testEnv.DB) {
  const { response, finish } = await open(path, key, DB);
  const text = await response.text();
  await finish();
  return { status: response.status, headers: response.headers, text };
}

/** A line of an export. */
export interface Line {
  type: string;
  id?: string;
  lines?: number;
  next?: string | null;
}

export const parseLines = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Fetches the whole export of a workspace. */
export async function readExport(key: string) {
  const { status, headers, text } = await fetchText("/v1/export", key);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/x-ndjson");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(text.endsWith("\n")).toBe(true);
  return { lines: parseLines(text), text };
}

/** Parses the rows of a CSV text by its header. */
export function parseRows(text: string): Record<string, string>[] {
  const read = readCsv(text);
  if ("brokenAt" in read) return expect.fail(`line ${read.brokenAt} is broken`);
  const [header, ...rows] = read.map(({ cells }) => cells);
  return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [header?.[i] ?? "", cell])));
}

/** Copies a post of the workspace in the database, this many times. */
export async function copyPost(workspace: string, id: string, times: number) {
  for (const table of ["posts", "deliveries"]) {
    const { results } = await testEnv.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{
      name: string;
    }>();
    const idColumn = table === "posts" ? "id" : "post_id";
    const names = results.map(({ name }) => name);
    const values = names.map((name) => (name === idColumn ? `substr(${idColumn}, 1, 24) || printf('%07d', i)` : name));
    await testEnv.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
        INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, n WHERE workspace_id = ? AND ${idColumn} = ?`,
    )
      .bind(workspace, id)
      .run();
  }
}
