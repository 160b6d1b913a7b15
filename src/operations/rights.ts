// The rights of a call that waits for somebody else's server before it writes: they are looked at again with the write.
import { type Refusal, refuse } from "../domain/refusal.ts";
import { type AbilityName, allows, ROLES } from "../domain/roles.ts";
import type { Rights } from "../store/accounts/rights.ts";
import type { WorkspaceCaller } from "./caller.ts";

/** The rights by which a caller may do something, to be looked at once more where it is written. */
export function rightsOf(caller: WorkspaceCaller, ability: AbilityName): Rights {
  const roles = ROLES.filter((role) => allows(role, ability));
  const { workspaceId } = caller;
  switch (caller.kind) {
    case "key":
      return { kind: "key", workspaceId, keyId: caller.keyId };
    case "session":
      return { kind: "session", workspaceId, tokenHash: caller.tokenHash, roles };
    case "grant":
      return { kind: "grant", workspaceId, grantId: caller.grantId, userId: caller.userId, roles };
  }
}

/** The refusal of a caller whose rights ended while the call was under way. */
export const refuseEnded = ({ kind }: Rights): Refusal => {
  if (kind === "key") return refuse("key_revoked");
  const message = "Your rights in this workspace ended while the call was under way. Nothing was stored.";
  return refuse(kind === "session" ? "session_expired" : "unauthorized", { message });
};
