// The tables of members' mail preferences and notices, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { NoticeKind } from "../../../domain/notification.ts";
import { instant, required } from "../columns.ts";

const isOn = (name: string) => integer(name, { mode: "boolean" }).notNull();

export const notificationSettings = sqliteTable(
  "notification_settings",
  {
    workspaceId: required("workspace_id"),
    userId: required("user_id"),
    deliveryFailed: isOn("delivery_failed"),
    deliveryAtRisk: isOn("delivery_at_risk"),
    tokenExpiring: isOn("token_expiring"),
    approvalRequested: isOn("approval_requested"),
    versionEnding: isOn("version_ending"),
    mentioned: isOn("mentioned"),
    queueLow: isOn("queue_low"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export const notices = sqliteTable(
  "notices",
  {
    workspaceId: required("workspace_id"),
    kind: required("kind").$type<NoticeKind>(),
    subject: required("subject"),
    eventSeq: integer("event_seq").notNull(),
    createdAt: instant("created_at").notNull(),
    nextAt: instant("next_at"),
    attempts: integer("attempts").notNull().default(0),
    mailed: text("told", { mode: "json" }).notNull().$type<string[]>().default([]),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.kind, table.subject] })],
);
