// Invitations to join a workspace. An address has at most one open invitation to a workspace. Its row is deleted when
// it is answered, withdrawn or expired, and when its sender is no longer an owner.
import { and, desc, eq, gt, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { AccountEntry, AuditEntry } from "../../domain/audit.ts";
import type { Role } from "../../domain/roles.ts";
import { recordAccountAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { invitations, members, users, workspaces } from "../db/schema.ts";
import { isOwner } from "./members.ts";

export type InvitationRow = typeof invitations.$inferSelect;

const isOpen = gt(invitations.expiresAt, NOW);

/**
 * Stores an invitation, replacing an earlier one to the same address, if the workspace has fewer than `most`. Otherwise
 * returns the reason.
 */
export async function storeInvitation(
  db: Database,
  row: InvitationRow,
  most: number,
  entry: AuditEntry,
): Promise<"stored" | "already_member" | "not_an_owner" | "too_many"> {
  const { workspaceId, email, invitedBy } = row;
  const isIn = sql`EXISTS (SELECT 1 FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.workspace_id = ${workspaceId} AND u.email = ${email})`;
  const { stored, facts } = await batch(db, {
    replaced: db
      .delete(invitations)
      .where(
        and(eq(invitations.workspaceId, workspaceId), eq(invitations.email, email), isOwner(workspaceId, invitedBy)),
      ),
    stored: insertFrom(
      db,
      invitations,
      row,
      sql`WHERE ${isOwner(workspaceId, invitedBy)} AND NOT ${isIn} AND (SELECT COUNT(*) FROM ${invitations}
        WHERE ${invitations.workspaceId} = ${workspaceId} AND ${isOpen}) < ${most}`,
    ).returning({ id: invitations.id }),
    recorded: recordAccountAct(db, entry),
    facts: db
      .select({ isIn: sql<number>`${isIn}`, owns: sql<number>`${isOwner(workspaceId, invitedBy)}` })
      .from(workspaces)
      .where(eq(workspaces.id, workspaceId)),
  });
  if (stored.length === 1) return "stored";
  const [fact] = facts;
  if (fact?.owns !== 1) return "not_an_owner";
  return fact.isIn === 1 ? "already_member" : "too_many";
}

/** The open invitations to a workspace, newest first. */
export async function openInvitations(db: Database, workspaceId: string): Promise<InvitationRow[]> {
  return db
    .select()
    .from(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), isOpen))
    .orderBy(desc(invitations.id));
}

/** Withdraws an invitation. Returns whether it existed. */
export async function withdrawInvitation(db: Database, id: string, entry: AuditEntry): Promise<boolean> {
  const isIt = and(eq(invitations.workspaceId, entry.workspaceId), eq(invitations.id, id), isOpen);
  const { withdrawn } = await batch(db, {
    recorded: recordAccountAct(
      db,
      { ...entry, target: { id, name: invitations.email } },
      sql`FROM ${invitations} WHERE ${isIt}`,
    ),
    withdrawn: db.delete(invitations).where(isIt).returning({ id: invitations.id }),
  });
  return withdrawn.length === 1;
}

/** An open invitation as its recipient sees it. */
export interface Offer {
  id: string;
  email: string;
  role: Role;
  expiresAt: number;
  workspaceId: string;
  workspaceName: string;
  inviterEmail: string;
  inviterName: string | null;
  inviterVerifiedAt: number | null;
}

const offers = (db: Database, which: SQL | undefined) =>
  db
    .select({
      id: invitations.id,
      email: invitations.email,
      role: invitations.role,
      expiresAt: invitations.expiresAt,
      workspaceId: invitations.workspaceId,
      workspaceName: workspaces.name,
      // A batch distinguishes columns by their names.
      inviterEmail: sql<string>`${users.email}`.as("inviter_email"),
      inviterName: sql<string | null>`${users.name}`.as("inviter_name"),
      inviterVerifiedAt: users.emailVerifiedAt,
    })
    .from(invitations)
    .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
    .innerJoin(users, eq(users.id, invitations.invitedBy))
    .where(and(isOpen, which));

/** The open invitation of a link. */
export async function findOffer(db: Database, tokenHash: string): Promise<Offer | undefined> {
  const [offer] = await offers(db, eq(invitations.tokenHash, tokenHash));
  return offer;
}

/**
 * A page of a user's open invitations, newest first, below the id `before`; empty while their address is unverified.
 */
export async function offersTo(db: Database, userId: string, limit: number, before: string | null): Promise<Offer[]> {
  const theirs = sql`${invitations.email} = (SELECT mine.email FROM users mine WHERE mine.id = ${userId}
    AND mine.email_verified_at IS NOT NULL)`;
  return offers(db, and(theirs, before === null ? undefined : lt(invitations.id, before)))
    .orderBy(desc(invitations.id))
    .limit(limit);
}

