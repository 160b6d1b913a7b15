// The mail preferences of a workspace's members, and the recipients of each kind of mail.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { defaultNotifications, type NotificationKind, type NotificationSettings } from "../../domain/notification.ts";
import { type Database, insertFrom } from "../db/db.ts";
import { members, notificationSettings as settings, users } from "../db/schema.ts";

type SettingsRow = typeof settings.$inferSelect;

const toSettings = (row: SettingsRow | null, role: string): NotificationSettings =>
  row === null
    ? defaultNotifications(role)
    : {
        delivery_failed: row.deliveryFailed,
        delivery_at_risk: row.deliveryAtRisk,
        token_expiring: row.tokenExpiring,
        approval_requested: row.approvalRequested,
        version_ending: row.versionEnding,
        mentioned: row.mentioned,
        queue_low: row.queueLow,
      };

const joined = (db: Database) =>
  db
    .select({ userId: members.userId, role: members.role, email: users.email, name: users.name, settings })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .leftJoin(settings, and(eq(settings.workspaceId, members.workspaceId), eq(settings.userId, members.userId)));

/** The kinds of mail that a member receives; undefined: they are not a member. */
export async function readNotifications(
  db: Database,
  workspaceId: string,
  userId: string,
): Promise<NotificationSettings | undefined> {
  const [row] = await joined(db).where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)));
  return row && toSettings(row.settings, row.role);
}

const toColumns = (preferences: NotificationSettings) => ({
  deliveryFailed: preferences.delivery_failed,
  deliveryAtRisk: preferences.delivery_at_risk,
  tokenExpiring: preferences.token_expiring,
  approvalRequested: preferences.approval_requested,
  versionEnding: preferences.version_ending,
  mentioned: preferences.mentioned,
  queueLow: preferences.queue_low,
});

/** Sets the kinds of mail that a member receives. Returns false if they are not a member. */
export async function setNotifications(
  db: Database,
  workspaceId: string,
  userId: string,
  preferences: NotificationSettings,
): Promise<boolean> {
  const rows = await upsert(db, workspaceId, userId, preferences, toColumns(preferences));
  return rows.length === 1;
}

/** `changed`: the columns to change in an existing row. */
const upsert = (
  db: Database,
  workspaceId: string,
  userId: string,
  preferences: NotificationSettings,
  changed: Partial<SettingsRow>,
) =>
  insertFrom(
    db,
    settings,
    { workspaceId, userId, ...toColumns(preferences) },
    sql`WHERE EXISTS (SELECT 1 FROM ${members} WHERE ${members.workspaceId} = ${workspaceId} AND ${members.userId} = ${userId})`,
  )
    .onConflictDoUpdate({ target: [settings.workspaceId, settings.userId], set: changed })
    .returning({ userId: settings.userId });

const OFF = {
  delivery_failed: { deliveryFailed: false },
  delivery_at_risk: { deliveryAtRisk: false },
  token_expiring: { tokenExpiring: false },
  approval_requested: { approvalRequested: false },
  version_ending: { versionEnding: false },
  mentioned: { mentioned: false },
  queue_low: { queueLow: false },
} satisfies Record<NotificationKind, Partial<SettingsRow>>;

/** Turns one kind of mail off for a member. Does nothing if the user is not a member. */
export async function turnOff(
  db: Database,
  workspaceId: string,
  userId: string,
  kind: NotificationKind,
): Promise<void> {
  const standing = await readNotifications(db, workspaceId, userId);
  if (standing?.[kind] === true) await upsert(db, workspaceId, userId, { ...standing, [kind]: false }, OFF[kind]);
}

export interface Recipient {
  userId: string;
  email: string;
  name: string | null;
}

/** Members with a verified address who want a kind of mail. */
export async function findRecipients(db: Database, workspaceId: string, kind: NotificationKind): Promise<Recipient[]> {
  const rows = await joined(db)
    .where(and(eq(members.workspaceId, workspaceId), isNotNull(users.emailVerifiedAt)))
    .orderBy(members.userId);
  return rows
    .filter(({ settings, role }) => toSettings(settings, role)[kind])
    .map(({ userId, email, name }) => ({ userId, email, name }));
}
