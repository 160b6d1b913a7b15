// Shows a workspace's key to its owner, or to an account key of theirs, and records that it was seen.
import type { Caller, Context } from "../../context.ts";
import { refuse } from "../../domain/refusal.ts";
import { currentKey, noteKeySeen } from "../../store/accounts/workspaces.ts";
import { makeEntry } from "../audit-entry.ts";
import { refuseRole } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { findUserName } from "../name-of.ts";
import { limitTries } from "../rate-limit.ts";

type Person = Extract<Caller, { kind: "session" | "account_key" }>;

/** Throws `scope_missing` for an account key that may not see keys. */
export function refuseWithoutKeys(person: Person): void {
  if (person.kind === "session" || person.scopes.includes("keys")) return;
  throw refuse("scope_missing", {
    message: "This account key may not see workspace keys: that takes the scope `keys`.",
    extra: { scope: "keys" },
  });
}

/**
 * The key of a workspace that the person owns. People view single keys, and programs those of many customers, so their
 * limits differ.
 */
export async function unsealKey(ctx: Context, person: Person, workspaceId: string) {
  await limitTries(ctx, {
    account: person.kind === "session" ? ["reveal_user", person.userId] : ["reveal_account_key", person.keyId],
  });
  const row = await currentKey(ctx.accounts, workspaceId);
  if (row === undefined || row.sealed === null) throw refuse("not_found");
  const place = { purpose: "workspace-key", workspace: workspaceId, row: row.id } as const;
  const key = await ctx.seal?.unseal(row.sealed, place);
  if (key === undefined || key === null) throw refuse("key_not_configured");
  await requireFactor(ctx, person);
  await noteKeyShown(ctx, person, workspaceId, row.id);
  return { key, row };
}

/** Records that a person is shown a key. Throws `role_missing` if they do not own the workspace any more. */
export async function noteKeyShown(ctx: Context, person: Person, workspaceId: string, keyId: string): Promise<void> {
  const { userId } = person;
  const actor =
    person.kind === "account_key"
      ? ({ kind: "key", id: person.keyId, name: person.name } as const)
      : ({ kind: "person", id: userId, name: await findUserName(ctx, workspaceId, userId) } as const);
  const entry = makeEntry(ctx, { workspaceId, actor }, "key.revealed", { target: { id: keyId, name: null } });
  if (!(await noteKeySeen(ctx.accounts, entry, userId, keyId))) throw refuseRole("manage_key");
}
