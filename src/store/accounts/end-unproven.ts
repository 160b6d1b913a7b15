// An account whose address is unverified may have been created by a stranger. A person who verifies the address without
// a session of the account therefore gets the account empty: nothing that was made earlier lets another person in,
// publishes, approves or receives events, and no setting stays.
import { and, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { AccountEntry } from "../../domain/audit.ts";
import { recordOwnAct } from "../audit.ts";
import { discardAvatars } from "../channels/avatars.ts";
import { REMOVED } from "../channels/channels.ts";
import { type Database, NOW } from "../db/db.ts";
import {
  accountKeys,
  addressLinks,
  channels,
  connectLinks,
  invitations,
  members,
  namedKeys,
  notificationSettings,
  oauthGrants,
  portals,
  reports,
  reviewLinks,
  sessions,
  users,
  webhooks,
  workspaceKeys,
  workspaces,
} from "../db/schema.ts";
import { withdrawPosts } from "../posts/withdraw.ts";
import { endFactors } from "./factors.ts";
import { isChangeOfAddress } from "./passwords.ts";

/**
 * The statements that end everything that was made in the account and in the workspaces that it owns, while its address
 * is unverified and `condition` holds: keys, sessions, grants, webhooks, connect links, review links, channels, other
 * members, invitations, changes of the account's address, second factors. Unfinished posts become drafts; approval,
 * time zone and notifications are reset to those of a new workspace. A workspace with another owner stays as it is,
 * without the account. These statements come before the one that verifies the address. `revokedKeys` and
 * `revokedNamedKeys` return the keys.
 */
export function endUnproven(db: Database, { userId, ...entry }: AccountEntry, condition: SQL) {
  const applies = sql`${condition} AND EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${userId}
    AND ${users.emailVerifiedAt} IS NULL)`;
  const otherOwners = sql`SELECT 1 FROM members other WHERE other.user_id <> ${userId} AND other.role = 'owner'`;
  const owned = sql`(SELECT mine.workspace_id FROM members mine WHERE mine.user_id = ${userId} AND mine.role = 'owner'
    AND NOT EXISTS (${otherOwners} AND other.workspace_id = mine.workspace_id))`;
  const endsChannel = and(isNull(channels.removedAt), sql`${channels.workspaceId} IN ${owned}`, applies);
  return {
    // Otherwise a factor that a stranger set up would keep the owner of the address out.
    ...endFactors(db, userId, applies),
    recordedEmptying: recordOwnAct(
      db,
      { ...entry, userId, act: "workspace.emptied", details: {} },
      sql`${members.workspaceId} IN ${owned} AND ${applies}`,
    ),
    // Webhooks, channels and posts of a workspace in another database end when that database receives the change.
    emptied: db
      .update(workspaces)
      .set({
        emptiedAt: NOW,
        approval: "none",
        fourEyes: false,
        requireFactor: false,
        mediaFit: "exact",
        linkTags: null,
        rechecks: null,
        budget: null,
        brand: null,
        timezone: "UTC",
      })
      .where(and(sql`${workspaces.id} IN ${owned}`, applies)),
    ...withdrawPosts(db, { workspaces: owned, condition: applies, until: NOW }),
    endedChanges: db.delete(addressLinks).where(and(isChangeOfAddress(userId), applies)),
    endedReviewLinks: db.delete(reviewLinks).where(and(sql`${reviewLinks.workspaceId} IN ${owned}`, applies)),
    endedPortals: db.delete(portals).where(and(sql`${portals.workspaceId} IN ${owned}`, applies)),
    endedReports: db.delete(reports).where(and(sql`${reports.workspaceId} IN ${owned}`, applies)),
    endedNotifications: db
      .delete(notificationSettings)
      .where(and(sql`${notificationSettings.workspaceId} IN ${owned}`, applies)),
    revokedKeys: db
      .update(workspaceKeys)
      .set({ revokedAt: NOW, sealed: null })
      .where(and(isNull(workspaceKeys.revokedAt), sql`${workspaceKeys.workspaceId} IN ${owned}`, applies))
      .returning({ id: workspaceKeys.id }),
    revokedNamedKeys: db
      .update(namedKeys)
      .set({ revokedAt: NOW })
      .where(and(isNull(namedKeys.revokedAt), sql`${namedKeys.workspaceId} IN ${owned}`, applies))
      .returning({ id: namedKeys.id }),
    revokedAccountKeys: db
      .update(accountKeys)
      .set({ revokedAt: NOW })
      .where(and(eq(accountKeys.userId, userId), isNull(accountKeys.revokedAt), applies)),
    endedSessions: db.delete(sessions).where(and(eq(sessions.userId, userId), applies)),
    endedGrants: db
      .delete(oauthGrants)
      .where(and(sql`(${oauthGrants.userId} = ${userId} OR ${oauthGrants.workspaceId} IN ${owned})`, applies)),
    endedWebhooks: db.delete(webhooks).where(and(sql`${webhooks.workspaceId} IN ${owned}`, applies)),
    endedLinks: db.delete(connectLinks).where(and(sql`${connectLinks.workspaceId} IN ${owned}`, applies)),
    endedAvatars: discardAvatars(db, endsChannel),
    endedChannels: db.update(channels).set(REMOVED).where(endsChannel),
    endedInvitations: db.delete(invitations).where(and(sql`${invitations.workspaceId} IN ${owned}`, applies)),
    endedMembers: db
      .delete(members)
      .where(and(sql`${members.workspaceId} IN ${owned}`, ne(members.userId, userId), applies)),
    // A workspace with another owner does not become the property of the person who verifies the address.
    endedOwnership: db
      .delete(members)
      .where(
        and(
          eq(members.userId, userId),
          eq(members.role, "owner"),
          sql`EXISTS (${otherOwners} AND other.workspace_id = ${members.workspaceId})`,
          applies,
        ),
      ),
  };
}
