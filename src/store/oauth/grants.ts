// Grants of users to client apps, with the codes and tokens of each. A grant ends with its membership, and its tokens
// end with it.
import { and, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { AccountEntry, AuditEntry } from "../../domain/audit.ts";
import {
  OAUTH_ACCESS_LIFE_MS,
  OAUTH_CODE_LIFE_MS,
  OAUTH_GRANT_IDLE_MS,
  OAUTH_GRANTS_MAX,
  OAUTH_REFRESH_GRACE_MS,
} from "../../domain/limits.ts";
import { hasFactor } from "../accounts/factors.ts";
import { nameOfUserWithId, recordAccountAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { members, oauthEndings, oauthGrants, oauthTokens, users } from "../db/schema.ts";
import { touchOAuthClient } from "./clients.ts";

export type GrantRow = typeof oauthGrants.$inferSelect;

/**
 * Stores a member's grant with its code. `replaces`: ends the member's earlier grants of the same client in the same
 * workspace. Returns whether it was stored: false if the user is not a member.
 */
export async function insertGrant(
  db: Database,
  grant: Omit<GrantRow, "createdAt" | "lastUsedAt" | "expiresAt">,
  codeHash: string,
  { replaces, entry }: { replaces: boolean; entry: AccountEntry },
): Promise<boolean> {
  const { workspaceId, id, userId, clientId } = grant;
  const codeExpiresAt = sql`${NOW} + ${OAUTH_CODE_LIFE_MS}`;
  const isTheirs = and(eq(oauthGrants.workspaceId, workspaceId), eq(oauthGrants.userId, userId));
  const { stored } = await batch(db, {
    replaced: db.delete(oauthGrants).where(and(isTheirs, eq(oauthGrants.clientId, clientId), sql`${replaces ? 1 : 0}`)),
    stored: insertFrom(
      db,
      oauthGrants,
      { ...grant, createdAt: NOW, lastUsedAt: null, expiresAt: codeExpiresAt },
      sql`FROM members WHERE members.workspace_id = ${workspaceId} AND members.user_id = ${userId}`,
    ).returning({ id: oauthGrants.id }),
    recorded: recordGrant(db, grant, entry),
    code: insertFrom(
      db,
      oauthTokens,
      { hash: codeHash, kind: "code", workspaceId, grantId: id, expiresAt: codeExpiresAt, usedAt: null, usedBy: null },
      sql`FROM oauth_grants g WHERE g.workspace_id = ${workspaceId} AND g.id = ${id}`,
    ),
    surplus: db.delete(oauthGrants).where(
      and(
        isTheirs,
        sql`${oauthGrants.id} NOT IN (SELECT g.id FROM oauth_grants g WHERE g.workspace_id = ${workspaceId}
          AND g.user_id = ${userId} ORDER BY g.id DESC LIMIT ${OAUTH_GRANTS_MAX})`,
      ),
    ),
    client: touchOAuthClient(db, clientId),
  });
  return stored.length === 1;
}

/** The statement that records a new grant. */
const recordGrant = (
  db: Database,
  grant: Pick<GrantRow, "workspaceId" | "id" | "userId" | "clientName">,
  entry: AccountEntry,
) => {
  const { userId, ...facts } = entry;
  return recordAccountAct(db, {
    ...facts,
    workspaceId: grant.workspaceId,
    actor: { kind: "person", id: userId, name: nameOfUserWithId(userId) },
    target: { id: grant.id, name: grant.clientName },
  });
};

const isOfGrant = and(eq(oauthGrants.workspaceId, oauthTokens.workspaceId), eq(oauthGrants.id, oauthTokens.grantId));

/** A code or a token with its grant, in any state; undefined if it never existed or its grant has ended. */
export async function findToken(db: Database, hash: string) {
  const [row] = await db
    .select({ token: oauthTokens, grant: oauthGrants, now: NOW })
    .from(oauthTokens)
    .innerJoin(oauthGrants, isOfGrant)
    .where(eq(oauthTokens.hash, hash));
  return row;
}

/**
 * The grant of a valid access token whose user is still a member, with a second factor where the workspace requires
 * one; undefined otherwise.
 */
export async function findAccess(db: Database, hash: string, resource: string) {
  const [row] = await db
    .select({
      grantId: oauthGrants.id,
      name: oauthGrants.clientName,
      userId: oauthGrants.userId,
      workspaceId: oauthGrants.workspaceId,
      role: members.role,
      scopes: oauthGrants.scopes,
      lastUsedAt: oauthGrants.lastUsedAt,
      now: NOW,
    })
    .from(oauthTokens)
    .innerJoin(oauthGrants, isOfGrant)
    .innerJoin(members, and(eq(members.workspaceId, oauthGrants.workspaceId), eq(members.userId, oauthGrants.userId)))
    .where(
      and(
        eq(oauthTokens.hash, hash),
        eq(oauthTokens.kind, "access"),
        gt(oauthTokens.expiresAt, NOW),
        eq(oauthGrants.resource, resource),
        sql`(NOT EXISTS (SELECT 1 FROM workspaces asking WHERE asking.id = ${oauthGrants.workspaceId} AND asking.require_factor = 1)
          OR ${hasFactor(oauthGrants.userId)})`,
      ),
    );
  return row;
}

/** Whether a grant has neither ended nor expired. */
export async function isGrantGood(db: Database, workspaceId: string, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: oauthGrants.id })
    .from(oauthGrants)
    .where(and(eq(oauthGrants.workspaceId, workspaceId), eq(oauthGrants.id, id), gt(oauthGrants.expiresAt, NOW)));
  return rows.length === 1;
}

