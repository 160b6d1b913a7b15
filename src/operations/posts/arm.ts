import type { Context } from "../../context.ts";
import type { CheckedPost } from "./check.ts";

/**
 * Has the publishers of a post's channels look when it is due (epoch milliseconds; null: a draft). If that is lost, the
 * sweeper finds the post.
 */
export async function arm(
  ctx: Context,
  workspaceId: string,
  dueAt: number | null,
  { targets }: CheckedPost,
): Promise<void> {
  if (dueAt === null) return;
  await ctx.publishers.arm(
    workspaceId,
    targets.map(({ lane }) => ({ lane, at: dueAt })),
  );
}
