// Deliveries that are looked at before or after publishing, on their way to a hand (-> check-delivery.ts, preflight.ts): those
// of one channel travel together.
import type { Context } from "../context.ts";
import type { DeliveryKey } from "../store/delivery-key.ts";

/** Networks count calls by account and hour. */
const PER_JOB_MAX = 20;

/** Some deliveries of one channel, as a job names them. */
interface Part {
  workspace: string;
  channel: string;
  posts: string[];
}

/** For each channel its deliveries in parts that one hand may do, in their order. */
export function partsByChannel(keys: DeliveryKey[]): Part[][] {
  const ofChannel = Map.groupBy(keys, ({ workspaceId, channelId }) => `${workspaceId} ${channelId}`);
  return [...ofChannel.values()].map((together) => {
    const { workspaceId: workspace = "", channelId: channel = "" } = together[0] ?? {};
    return Array.from({ length: Math.ceil(together.length / PER_JOB_MAX) }, (_, i) => {
      const posts = together.slice(i * PER_JOB_MAX, (i + 1) * PER_JOB_MAX).map(({ postId }) => postId);
      return { workspace, channel, posts };
    });
  });
}

/** Puts checks onto the queue, of each channel no more than one hand may do now; the others stay due. */
export async function sendChecks(ctx: Context, due: DeliveryKey[]): Promise<void> {
  await ctx.queue.send(
    partsByChannel(due).flatMap(([part]) => (part === undefined ? [] : [{ kind: "check" as const, ...part }])),
  );
}
