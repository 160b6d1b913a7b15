import { eq } from "drizzle-orm";
import type { Database } from "./db.ts";
import { members, users, workspaceKeys, workspaces } from "./schema.ts";

export type UserRow = typeof users.$inferSelect;
export type WorkspaceRow = typeof workspaces.$inferSelect;
export type Membership = WorkspaceRow & { role: "owner" | "member" };

/** `email` as normalised at sign-up. */
export async function findUserByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.email, email));
  return row;
}

export async function findUser(db: Database, id: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id));
  return row;
}

/** Every workspace that a user can act on, oldest first. */
export async function membershipsOf(db: Database, userId: string): Promise<Membership[]> {
  const rows = await db
    .select({ workspace: workspaces, role: members.role })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(members.userId, userId))
    .orderBy(members.workspaceId);
  return rows.map(({ workspace, role }) => ({ ...workspace, role }));
}

/** The statements that make a user. Fails on `users.email` when the email is taken. */
export function insertUser(db: Database, row: typeof users.$inferInsert) {
  return db.insert(users).values(row);
}

/** The statements that make a workspace with its owner and its key. */
export function insertWorkspace(
  db: Database,
  workspace: typeof workspaces.$inferInsert,
  owner: string,
  key: { id: string; hash: string; sealed: string },
) {
  const { id: workspaceId, createdAt } = workspace;
  return [
    db.insert(workspaces).values(workspace),
    db.insert(members).values({ workspaceId, userId: owner, role: "owner", createdAt }),
    db.insert(workspaceKeys).values({ workspaceId, ...key, createdAt }),
  ] as const;
}