/** Records that a grant is in use. The caller decides whether that is due. */
export async function touchGrant(db: Database, workspaceId: string, id: string): Promise<void> {
  await db
    .update(oauthGrants)
    .set({ lastUsedAt: NOW })
    .where(and(eq(oauthGrants.workspaceId, workspaceId), eq(oauthGrants.id, id)));
}

/**
 * Exchanges a code or a refresh token for new tokens, all or nothing. Returns whether it succeeded: false if the token
 * was exchanged before or has expired. A refresh token can be exchanged again shortly after its first exchange, as long
 * as no refresh token from that exchange has been exchanged itself: an answer may have been lost, or a client may have
 * sent two requests at once. If several refresh tokens come from such exchanges, the first to be exchanged invalidates
 * the others. Meanwhile only the latest access token is valid, because another may be a thief's.
 */
export async function exchange(
  db: Database,
  grant: Pick<GrantRow, "workspaceId" | "id" | "clientId">,
  presented: { hash: string; kind: "code" | "refresh" },
  next: { access: string; refresh: string },
): Promise<boolean> {
  const { workspaceId, id: grantId, clientId } = grant;
  const { hash, kind } = presented;
  const token = (rowKind: "access" | "refresh", rowHash: string, lifeMs: number) =>
    insertFrom(
      db,
      oauthTokens,
      {
        hash: rowHash,
        kind: rowKind,
        workspaceId,
        grantId,
        expiresAt: sql`${NOW} + ${lifeMs}`,
        usedAt: null,
        usedBy: null,
      },
      sql`WHERE ${mine}`,
    );
  // The mark is this exchange's own access token, so if two run at once, each sees only its own mark.
  const mine = sql`EXISTS (SELECT 1 FROM oauth_tokens taken WHERE taken.hash = ${hash} AND taken.used_by = ${next.access})`;
  const isOfThisGrant = and(eq(oauthTokens.workspaceId, workspaceId), eq(oauthTokens.grantId, grantId));
  const hasSeveralLines = sql`(EXISTS (SELECT 1 FROM oauth_tokens presented WHERE presented.hash = ${hash}
      AND presented.used_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM oauth_tokens other WHERE other.workspace_id = ${workspaceId} AND other.grant_id = ${grantId}
      AND other.kind = 'refresh' AND other.hash <> ${hash} AND other.used_at IS NULL))`;
  const { taken } = await batch(db, {
    endedAccess: db.delete(oauthTokens).where(and(isOfThisGrant, eq(oauthTokens.kind, "access"), hasSeveralLines)),
    others: db
      .update(oauthTokens)
      .set({ usedAt: sql`${NOW} - ${OAUTH_REFRESH_GRACE_MS}` })
      .where(
        and(
          isOfThisGrant,
          eq(oauthTokens.kind, "refresh"),
          sql`${oauthTokens.usedAt} IS NULL AND ${oauthTokens.hash} <> ${hash} AND EXISTS (SELECT 1 FROM oauth_tokens presented
            WHERE presented.hash = ${hash} AND presented.used_at IS NULL AND presented.expires_at > ${NOW})`,
        ),
      ),
    taken: db
      .update(oauthTokens)
      .set({ usedAt: sql`COALESCE(${oauthTokens.usedAt}, ${NOW})`, usedBy: next.access })
      .where(
        and(
          eq(oauthTokens.hash, hash),
          eq(oauthTokens.kind, kind),
          gt(oauthTokens.expiresAt, NOW),
          sql`(${oauthTokens.usedAt} IS NULL OR (${oauthTokens.kind} = 'refresh'
            AND ${oauthTokens.usedAt} > ${NOW} - ${OAUTH_REFRESH_GRACE_MS}
            AND NOT EXISTS (SELECT 1 FROM oauth_tokens later WHERE later.workspace_id = ${workspaceId}
              AND later.grant_id = ${grantId} AND later.kind = 'refresh' AND later.hash <> ${hash}
              AND later.used_at >= ${oauthTokens.usedAt})))`,
        ),
      )
      .returning({ hash: oauthTokens.hash }),
    access: token("access", next.access, OAUTH_ACCESS_LIFE_MS),
    refresh: token("refresh", next.refresh, OAUTH_GRANT_IDLE_MS),
    grant: db
      .update(oauthGrants)
      .set({ expiresAt: sql`${NOW} + ${OAUTH_GRANT_IDLE_MS}`, lastUsedAt: NOW })
      .where(and(eq(oauthGrants.workspaceId, workspaceId), eq(oauthGrants.id, grantId), mine)),
    client: touchOAuthClient(db, clientId),
  });
  return taken.length === 1;
}

