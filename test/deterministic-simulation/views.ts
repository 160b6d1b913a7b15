// What callers are told about their posts after the run.
import { performNow } from "./requests.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

interface ViewedThreadPart {
  position: number;
  status: string;
  url: string | null;
}
export interface ViewedDelivery {
  channel: string;
  status: string;
  error: string | null;
  removed_by: string | null;
  parts: ViewedThreadPart[] | null;
}
/** By the number of the post. */
export type Views = ReadonlyMap<number, ViewedDelivery[]>;

/** Reads the posts with a known id, as their owners. */
export async function readPosts(world: World, workload: Workload): Promise<Views> {
  const views = new Map<number, ViewedDelivery[]>();
  for (const { n, postId, workspace } of workload.wanted) {
    if (postId === null) continue;
    const answer = await performNow(world, "posts.get", { params: { id: postId } }, workload.getTenant(workspace).key);
    // A discarded or erased post is missing.
    if (answer.is === "answer" && answer.status === 200) views.set(n, Object(answer.body).deliveries);
  }
  return views;
}
