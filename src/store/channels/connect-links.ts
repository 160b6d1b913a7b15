// Links by which a user connects an account. A link can be opened again until it has connected one; only the network's
// answer to the latest opening counts, once.
import { and, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import { CONNECT_ATTEMPT_MS } from "../../domain/limits.ts";
import { recordAccountAct } from "../audit.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { connectLinks, workspaces } from "../db/schema.ts";

export type ConnectLink = typeof connectLinks.$inferSelect;

const isAlive = gt(connectLinks.expiresAt, NOW);

/** Stores a link and deletes expired ones. */
export async function insertConnectLink(
  db: Database,
  link: typeof connectLinks.$inferInsert,
  entry: AuditEntry,
): Promise<void> {
  await db.batch([
    db.delete(connectLinks).where(lt(connectLinks.expiresAt, NOW)),
    db.insert(connectLinks).values(link),
    recordAccountAct(db, entry),
  ]);
}

/** A link that has not expired and has not connected an account. */
export async function findConnectLink(db: Database, id: string): Promise<ConnectLink | undefined> {
  const [row] = await db
    .select()
    .from(connectLinks)
    .where(and(eq(connectLinks.id, id), isAlive));
  return row;
}

/** Opens a link for one browser, which ends its earlier opening. undefined: the link has expired or was used. */
export async function openConnectLink(
  db: Database,
  id: string,
  opening: { stateHash: string; browserHash: string; verifier: string },
): Promise<ConnectLink | undefined> {
  const [row] = await db
    .update(connectLinks)
    .set({ ...opening, openedAt: NOW, answeredAt: null, granted: null })
    .where(and(eq(connectLinks.id, id), isAlive))
    .returning();
  return row;
}

/** The answer that a network's redirect belongs to. `browserHash` must be that of the browser that opened the link. */
interface Answer {
  platform: string;
  stateHash: string;
  browserHash: string;
}
const isAnswer = ({ platform, stateHash, browserHash }: Answer) =>
  and(
    eq(connectLinks.stateHash, stateHash),
    eq(connectLinks.platform, platform),
    eq(connectLinks.browserHash, browserHash),
    isAlive,
    sql`${connectLinks.openedAt} > ${NOW} - ${CONNECT_ATTEMPT_MS}`,
  );

/**
 * Accepts the network's redirect, once. undefined: it belongs to no open link of this browser, or was accepted before.
 */
export async function answerConnectLink(db: Database, answer: Answer): Promise<ConnectLink | undefined> {
  const [row] = await db
    .update(connectLinks)
    .set({ answeredAt: NOW })
    .where(and(isAnswer(answer), isNull(connectLinks.answeredAt)))
    .returning();
  return row;
}

/** Stores the accounts to choose from, sealed. */
export async function storeGranted(db: Database, id: string, granted: string): Promise<void> {
  await db.update(connectLinks).set({ granted }).where(eq(connectLinks.id, id));
}

/** The link whose accounts are to be chosen from. */
export async function findGranted(db: Database, answer: Answer): Promise<ConnectLink | undefined> {
  const [row] = await db.select().from(connectLinks).where(isAnswer(answer));
  return row;
}

/** Takes the link whose accounts are to be chosen from, and deletes it. */
export async function takeGranted(db: Database, answer: Answer): Promise<ConnectLink | undefined> {
  const [row] = await db.delete(connectLinks).where(isAnswer(answer)).returning();
  return row;
}

/** Takes a link whose page has asked for credentials, and deletes it. */
export async function takeConnectLink(db: Database, id: string): Promise<ConnectLink | undefined> {
  const [row] = await db
    .delete(connectLinks)
    .where(and(eq(connectLinks.id, id), isAlive))
    .returning();
  return row;
}

/** Stores a link that was taken again, because it has connected no account. It can then be opened once more. */
export async function putBackLink(db: Database, link: ConnectLink): Promise<void> {
  const row = { ...link, stateHash: null, browserHash: null, openedAt: null, answeredAt: null, granted: null };
  const inWorkspace: SQL = sql`FROM ${workspaces} WHERE ${workspaces.id} = ${link.workspaceId}`;
  await insertFrom(db, connectLinks, row, inWorkspace).onConflictDoNothing();
}
