// Archives posts that finished before the retention period. A file of posts is written to the bucket first. Its rows
// are then deleted together, and only if they have not changed since they were read. A later sweep repeats an
// interrupted step; a post may then appear in two files, and each copy is complete. Existing files are never
// overwritten.
import { sha256Hex } from "../adapters/digest.ts";
import type { Context } from "../context.ts";
import { archiveKey } from "../domain/archive.ts";
import { earliestId } from "../domain/ids.ts";
import { formatMonth } from "../domain/instant.ts";
import { RETENTION_MONTH_MS } from "../domain/limits.ts";
import type { Database } from "../store/db/db.ts";
import {
  deleteOldPosts,
  type LookedAtPost,
  lookAtPosts,
  type OldPost,
  readOldPosts,
  workspaceWithOldPosts,
} from "../store/posts/archive.ts";
import { archiveLine } from "./archive-line.ts";

/** Steps per sweep. Each step either finds the next workspace or archives some posts of the current one. */
const STEPS_MAX = 10;
const WORKSPACES_MAX = 200;
/** How many posts a step reads. */
const LOOKED_MAX = 500;
/** How many posts a step archives at most, and their approximate total size in bytes. */
const TAKEN_MAX = 200;
const BYTES_MAX = 4 * 1024 * 1024;

export interface ArchiveCursors {
  /** The last post that was read; null: start with the first workspace. */
  archive?: { workspaceId: string; postId: string } | null;
}

export async function archivePosts(ctx: Context, db: Database, cursors: ArchiveCursors): Promise<void> {
  const { retentionMonths } = ctx.settings;
  if (retentionMonths === null || ctx.bucket === null) return;
  const before = ctx.now() - retentionMonths * RETENTION_MONTH_MS;
  const beforeId = earliestId("post", before);
  for (let step = 0; step < STEPS_MAX; step++) {
    const cursor = cursors.archive ?? null;
    const { workspaceId, postId: after } = cursor ?? { workspaceId: "", postId: "" };
    const candidates =
      cursor === null ? [] : await lookAtPosts(db, workspaceId, { after, beforeId, before, limit: LOOKED_MAX });
    const selectedPosts = firstPart(candidates);
    const last = selectedPosts.at(-1);
    if (last === undefined) {
      const workspace = await workspaceWithOldPosts(db, workspaceId, beforeId, WORKSPACES_MAX);
      // A workspace without old posts is skipped: the cursor moves behind its last possible post.
      cursors.archive = workspace && { workspaceId: workspace.workspaceId, postId: workspace.hasOld ? "" : beforeId };
      if (workspace === null) return;
      continue;
    }
    const ids = selectedPosts.filter(({ isOver }) => isOver).map(({ id }) => id);
    const old = ids.length === 0 ? [] : await readOldPosts(db, workspaceId, ids, before);
    for (const posts of byMonth(old)) await archive(ctx, db, workspaceId, posts, before);
    cursors.archive = { workspaceId, postId: last.id };
  }
}

/** The posts that one step handles: as many as fit, but at least one post to archive, even if it is too large. */
function firstPart(candidates: LookedAtPost[]): LookedAtPost[] {
  let [count, bytes] = [0, 0];
  const end = candidates.findIndex((post) => {
    if (!post.isOver) return false;
    count++;
    bytes += post.bytes;
    return count > 1 && (count > TAKEN_MAX || bytes > BYTES_MAX);
  });
  return end === -1 ? candidates : candidates.slice(0, end);
}

const byMonth = (old: OldPost[]): OldPost[][] => [
  ...Map.groupBy(old, ({ post }) => formatMonth(post.finishedAt ?? 0)).values(),
];

async function archive(ctx: Context, db: Database, workspaceId: string, old: OldPost[], before: number): Promise<void> {
  const [first] = old;
  if (ctx.bucket === null || first === undefined || first.post.finishedAt === null) return;
  const text = old.map((oldPost) => `${archiveLine(oldPost)}\n`).join("");
  const key = archiveKey(workspaceId, first.post.finishedAt, first.post.id, await sha256Hex(text));
  await ctx.bucket.put(key, text, "application/x-ndjson");
  await deleteOldPosts(db, workspaceId, old, before);
}
