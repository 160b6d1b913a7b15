// The settings of a workspace: the accounts decide them, and the database with its rows has a copy.
import type { Query } from "./query.ts";

/** The columns of a workspace that the database of the accounts decides, and that are read where its rows are. */
export const SETTINGS = [
  "name",
  "plan",
  "plan_status",
  "timezone",
  "approval",
  "four_eyes",
  "rechecks",
  "budget",
  "rights_epoch",
] as const;

/** Writes what the accounts say of a workspace into the database that it moves to. */
export async function copySettings(accounts: Query, to: Query, workspace: string): Promise<void> {
  const columns = ["id", "created_at", ...SETTINGS];
  const [row] = await accounts(
    `SELECT json_array(${columns.join(", ")}) AS row FROM workspaces WHERE id = ?`,
    workspace,
  );
  if (row === undefined) return;
  const values = columns.map((_, i) => `?1 ->> ${i}`).join(", ");
  // The accounts may have told the new database of a later number meanwhile.
  const newest = (column: string) =>
    column === "rights_epoch" ? `MAX(workspaces.${column}, excluded.${column})` : `excluded.${column}`;
  const updates = SETTINGS.map((column) => `${column} = ${newest(column)}`).join(", ");
  await to(
    `INSERT INTO workspaces (${columns.join(", ")}) SELECT ${values} WHERE TRUE ON CONFLICT (id) DO UPDATE SET ${updates}`,
    String(row.row),
  );
}
