// The list of acts that the audit log records. The statements that carry out an act also write its entry, so an entry exists
// exactly if the act happened. Entries contain no secrets and no texts of posts.
import type { Actor } from "./actor.ts";

export const AUDIT_ACT_NAMES = [
  "account.signed_in",
  "account.password_changed",
  "account.email_changed",
  "account.factor_added",
  "account.factor_removed",
  "account.recovery_codes_renewed",
  "account_key.created",
  "account_key.revoked",
  "workspace.created",
  "workspace.changed",
  "workspace.emptied",
  "member.invited",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "member.factors_reset",
  "invitation.withdrawn",
  "invitation.declined",
  "key.created",
  "key.changed",
  "key.revoked",
  "key.revealed",
  "key.rotated",
  "application.connected",
  "application.ended",
  "channel.link_created",
  "channel.connected",
  "channel.reconnected",
  "channel.disconnected",
  "webhook.created",
  "webhook.changed",
  "webhook.removed",
  "webhook.secret_replaced",
  "slots.changed",
  "channel_group.created",
  "channel_group.changed",
  "channel_group.deleted",
  "feed.created",
  "feed.changed",
  "feed.deleted",
  "snippet.created",
  "snippet.changed",
  "snippet.deleted",
  "post.approved",
  "post.declined",
  "review_link.created",
  "review_link.ended",
  "portal.created",
  "portal.changed",
  "portal.removed",
  "report.created",
  "delivery.takedown_requested",
  "delivery.edit_requested",
] as const;

export type AuditAct = (typeof AUDIT_ACT_NAMES)[number];

/** The ways to sign in. */
export type SignInMethod = "password" | "provider" | "reset" | "second_factor" | "sign_up";

/** Further details of an act, by the name of the field that was set. */
export type AuditDetails = Record<string, string>;

/** The origin of an act. */
interface Origin {
  /** The caller's IP address; null if unknown. */
  address: string | null;
  /** The caller's program in short; null if it did not identify itself. */
  client: string | null;
}

export interface AuditEntry extends Origin {
  workspaceId: string;
  id: string;
  /** Epoch milliseconds, the same as in the id. */
  at: number;
  act: AuditAct;
  actor: Actor;
  target: { id: string | null; name: string | null };
  details: AuditDetails;
}

/** An act without its actor, which the code that records the act adds. */
export type OwnEntry = Omit<AuditEntry, "workspaceId" | "actor" | "target">;
/** An act of a person on their own account, recorded in each of their workspaces. */
export type AccountEntry = OwnEntry & {
  userId: string;
  /** The account key that acted for the person; absent: they acted themselves. */
  key?: Actor;
};
