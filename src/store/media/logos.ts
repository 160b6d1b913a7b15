// The open pages for clients that show a file as their logo, and the workspaces whose brand has it. They are in the accounts' database, and files in that of their
// workspace, so no single statement can check both: a page that is made at the same instant as its file is deleted has no logo.
import { sql } from "drizzle-orm";
import { type Database, NOW } from "../db/db.ts";
import { media } from "../db/schema.ts";
import { among, type StagedFile } from "./staging.ts";

/** How far a use by a workspace's own brand, which has no end, moves the expiry of its file. It is moved again before it passes. */
const BRAND_KEEPS_MS = 30 * 86_400_000;

/** A file that an open portal, an open connect link or a workspace's own brand shows. */
export interface LogoUse {
  workspaceId: string;
  mediaId: string;
  shownBy: "portal" | "link" | "workspace";
  /** Null unless a portal shows it. */
  portalId: string | null;
  name: string | null;
  expiresAt: number;
}

/** For each of these files that are shown as a logo, the use that ends last. `accounts`: the accounts' database. */
export async function findLogoUses(
  accounts: Database,
  files: readonly { workspaceId: string; id: string }[],
): Promise<LogoUse[]> {
  const list = sql`json_each(${JSON.stringify(files.map(({ workspaceId, id }) => ({ workspaceId, id })))}) AS file`;
  // The other columns are those of the row with the largest `expiresAt` (sqlite.org/lang_select.html#bareagg).
  return accounts.all<LogoUse>(sql`SELECT workspaceId, mediaId, shownBy, portalId, name, MAX(expiresAt) AS expiresAt FROM (
    SELECT portals.workspace_id AS workspaceId, file.value ->> 'id' AS mediaId, 'portal' AS shownBy, portals.id AS portalId,
      portals.name AS name, portals.expires_at AS expiresAt
    FROM ${list} CROSS JOIN portals ON portals.workspace_id = file.value ->> 'workspaceId'
    WHERE portals.brand ->> 'logoMedia' = file.value ->> 'id' AND portals.expires_at > ${NOW}
    UNION ALL
    SELECT links.workspace_id, file.value ->> 'id', 'link', NULL, NULL, links.expires_at
    FROM ${list} CROSS JOIN connect_links AS links ON links.workspace_id = file.value ->> 'workspaceId'
    WHERE links.brand ->> 'logoMedia' = file.value ->> 'id' AND links.expires_at > ${NOW}
    UNION ALL
    SELECT workspaces.id, file.value ->> 'id', 'workspace', NULL, NULL, ${NOW} + ${BRAND_KEEPS_MS}
    FROM ${list} CROSS JOIN workspaces ON workspaces.id = file.value ->> 'workspaceId'
    WHERE workspaces.brand ->> 'logoMedia' = file.value ->> 'id'
  ) GROUP BY workspaceId, mediaId`);
}

/** Moves the expiry of files to the end of the pages that show them. `files` and `uses` are as they were read. */
export async function keepLogos(db: Database, files: StagedFile[], uses: readonly LogoUse[]): Promise<void> {
  const ends = sql`json_each(${JSON.stringify(uses)})`;
  await db
    .update(media)
    .set({
      expiresAt: sql`(SELECT value ->> 'expiresAt' FROM ${ends} WHERE value ->> 'workspaceId' = ${media.workspaceId}
        AND value ->> 'mediaId' = ${media.id})`,
    })
    .where(among(files));
}
