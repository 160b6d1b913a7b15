// Reports, stored with the hash of their token. A report stores its question; the figures are read when it is opened.
import { and, eq, gt, lt } from "drizzle-orm";
import type { AuditEntry } from "../domain/audit.ts";
import { recordAccountAct } from "./audit.ts";
import { type Database, NOW } from "./db/db.ts";
import { reports } from "./db/schema.ts";

export type ReportRow = typeof reports.$inferSelect;

/** Stores a report and deletes expired ones. */
export async function insertReport(db: Database, row: ReportRow, entry: AuditEntry): Promise<void> {
  await db.batch([
    db.delete(reports).where(lt(reports.expiresAt, NOW)),
    db.insert(reports).values(row),
    recordAccountAct(db, entry),
  ]);
}

/** The report with this token; undefined: it has expired or never existed. */
export async function findReport(db: Database, tokenHash: string): Promise<ReportRow | undefined> {
  const [row] = await db
    .select()
    .from(reports)
    .where(and(eq(reports.tokenHash, tokenHash), gt(reports.expiresAt, NOW)));
  return row;
}
