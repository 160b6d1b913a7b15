// The callers of operations, and what they may do.
import type { Caller, Context } from "../context.ts";
import { getAbilities, getMinimumRole, type Operation } from "../contract/operation.ts";
import { Refusal, refuse } from "../domain/refusal.ts";
import { ABILITIES, type AbilityName, allows, gives } from "../domain/roles.ts";
import { isKeyGood } from "../store/accounts/keys.ts";
import { isGrantGood } from "../store/oauth/grants.ts";

/** What an operation requires of its caller. */
export type Demand = Pick<Operation, "auth" | "ability" | "wholeWorkspace">;

/** A caller that acts in one workspace. */
export type WorkspaceCaller = Extract<Caller, { workspaceId: string }>;
/** A signed-in member of the workspace. */
type Member = Extract<WorkspaceCaller, { kind: "session" }>;
/** An account key that acts in a workspace of the person who created it. */
type AccountKey = Extract<WorkspaceCaller, { kind: "account_key" }>;

/** Throws `role_missing` or `scope_missing`. If an operation lists several abilities, it decides itself which it needs. */
export function refuseUnable(caller: Caller, demand: Demand): void {
  const abilities = getAbilities(demand);
  if (abilities.length === 0) return;
  // The operation itself says which scopes of account keys admit the call.
  if (caller.kind === "account_key") return;
  const workspaceCaller = inWorkspace(caller);
  if (abilities.length === 1) refuseWithoutAny(workspaceCaller, demand);
  if (demand.wholeWorkspace === true && workspaceCaller.kind === "key" && workspaceCaller.channels !== null) {
    throw refuse("scope_missing", {
      message: "This key is limited to some channels, and this concerns the whole workspace.",
      hint: "Use a key without `channels`.",
      extra: { scope: "manage" },
    });
  }
}

function refuseWithoutAny(caller: Caller, demand: Demand): void {
  const abilities = getAbilities(demand);
  const [first] = abilities;
  if (caller.kind === "account_key") return;
  if (first === undefined || abilities.some((ability) => mayDo(caller, ability))) return;
  // Names the lowest role that is sufficient. Scopes have no order, so for a key the first ability is named.
  const smallestAbility = abilities.find((ability) => ABILITIES[ability].from === getMinimumRole(demand));
  throw refuseAbility(caller, caller.kind === "key" ? first : (smallestAbility ?? first));
}

/** Runs part of an operation. If it fails for a caller with none of the operation's abilities, the error says only that. */
export async function orRefuseUnable<Done>(caller: Caller, demand: Demand, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    const isExact = error instanceof Refusal && ["role_missing", "scope_missing"].includes(error.code);
    if (!isExact) refuseWithoutAny(caller, demand);
    throw error;
  }
}

/** Whether a caller may do something in the workspace, by their role or by the scopes of their key. */
export function mayDo(caller: Caller, ability: AbilityName): boolean {
  const workspaceCaller = inWorkspace(caller);
  if (workspaceCaller.kind === "account_key") return ability === "read" && workspaceCaller.scopes.includes("read");
  return workspaceCaller.kind === "key"
    ? gives(workspaceCaller.scopes, ability)
    : allows(workspaceCaller.role, ability);
}

/** Throws `role_missing` or `scope_missing` if the caller lacks an ability. */
export function refuseWithoutAbility(caller: Caller, ability: AbilityName): void {
  if (!mayDo(caller, ability)) throw refuseAbility(caller, ability);
}

/** The refusal of a caller who lacks an ability. */
export function refuseAbility(caller: Caller, ability: AbilityName): Refusal {
  if (caller.kind !== "key") return refuseRole(ability);
  const { scopes, what } = ABILITIES[ability];
  const scopeList = scopes.map((scope) => `\`${scope}\``).join(" or ");
  return refuse("scope_missing", {
    message: `This key may not ${what}: that takes the scope ${scopeList}.`,
    extra: { scope: scopes[0] },
  });
}

/** The refusal of a person whose role lacks an ability. */
export function refuseRole(ability: AbilityName): Refusal {
  const { from: role, what } = ABILITIES[ability];
  const atLeast = role === "owner" ? "an owner" : `a member with the role ${role} or above`;
  return refuse("role_missing", { message: `Only ${atLeast} may ${what}.`, extra: { role } });
}

/** Whether a credential that was valid earlier is still valid. */
export async function stillGood(ctx: Context, caller: Extract<Caller, { kind: "key" | "grant" }>): Promise<boolean> {
  const { workspaceId } = caller;
  return caller.kind === "key"
    ? isKeyGood(ctx.accounts, workspaceId, caller.keyId)
    : isGrantGood(ctx.accounts, workspaceId, caller.grantId);
}

/** Narrows the caller of a workspace operation. Throws a 401 for any other caller. */
export function inWorkspace(caller: Caller): WorkspaceCaller {
  if (caller.kind === "nobody" || caller.workspaceId === null) throw refuse("unauthorized");
  return caller;
}

/** Narrows the caller of an operation for signed-in members of a workspace. Throws a 401 for any other caller. */
export function memberIn(caller: Caller): Member {
  const workspaceCaller = inWorkspace(caller);
  if (workspaceCaller.kind !== "session") throw refuse("unauthorized");
  return workspaceCaller;
}

/** Narrows the caller of an operation for owners of a workspace and their account keys. Throws a 401 for any other caller. */
export function ownerIn(caller: Caller): Member | AccountKey {
  const workspaceCaller = inWorkspace(caller);
  if (workspaceCaller.kind !== "session" && workspaceCaller.kind !== "account_key") throw refuse("unauthorized");
  return workspaceCaller;
}

/** Narrows the caller of an operation for signed-in users and their account keys. Throws a 401 for any other caller. */
export function personOrAccountKey(caller: Caller): Extract<Caller, { kind: "session" | "account_key" }> {
  if (caller.kind !== "session" && caller.kind !== "account_key") throw refuse("unauthorized");
  return caller;
}

/** Narrows the caller of an operation for signed-in users. Throws a 401 for any other caller. */
export function signedIn(caller: Caller): Extract<Caller, { kind: "session" }> {
  if (caller.kind !== "session") throw refuse("unauthorized");
  return caller;
}
