// Chooses the database for a new workspace's rows: the emptiest database that answers.
import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import { deleteHome, insertHome, readDatabaseSize } from "../../store/accounts/homes.ts";
import type { Database } from "../../store/db/db.ts";
import { ANSWER_MAX_MS, inTime } from "../../store/db/in-time.ts";

/** Prepares the home of a new workspace, and returns the workspace with it. */
export async function placeWorkspace(ctx: Context, workspace: WorkspaceRow): Promise<WorkspaceRow> {
  if (ctx.homes.isSingle) return workspace;
  for (const { home, db } of await byEmptiness(ctx)) {
    // In the accounts database, the workspace's row is inserted together with the account's rows.
    if (home === 0 || (await tried(ctx, home, insertHome(db, workspace))) !== null) return { ...workspace, home };
  }
  // Without the accounts database no workspace can be created anyway.
  return workspace;
}

/** Removes the home of a workspace that was refused. */
export function unplaceWorkspace(ctx: Context, { id, home }: WorkspaceRow): void {
  if (home !== 0) ctx.later(deleteHome(ctx.homes.at(home), id));
}

async function byEmptiness(ctx: Context): Promise<{ home: number; db: Database; bytes: number }[]> {
  const sizes = await Promise.all(
    ctx.databases.map(async (db, home) => ({ home, db, bytes: await tried(ctx, home, readDatabaseSize(db)) })),
  );
  return sizes
    .flatMap(({ bytes, ...otherFields }) => (bytes === null ? [] : [{ ...otherFields, bytes }]))
    .toSorted((a, b) => a.bytes - b.bytes || a.home - b.home);
}

/** null: the database does not answer. */
async function tried<Answer>(ctx: Context, home: number, work: Promise<Answer>): Promise<Answer | null> {
  try {
    return await inTime(ctx.pause, ANSWER_MAX_MS, work);
  } catch (error) {
    log("error", "database_passed_over", { operation: `database ${home}`, error: errorText(error) });
    return null;
  }
}
