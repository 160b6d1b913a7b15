// The labels of a workspace. Triggers count them with each write of a post.
import { and, asc, eq, gt } from "drizzle-orm";
import { type Statements, toStatements } from "../db/batch.ts";
import type { Database, In } from "../db/db.ts";
import { labels } from "../db/schema.ts";

/** A page of labels by name, after `after` (null: from the first). */
export function readLabels(
  db: Database,
  workspaceId: In<string>,
  { limit, after }: { limit: number; after: string | null },
): Statements<{ name: string; posts: number }[]> {
  const rows = db
    .select({ name: labels.name, posts: labels.posts })
    .from(labels)
    .where(and(eq(labels.workspaceId, workspaceId), after === null ? undefined : gt(labels.name, after)))
    .orderBy(asc(labels.name))
    .limit(limit);
  return toStatements({ rows }, ({ rows }) => rows);
}