/** Ends a grant with its tokens. `userId`: only if it is theirs. Returns whether it existed. */
export async function endGrant(
  db: Database,
  id: string,
  entry: AuditEntry,
  userId: string | null = null,
): Promise<boolean> {
  const isIt = and(
    eq(oauthGrants.workspaceId, entry.workspaceId),
    eq(oauthGrants.id, id),
    userId === null ? undefined : eq(oauthGrants.userId, userId),
  );
  const { ended } = await batch(db, {
    recorded: recordAccountAct(
      db,
      { ...entry, target: { id, name: oauthGrants.clientName } },
      sql`FROM ${oauthGrants} WHERE ${isIt}`,
    ),
    ended: db.delete(oauthGrants).where(isIt).returning({ id: oauthGrants.id }),
  });
  return ended.length === 1;
}

/** Ends one access token. */
export async function deleteToken(db: Database, hash: string): Promise<void> {
  await db.delete(oauthTokens).where(eq(oauthTokens.hash, hash));
}

/** A page of a workspace's valid grants, newest first, below the id `before`. `userId`: only theirs. */
export async function listGrants(
  db: Database,
  workspaceId: string,
  page: { userId: string | null; limit: number; before: string | null },
) {
  const rows = await db
    .select({ grant: oauthGrants, user: { id: users.id, email: users.email, name: users.name } })
    .from(oauthGrants)
    .innerJoin(users, eq(users.id, oauthGrants.userId))
    .where(
      and(
        eq(oauthGrants.workspaceId, workspaceId),
        gt(oauthGrants.expiresAt, NOW),
        page.userId === null ? undefined : eq(oauthGrants.userId, page.userId),
        page.before === null ? undefined : lt(oauthGrants.id, page.before),
      ),
    )
    .orderBy(desc(oauthGrants.id))
    .limit(page.limit);
  return rows.map(({ grant, user }) => ({ ...grant, user }));
}
export type ListedGrant = Awaited<ReturnType<typeof listGrants>>[number];

/** Deletes expired grants and tokens. */
export async function forgetExpiredGrants(db: Database, limit: number): Promise<void> {
  await db.batch([
    db
      .delete(oauthTokens)
      .where(
        sql`${oauthTokens.hash} IN (SELECT hash FROM oauth_tokens WHERE expires_at < ${NOW} ORDER BY expires_at LIMIT ${limit})`,
      ),
    db.delete(oauthGrants).where(
      sql`(${oauthGrants.workspaceId}, ${oauthGrants.id}) IN (SELECT workspace_id, id FROM oauth_grants
        WHERE expires_at < ${NOW} ORDER BY expires_at LIMIT ${limit})`,
    ),
  ]);
}

/** Grants that have ended and whose connection is still to be closed, oldest first. */
export async function endedGrants(db: Database, limit: number): Promise<string[]> {
  const rows = await db.select().from(oauthEndings).orderBy(oauthEndings.since).limit(limit);
  return rows.map(({ grantId }) => grantId);
}

export async function forgetEndings(db: Database, grantIds: string[]): Promise<void> {
  await db
    .delete(oauthEndings)
    .where(sql`${oauthEndings.grantId} IN (SELECT value FROM json_each(${JSON.stringify(grantIds)}))`);
}
