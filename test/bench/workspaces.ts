// Workspaces with their keys, written directly into the database, because signing up two thousand people takes minutes of hashing.

export interface NewWorkspace {
  id: string;
  name: string;
  keyId: string;
  /** The SHA-256 of the key in hex. */
  keyHash: string;
  createdAt: number;
}

const CHUNK = 500;

export async function fillWorkspaces(db: D1Database, workspaces: NewWorkspace[]): Promise<void> {
  const field = (name: string) => `value ->> '${name}'`;
  for (let i = 0; i < workspaces.length; i += CHUNK) {
    const chunk = JSON.stringify(workspaces.slice(i, i + CHUNK));
    await db.batch([
      db
        .prepare(
          `INSERT INTO workspaces (id, name, plan, created_at)
            SELECT ${field("id")}, ${field("name")}, 'unlimited', ${field("createdAt")} FROM json_each(?)`,
        )
        .bind(chunk),
      db
        .prepare(
          `INSERT INTO workspace_keys (workspace_id, id, hash, created_at, last_used_at)
            SELECT ${field("id")}, ${field("keyId")}, ${field("keyHash")}, ${field("createdAt")}, ${field("createdAt")}
              FROM json_each(?)`,
        )
        .bind(chunk),
    ]);
  }
}
