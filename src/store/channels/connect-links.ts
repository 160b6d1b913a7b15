// Links by which a user connects an account: each is opened once and answered once.
import { and, eq, gt, isNull, lt } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import { recordAccountAct } from "../audit.ts";
import { type Database, NOW } from "../db/db.ts";
import { connectLinks } from "../db/schema.ts";

export type ConnectLink = typeof connectLinks.$inferSelect;

const isAlive = gt(connectLinks.expiresAt, NOW);

/** Stores a link and deletes expired ones. */
export async function insertConnectLink(
  db: Database,
  link: Pick<ConnectLink, "id" | "workspaceId" | "platform" | "returnTo" | "verifier" | "expiresAt" | "madeBy">,
  entry: AuditEntry,
): Promise<void> {
  await db.batch([
    db.delete(connectLinks).where(lt(connectLinks.expiresAt, NOW)),
    db.insert(connectLinks).values(link),
    recordAccountAct(db, entry),
  ]);
}

/** An unopened link that has not expired. */
export async function findConnectLink(db: Database, id: string): Promise<ConnectLink | undefined> {
  const [row] = await db
    .select()
    .from(connectLinks)
    .where(and(eq(connectLinks.id, id), isAlive, isNull(connectLinks.stateHash)));
  return row;
}

/** Opens a link for one browser, once. undefined: it has expired or was opened before. */
export async function openConnectLink(
  db: Database,
  id: string,
  opened: { stateHash: string; browserHash: string },
): Promise<ConnectLink | undefined> {
  const [row] = await db
    .update(connectLinks)
    .set(opened)
    .where(and(eq(connectLinks.id, id), isAlive, isNull(connectLinks.stateHash)))
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
