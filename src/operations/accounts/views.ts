import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { Me, User } from "../../contract/accounts.ts";
import type { Workspace } from "../../contract/workspaces.ts";
import { isoInstant } from "../../domain/instant.ts";
import { toUsdOrNull } from "../../domain/money.ts";
import { refuse } from "../../domain/refusal.ts";
import {
  findUser,
  listMemberships,
  type Membership,
  type UserRow,
  type WorkspaceRow,
} from "../../store/accounts/accounts.ts";
import { brandView } from "../brand.ts";

export function userView(row: Omit<UserRow, "deviceGeneration">): z.input<typeof User> {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    email_verified: row.emailVerifiedAt !== null,
    created_at: isoInstant(row.createdAt),
  };
}

/** The signed-in person as they are now. */
export async function meView(ctx: Context, userId: string): Promise<z.input<typeof Me>> {
  const user = await findUser(ctx.accounts, userId);
  if (user === undefined) throw refuse("session_expired");
  return { user: userView(user), workspaces: (await listMemberships(ctx.accounts, userId)).map(workspaceView) };
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
    approval: row.approval,
    four_eyes: row.fourEyes,
    require_factor: row.requireFactor,
    media_fit: row.mediaFit,
    rechecks: row.rechecks,
    link_tags: row.linkTags,
    budget_usd: toUsdOrNull(row.budget),
    brand: brandView(row.brand),
    external_id: row.externalId,
    metadata: row.metadata ?? {},
    ...("role" in row ? { role: row.role, ownership_offered: !row.isOwned } : {}),
  };
}
