import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { compose } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { app } from "../../src/http/app.ts";
import { breakingDatabase, never } from "./breaking-db.ts";
import { countedDatabase } from "./counted-db.ts";
import { DATABASES, testEnv } from "./env.ts";
import { type Account, type Answer, type CallOptions, signUp } from "./world.ts";

/** Reads the number of the database with a workspace's rows from the accounts database. */
export async function readHome(workspace: string): Promise<number> {
  const row = await testEnv.DB.prepare("SELECT home FROM workspaces WHERE id = ?")
    .bind(workspace)
    .first<{ home: number }>();
  return row?.home ?? -1;
}

/** Lists the databases in which a table has rows of a workspace. */
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

/** Makes a database that answers no calls. */
export const makeAway = (home: number): D1Database =>
  breakingDatabase(database(home), { call: 1, committed: false, how: "away" }).db;

/** Makes a database whose calls never settle. */
export function makeHanging(): D1Database {
  const statement = new Proxy({}, { get: (_, name) => (name === "bind" ? () => statement : never) });
  return new Proxy(testEnv.DB, { get: (_, name) => (name === "prepare" ? () => statement : never) });
}

export function database(home: number): D1Database {
  const db = DATABASES[home];
  if (db === undefined) throw new Error(`there is no database ${home}`);
  return db;
}

/** Signs up an account whose workspace is in the database `home`. */
export async function signUpIn(home: number): Promise<Account> {
  for (let i = 0; i < 3; i++) {
    const account = await signUp();
    if ((await readHome(account.workspace)) === home) return account;
    await growAllBut(home);
  }
  throw new Error("new workspaces go elsewhere");
}

/** Makes all other databases larger than the database `home`. */
async function growAllBut(home: number): Promise<void> {
  const sizes = await Promise.all(DATABASES.map(readSize));
  for (const [index, db] of DATABASES.entries()) {
    const bytes = (sizes[home] ?? 0) - (sizes[index] ?? 0);
    if (index === home || bytes < 0) continue;
    await db.prepare("CREATE TABLE IF NOT EXISTS ballast (bytes BLOB)").run();
    await db
      .prepare("INSERT INTO ballast VALUES (zeroblob(?))")
      .bind(bytes + 65_536)
      .run();
  }
}

export const readSize = async (db: D1Database): Promise<number> => (await db.prepare("SELECT 1").run()).meta.size_after;

/** Makes a call of the API with these bindings. */
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

/** Makes a call of the API with these bindings, and counts its round trips. Raw reads are made twice (-> countedDatabase). */
export async function callWith<Body = Record<string, unknown>>(
  bindings: Partial<Env>,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<Body> & { roundTrips: number }> {
  const env: Env = { ...testEnv, ...bindings };
  const counted = [env.DB, env.DB_1, env.DB_2].map((db) => (db === undefined ? undefined : countedDatabase(db)));
  const [DB = env.DB, DB_1, DB_2] = counted.map((counted) => counted?.db);
  const countedBindings = { DB, ...(DB_1 && { DB_1 }), ...(DB_2 && { DB_2 }) };
  const answer = await callVia<Body>({ ...bindings, ...countedBindings }, method, path, options);
  return { ...answer, roundTrips: counted.reduce((sum, countedDb) => sum + (countedDb?.use.roundTrips ?? 0), 0) };
}

/** Makes a context with these bindings. */
export const contextWith = (bindings: Partial<Env> = {}) => compose({ ...testEnv, ...bindings }, () => {});
