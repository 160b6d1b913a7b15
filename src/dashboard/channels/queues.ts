// How many scheduled posts each channel has.
import { useRead } from "../reads.ts";

export interface Queue {
  posts: number;
  /** Whether there may be more: only the first page of the scheduled posts is counted. */
  isPart: boolean;
}

const PAGE = 200;

/** The queue of each channel, by the channel's id. A channel without scheduled posts is absent. */
export function useQueues(): { of(channel: string): Queue | undefined } {
  const { data } = useRead(["posts", "queues"], async (client, signal) => {
    const query = { status: "scheduled", order: "due", limit: PAGE } as const;
    const { body } = await client.call("posts.list", { query, signal });
    const counts = new Map<string, number>();
    for (const channel of body.posts.flatMap(({ deliveries }) => deliveries.map(({ channel }) => channel)))
      counts.set(channel, (counts.get(channel) ?? 0) + 1);
    return { counts, isPart: body.next !== null };
  });
  return {
    of: (channel) => (data === undefined ? undefined : { posts: data.counts.get(channel) ?? 0, isPart: data.isPart }),
  };
}

/** "3 scheduled posts" */
export function formatQueue(queue: Queue | undefined): string {
  if (queue === undefined) return "";
  if (queue.posts === 0) return queue.isPart ? "" : "Nothing scheduled";
  return `${queue.posts}${queue.isPart ? "+" : ""} scheduled ${queue.posts === 1 ? "post" : "posts"}`;
}
