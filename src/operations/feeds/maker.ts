// The caller with whose rights a feed makes its posts: the member or key that added or changed it last.
import type { Context } from "../../context.ts";
import { isId } from "../../domain/ids.ts";
import { readKeyById } from "../../store/accounts/keys.ts";
import { findMembership } from "../../store/accounts/workspaces.ts";
import type { FeedRow } from "../../store/feeds.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { findNames } from "../name-of.ts";

/** null: the person is no longer a member, or the key was revoked or has expired. */
export async function findFeedMaker(
  ctx: Context,
  { workspaceId, madeBy, madeSince }: FeedRow,
): Promise<WorkspaceCaller | null> {
  if (!isId("usr", madeBy)) {
    const key = await readKeyById(ctx.accounts, workspaceId, madeBy);
    if (key === undefined || key.revokedAt !== null || key.isExpired) return null;
    const { id: keyId, name, scopes, channels, budget } = key;
    return { kind: "key", keyId, name, workspaceId, scopes, channels, budget };
  }
  const membership = await findMembership(ctx.accounts, workspaceId, madeBy);
  if (membership === undefined) return null;
  const name = (await findNames(ctx, workspaceId, [madeBy])).get(madeBy) ?? madeBy;
  return { kind: "member", userId: madeBy, since: madeSince, name, workspaceId, role: membership.role };
}
