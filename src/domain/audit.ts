// What the audit log records: one list of acts. An entry is written by the statements that carry the act out, so there is an entry
// exactly when the act happened. Nothing of it is a secret or a text of a post.
import type { Actor } from "./actor.ts";

export const AUDIT_ACT_NAMES = [
  "account.signed_in",
  "account.password_changed",
  "account.email_changed",
  "account.factor_added",
  "account.factor_removed",
  "account.recovery_codes_renewed",
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
  "webhook.removed",
  "webhook.secret_replaced",
  "slots.changed",
  "post.approved",
  "post.declined",
  "review_link.created",
  "review_link.ended",
  "delivery.takedown_requested",
] as const;

export type AuditAct = (typeof AUDIT_ACT_NAMES)[number];

/** The ways to sign in. */
export type SignInMethod = "password" | "provider" | "reset" | "second_factor" | "sign_up";

/** What else there is to say of an act, by the name of the field that was set. */
export type AuditDetails = Record<string, string>;

/** Where an act was done from. */
interface Origin {
  /** Of the caller; null: unknown. */
  address: string | null;
  /** The caller's program in short; null: it did not name itself. */
  client: string | null;
}

export interface AuditEntry extends Origin {
  workspaceId: string;
  id: string;
  /** Epoch milliseconds: those of the id. */
  at: number;
  act: AuditAct;
  actor: Actor;
  target: { id: string | null; name: string | null };
  details: AuditDetails;
}

/** An act whose person is known where it is recorded. */
export type OwnEntry = Omit<AuditEntry, "workspaceId" | "actor" | "target">;
/** An act of a person by themselves, which is recorded in each workspace that they belong to. */
export type AccountEntry = OwnEntry & { userId: string };
