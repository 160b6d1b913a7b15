// Texts that members insert into posts.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { AuditEntry } from "../domain/audit.ts";
import type { SnippetKind } from "../domain/snippet.ts";
import { recordWorkspaceAct } from "./audit.ts";
import { batch } from "./db/batch.ts";
import { type Database, insertFrom } from "./db/db.ts";
import { snippets } from "./db/schema.ts";

export type SnippetRow = typeof snippets.$inferSelect;

const isSnippet = (workspaceId: string, id: string) => and(eq(snippets.workspaceId, workspaceId), eq(snippets.id, id));

/** A page of snippets, newest first, below the id `before`. `kind`: only this kind; null: all. */
export async function listSnippets(
  db: Database,
  workspaceId: string,
  { limit, before, kind }: { limit: number; before: string | null; kind: SnippetKind | null },
): Promise<SnippetRow[]> {
  return db
    .select()
    .from(snippets)
    .where(
      and(
        eq(snippets.workspaceId, workspaceId),
        before === null ? undefined : lt(snippets.id, before),
        kind === null ? undefined : eq(snippets.kind, kind),
      ),
    )
    .orderBy(desc(snippets.id))
    .limit(limit);
}

/** Stores a snippet if the workspace has fewer than `max`. Returns undefined at the limit. */
export async function insertSnippet(
  db: Database,
  row: SnippetRow,
  max: number,
  entry: AuditEntry,
): Promise<SnippetRow | undefined> {
  const hasRoom = sql`(SELECT COUNT(*) FROM ${snippets} WHERE ${snippets.workspaceId} = ${row.workspaceId}) < ${max}`;
  const { rows } = await batch(db, {
    rows: insertFrom(db, snippets, row, sql`WHERE ${hasRoom}`).returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

/** Changes a snippet. Returns undefined if there is no such snippet. */
export async function updateSnippet(
  db: Database,
  id: string,
  change: Partial<Pick<SnippetRow, "name" | "text" | "kind">>,
  entry: AuditEntry,
): Promise<SnippetRow | undefined> {
  const { rows } = await batch(db, {
    rows: db.update(snippets).set(change).where(isSnippet(entry.workspaceId, id)).returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

export async function getSnippet(db: Database, workspaceId: string, id: string): Promise<SnippetRow | undefined> {
  const [row] = await db.select().from(snippets).where(isSnippet(workspaceId, id));
  return row;
}

/** Deletes a snippet. Returns whether it existed. */
export async function deleteSnippet(db: Database, id: string, entry: AuditEntry): Promise<boolean> {
  const { rows } = await batch(db, {
    rows: db.delete(snippets).where(isSnippet(entry.workspaceId, id)).returning({ id: snippets.id }),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows.length === 1;
}
