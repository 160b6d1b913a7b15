// The settings of a workspace: the accounts database is authoritative, and the database with the workspace's rows has a
// copy.
import type { Query } from "../query.ts";

/** The columns of a workspace that are set in the accounts database and read in the workspace's database. */
export const SETTINGS = [
  "name",
  "plan",
  "plan_status",
  "timezone",
  "approval",
  "four_eyes",
  "rechecks",
  "budget",
  "link_tags",
  "rights_epoch",
  "carry_version",
] as const;

/** Copies a workspace's settings from the accounts database to its new database. */
export async function copySettings(accounts: Query, to: Query, workspace: string): Promise<void> {
  const columns = ["id", "created_at", ...SETTINGS];
  const [row] = await accounts(
    `SELECT json_array(${columns.join(", ")}) AS row FROM workspaces WHERE id = ?`,
    workspace,
  );
  if (row === undefined) return;
  const values = columns.map((_, i) => `?1 ->> ${i}`).join(", ");
  // The new database may already have received later settings, or a later `rights_epoch`, from the accounts database.
  const newest = (column: string) =>
    column === "rights_epoch" ? `MAX(workspaces.${column}, excluded.${column})` : `excluded.${column}`;
  const updates = SETTINGS.map((column) => `${column} = ${newest(column)}`).join(", ");
  await to(
    `INSERT INTO workspaces (${columns.join(", ")}) SELECT ${values} WHERE TRUE ON CONFLICT (id) DO UPDATE SET ${updates}
      WHERE excluded.carry_version >= workspaces.carry_version`,
    String(row.row),
  );
}