/** Reads the content of an invitation mail, and activates its link; undefined: the invitation is no longer open. */
export async function beginMail(db: Database, id: string, tokenHash: string): Promise<Offer | undefined> {
  const { rows } = await batch(db, {
    token: db
      .update(invitations)
      .set({ tokenHash })
      .where(and(eq(invitations.id, id), isOpen)),
    rows: offers(db, eq(invitations.id, id)),
  });
  return rows[0];
}

/**
 * A user's answer to an invitation. `tokenHash`: of the link, which verifies the address if it was mailed; null: the link
 * was not used.
 */
interface Answer {
  id: string;
  userId: string;
  tokenHash: string | null;
}

/**
 * Whether an open invitation `i` belongs to the answering user `u`: it was sent to their address, and either that
 * address is verified or they hold the link.
 */
const isForAnswerer = ({ id, userId, tokenHash }: Answer): SQL =>
  sql`i.id = ${id} AND i.expires_at > ${NOW} AND u.id = ${userId} AND u.email = i.email
    AND (u.email_verified_at IS NOT NULL OR i.token_hash = ${tokenHash})`;

/** The statement that records an answer in the invitation's workspace, before the invitation is deleted. */
const recordAnswer = (db: Database, answer: Answer, { userId: _, ...entry }: AccountEntry) =>
  recordAccountAct(
    db,
    {
      ...entry,
      workspaceId: sql`i.workspace_id`,
      actor: { kind: "person", id: answer.userId, name: sql`COALESCE(u.name, u.email)` },
      target: { id: answer.id, name: sql`i.email` },
      details: sql`json_object('role', i.role)`,
    },
    sql`FROM invitations i JOIN users u ON u.email = i.email WHERE ${isForAnswerer(answer)}`,
  );

const isAnswered = (answer: Answer): SQL =>
  sql`EXISTS (SELECT 1 FROM invitations i JOIN users u ON u.email = i.email WHERE ${isForAnswerer(answer)})`;
/** As `isAnswered`, for an invitation whose link went to nobody but the owner of the address. */
const isAnsweredByMail = (answer: Answer): SQL =>
  sql`EXISTS (SELECT 1 FROM invitations i JOIN users u ON u.email = i.email WHERE ${isForAnswerer(answer)} AND i.by_link = 0)`;

/**
 * Makes a user a member with the invited role, and marks their address as verified unless the link was not mailed. An
 * existing member keeps their role. Returns the workspace's id; undefined: the invitation is not theirs to accept, or no longer open.
 */
export async function acceptInvitation(db: Database, answer: Answer, entry: AccountEntry): Promise<string | undefined> {
  const { id, userId } = answer;
  const { answered } = await batch(db, {
    recorded: recordAnswer(db, answer, entry),
    joined: insertFrom(
      db,
      members,
      { workspaceId: sql`i.workspace_id`, userId, role: sql`i.role`, createdAt: NOW },
      sql`FROM invitations i JOIN users u ON u.email = i.email WHERE ${isForAnswerer(answer)}`,
    ).onConflictDoNothing(),
    proven: db
      .update(users)
      .set({ emailVerifiedAt: sql`COALESCE(${users.emailVerifiedAt}, ${NOW})` })
      .where(and(eq(users.id, userId), isAnsweredByMail(answer))),
    answered: db
      .delete(invitations)
      .where(and(eq(invitations.id, id), isAnswered(answer)))
      .returning({ workspaceId: invitations.workspaceId }),
  });
  return answered[0]?.workspaceId;
}

/** Declines an invitation. Returns whether it was theirs and open. */
export async function declineInvitation(db: Database, answer: Answer, entry: AccountEntry): Promise<boolean> {
  const { declined } = await batch(db, {
    recorded: recordAnswer(db, answer, entry),
    declined: db
      .delete(invitations)
      .where(and(eq(invitations.id, answer.id), isAnswered(answer)))
      .returning({ id: invitations.id }),
  });
  return declined.length === 1;
}

/** Whether a user's address is verified. */
export async function hasProvenAddress(db: Database, userId: string): Promise<boolean> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNotNull(users.emailVerifiedAt)));
  return rows.length === 1;
}

/** Deletes expired invitations. */
export async function forgetExpiredInvitations(db: Database, limit: number): Promise<void> {
  await db
    .delete(invitations)
    .where(
      sql`${invitations.id} IN (SELECT id FROM invitations WHERE expires_at < ${NOW} ORDER BY expires_at LIMIT ${limit})`,
    );
}
