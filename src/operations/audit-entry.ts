// Builds the audit log entries for a caller's acts.
import type { Caller, Context, Reviewer } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import type { AccountEntry, AuditAct, AuditDetails, AuditEntry, OwnEntry, SignInMethod } from "../domain/audit.ts";
import { makeId } from "../domain/ids.ts";
import type { WorkspaceCaller } from "./caller.ts";
import { toActor } from "./name-of.ts";

/** The facts of an act that are stored with it. */
interface Facts {
  target?: AuditEntry["target"];
  details?: AuditDetails;
}

const NO_TARGET = { id: null, name: null };

function beginEntry(ctx: Context) {
  const now = ctx.now();
  return { id: makeId("aud", now, ctx.entropy), at: now, address: ctx.clientAddress, client: ctx.userAgent };
}

/** The actor of an act that is not a call of an operation. */
export interface KnownActor {
  workspaceId: string;
  actor: Actor;
}
/** The party that acts in a workspace. */
export type Acting = WorkspaceCaller | Reviewer | KnownActor;

/** Builds the entry for an act in a workspace. */
export function makeEntry(
  ctx: Context,
  acting: Acting,
  act: AuditAct,
  { target = NO_TARGET, details = {} }: Facts = {},
): AuditEntry {
  const actor = "actor" in acting ? acting.actor : toActor(acting);
  return { ...beginEntry(ctx), workspaceId: acting.workspaceId, act, actor, target, details };
}

/** Builds the entry for an act of a person on their own account, even if they have no workspace. */
export const makeAccountEntry = (
  ctx: Context,
  userId: string,
  act: AuditAct,
  details: AuditDetails = {},
): AccountEntry => ({ ...beginEntry(ctx), userId, act, details });

/** Like `makeAccountEntry`, for an act of a signed-in person or of their account key. */
export const makeOwnEntry = (
  ctx: Context,
  caller: Extract<Caller, { kind: "session" | "account_key" }>,
  act: AuditAct,
  details: AuditDetails = {},
): AccountEntry => {
  const entry = makeAccountEntry(ctx, caller.userId, act, details);
  if (caller.kind === "session") return entry;
  return { ...entry, key: { kind: "key", id: caller.keyId, name: caller.name } };
};

/** Builds the entry for a sign-in. */
export const makeSignInEntry = (ctx: Context, method: SignInMethod): OwnEntry => ({
  ...beginEntry(ctx),
  act: "account.signed_in",
  details: { method },
});
