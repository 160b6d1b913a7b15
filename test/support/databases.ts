// Workspaces of the suite that has several databases.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { compose } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { app } from "../../src/http/app.ts";
import { breakingDatabase, never } from "./breaking-db.ts";
import { countedDatabase } from "./counted-db.ts";
import { DATABASES, testEnv } from "./env.ts";
import { type Account, type Answer, type CallOptions, signUp } from "./world.ts";

/** The number of the database that has a workspace's rows, as the accounts have it. */
export async function homeOf(workspace: string): Promise<number> {
  const row = await testEnv.DB.prepare("SELECT home FROM workspaces WHERE id = ?")
    .bind(workspace)
    .first<{ home: number }>();
  return row?.home ?? -1;
}

/** In which databases a table has rows of a workspace. */
export async function databasesWith(table: string, workspace: string): Promise<number[]> {
  const counts = await Promise.all(
    DATABASES.map((db) =>
      db
        .prepare(`SELECT COUNT(*) AS count FROM ${table} WHERE workspace_id = ?`)
        .bind(workspace)
        .first<number>("count"),
    ),
  );
  return counts.flatMap((count, home) => (count === 0 ? [] : [home]));
}

/** A database that gives no answer to anything. */
export const away = (home: number): D1Database =>
  breakingDatabase(database(home), { call: 1, committed: false, how: "away" }).db;

/** A database of which nobody hears any more. */
export function hanging(): D1Database {
  const statement = new Proxy({}, { get: (_, name) => (name === "bind" ? () => statement : never) });
  return new Proxy(testEnv.DB, { get: (_, name) => (name === "prepare" ? () => statement : never) });
}

export function database(home: number): D1Database {
  const found = DATABASES[home];
  if (found === undefined) throw new Error(`there is no database ${home}`);
  return found;
}

/** An account whose workspace is in the database `home`, wherever new ones would go. */
export async function signUpIn(home: number): Promise<Account> {
  for (let i = 0; i < 3; i++) {
    const account = await signUp();
    if ((await homeOf(account.workspace)) === home) return account;
    await growAllBut(home);
  }
  throw new Error("new workspaces go elsewhere");
}

/** Makes all other databases larger than one. */
async function growAllBut(home: number): Promise<void> {
  const sizes = await Promise.all(DATABASES.map(sizeOf));
  for (const [other, db] of DATABASES.entries()) {
    const bytes = (sizes[home] ?? 0) - (sizes[other] ?? 0);
    if (other === home || bytes < 0) continue;
    await db.prepare("CREATE TABLE IF NOT EXISTS ballast (bytes BLOB)").run();
    await db
      .prepare("INSERT INTO ballast VALUES (zeroblob(?))")
      .bind(bytes + 65_536)
      .run();
  }
}

export const sizeOf = async (db: D1Database): Promise<number> => (await db.prepare("SELECT 1").run()).meta.size_after;

/** One call of the API with some bindings of a test's own. */
export async function callVia<Body = Record<string, unknown>>(
  bindings: Partial<Env>,
  method: string,
  path: string,
  { body, token, headers }: CallOptions = {},
): Promise<Answer<Body> & { text: string }> {
  const request = new Request(`http://crier.test${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...testEnv, ...bindings }, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined, text };
}

/** The same, and how often it asked the databases. Reads of rows are carried out twice (-> countedDatabase). */
export async function callWith<Body = Record<string, unknown>>(
  bindings: Partial<Env>,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<Body> & { roundTrips: number }> {
  const env: Env = { ...testEnv, ...bindings };
  const counted = [env.DB, env.DB_1, env.DB_2].map((db) => (db === undefined ? undefined : countedDatabase(db)));
  const [DB = env.DB, DB_1, DB_2] = counted.map((one) => one?.db);
  const given = { DB, ...(DB_1 && { DB_1 }), ...(DB_2 && { DB_2 }) };
  const answer = await callVia<Body>({ ...bindings, ...given }, method, path, options);
  return { ...answer, roundTrips: counted.reduce((sum, one) => sum + (one?.use.roundTrips ?? 0), 0) };
}

/** A context over some bindings of a test's own. */
export const contextWith = (bindings: Partial<Env> = {}) => compose({ ...testEnv, ...bindings }, () => {});
