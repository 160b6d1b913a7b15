import type * as z from "zod";
import type { User } from "../../contract/accounts.ts";
import type { Workspace } from "../../contract/workspaces.ts";
import { isoInstant } from "../../domain/instant.ts";
import type { Membership, UserRow, WorkspaceRow } from "../../store/accounts/accounts.ts";

export function userView(row: UserRow): z.input<typeof User> {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    email_verified: row.emailVerifiedAt !== null,
    created_at: isoInstant(row.createdAt),
  };
}

/** `role` is known for sessions only. */
export function workspaceView(row: WorkspaceRow | Membership): z.input<typeof Workspace> {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    plan_status: row.planStatus,
    created_at: isoInstant(row.createdAt),
    timezone: row.timezone,
    ...("role" in row ? { role: row.role } : {}),
  };
}
