// Checks on their way to a hand (-> check-delivery.ts): those of one channel travel together, as many as one hand may do.
import type { Context } from "../context.ts";
import type { DeliveryKey } from "../store/delivery-key.ts";

/** Networks count calls by account and hour. */
const PER_JOB_MAX = 20;

/** Puts checks onto the queue, of each channel no more than one hand may do now; the others stay due. */
export async function sendChecks(ctx: Context, due: DeliveryKey[]): Promise<void> {
  const ofChannel = Map.groupBy(due, ({ workspaceId, channelId }) => `${workspaceId} ${channelId}`);
  await ctx.queue.send(
    [...ofChannel.values()].flatMap((keys) => {
      const [first] = keys;
      if (first === undefined) return [];
      const posts = keys.slice(0, PER_JOB_MAX).map(({ postId }) => postId);
      return [{ kind: "check" as const, workspace: first.workspaceId, channel: first.channelId, posts }];
    }),
  );
}
