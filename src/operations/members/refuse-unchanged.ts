import { type Refusal, refuse, refuseNotFound } from "../../domain/refusal.ts";
import type { Unchanged } from "../../store/accounts/members.ts";
import { refuseRole } from "../caller.ts";

/** Why a membership stays as it is. */
export function refuseUnchanged({ is }: Unchanged): Refusal {
  if (is === "no_member") return refuseNotFound("member");
  return is === "owner_stays" ? refuse("owner_stays") : refuseRole("manage_members");
}
