// The names of users and keys for people to read.
import { and, eq, sql } from "drizzle-orm";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { accountKeys, namedKeys, users, workspaceKeys } from "../db/schema.ts";

/** The name by which other people see a user, inside a statement. */
export const nameOfUser = sql<string>`COALESCE(${users.name}, ${users.email})`;

/** The names or addresses of people, and the names of the workspace's keys; deleted users and keys are left out. */
export async function namesByIds(db: Database, workspaceId: string, ids: string[]): Promise<Map<string, string>> {
  const idList = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const { people, named, own, ofAccounts } = await batch(db, {
    people: db.select({ id: users.id, name: nameOfUser }).from(users).where(sql`${users.id} IN ${idList}`),
    named: db
      .select({ id: namedKeys.id, name: sql<string>`'the key ' || ${namedKeys.name}` })
      .from(namedKeys)
      .where(and(eq(namedKeys.workspaceId, workspaceId), sql`${namedKeys.id} IN ${idList}`)),
    own: db
      .select({ id: workspaceKeys.id, name: sql<string>`'the workspace key'` })
      .from(workspaceKeys)
      .where(and(eq(workspaceKeys.workspaceId, workspaceId), sql`${workspaceKeys.id} IN ${idList}`)),
    ofAccounts: db
      .select({ id: accountKeys.id, name: sql<string>`'the account key ' || ${accountKeys.name}` })
      .from(accountKeys)
      .where(sql`${accountKeys.id} IN ${idList}`),
  });
  return new Map([...people, ...named, ...own, ...ofAccounts].map(({ id, name }) => [id, name]));
}
