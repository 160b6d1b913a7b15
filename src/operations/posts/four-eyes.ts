// The option `four_eyes`: no person may approve a post that they changed last.
//
// A key counts as the owner who made it, and an application as the person for whom it acts. The workspace's own key
// belongs to no particular person, and each owner can read it, so it counts as every owner. A review link counts as its
// maker: its page requires no sign-in, so the maker could use the link themselves.
import type { Context } from "../../context.ts";
import { isId } from "../../domain/ids.ts";
import { refuse } from "../../domain/refusal.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import { readKeyMaker } from "../../store/accounts/keys.ts";
import { findMembership } from "../../store/accounts/workspaces.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";

type Post = PostWithDeliveries["post"];

/**
 * Throws `four_eyes` if the workspace requires two people and one of `deciders` (ids of users and keys) changed the
 * post last.
 */
export async function refuseOwnChange(
  ctx: Context,
  workspace: Pick<WorkspaceRow, "fourEyes"> | undefined,
  post: Post,
  deciders: readonly string[],
): Promise<void> {
  if (workspace?.fourEyes !== true) return;
  const { workspaceId } = post;
  const author = post.authorUserId ?? (await findPerson(ctx, workspaceId, post.author?.id ?? null));
  for (const decider of deciders) {
    const person = await findPerson(ctx, workspaceId, decider);
    if (await isSamePerson(ctx, workspaceId, author, person)) throw refuse("four_eyes");
  }
}

/** Resolves the id of a user or key to a user id; null: the workspace's own key. */
async function findPerson(ctx: Context, workspaceId: string, id: string | null): Promise<string | null> {
  if (id === null || isId("usr", id)) return id;
  return readKeyMaker(ctx.accounts, workspaceId, id);
}

async function isSamePerson(ctx: Context, workspaceId: string, a: string | null, b: string | null): Promise<boolean> {
  if (a === b) return true;
  if (a !== null && b !== null) return false;
  const member = await findMembership(ctx.accounts, workspaceId, a ?? b ?? "");
  return member?.role === "owner";
}
