import type { Context } from "../../context.ts";
import type { CheckedPost } from "./check.ts";

/**
 * Schedules a wake-up for the publishers of a post's channels at its due time (epoch milliseconds; null: a draft). If
 * the wake-up is lost, the sweeper finds the post.
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
