import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { createPost as contract, DryRun } from "../../contract/posts.ts";
import { makeId } from "../../domain/ids.ts";
import { isoOrNull, localReading, monthEnd } from "../../domain/instant.ts";
import { draftBytes } from "../../domain/posts/draft.ts";
import { effectivePostType, textLimit } from "../../domain/posts/post-target.ts";
import { estimatedCost } from "../../domain/posts/price.ts";
import { refuse } from "../../domain/refusal.ts";
import { ask } from "../../store/db/batch.ts";
import { type Database, wasRefused } from "../../store/db/db.ts";
import type { DraftGrowth } from "../../store/posts/drafts.ts";
import { findKeyUse, insertPost, type NewPost } from "../../store/posts/new-post.ts";
import { getPost, type PostWithDeliveries } from "../../store/posts/posts.ts";
import { refuseWithoutAbility } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { created, ok, type ReadThenRun } from "../run.ts";
import { arm } from "./arm.ts";
import { type CheckedPost, checkPost, postsAllowed } from "./check.ts";
import { draftLimit, draftRoom } from "./draft-limit.ts";
import { changedMeanwhile } from "./inspect.ts";
import { postFields } from "./post-fields.ts";
import { type CheckMaterial, earlierPost, fingerprint, type PostBody, readToCheck } from "./read-for-check.ts";
import { postView } from "./view.ts";

/** A dry run has no key: it makes nothing that a second call could find. */
const keyOf = (body: PostBody, idempotencyKey: string | null) => (body.dry_run === true ? null : idempotencyKey);

/** Decide, then do: a dry run is the first half of the real thing. */
export const createPost: ReadThenRun<typeof contract, CheckMaterial> = {
  read: (ctx, db, workspaceId, { body, idempotencyKey }) =>
    readToCheck(ctx, db, workspaceId, body, { idempotencyKey: keyOf(body, idempotencyKey) }),

  async run(ctx, caller, { body, idempotencyKey, content }, found) {
    if (body.draft !== true) refuseWithoutAbility(caller, "publish");
    const { workspaceId } = caller;
    const db = ctx.databaseOf(workspaceId);
    const earlier = await earlierPost(found, body);
    if (earlier !== null) return replay(db, workspaceId, earlier);
    const checked = await checkPost(ctx, body, found);
    const counts = body.draft !== true;
    const allowed = postsAllowed(checked);
    if (counts && allowed !== null && checked.postsUsed >= allowed) throw monthFull(checked, checked.postsUsed);
    const fields = postFields(body);
    const growth = counts ? { drafts: 0, bytes: 0 } : { drafts: 1, bytes: draftBytes(fields) };
    const full = draftLimit(checked.workspace, growth);
    if (full !== null) throw full;
    if (body.dry_run === true) return { ...ok(preview(checked, body)), content: checked.content };
    if (content !== undefined && content !== checked.content) throw changedMeanwhile();

    const post = await rowsOf(ctx, workspaceId, body, checked, fields, growth, keyOf(body, idempotencyKey));
    let written: PostWithDeliveries | undefined;
    try {
      written = await insertPost(db, post);
    } catch (error) {
      // It may have been written all the same: its publishers look, and find it or nothing.
      if (!wasRefused(error)) ctx.later(arm(ctx, workspaceId, post.post.dueAt ?? null, checked));
      return afterFailure(db, post, error);
    }
    if (written === undefined) {
      // Since it was read a file has gone or changed, which a second look says, or others have used up the plan.
      const now = await checkPost(ctx, body, await ask(db, readToCheck(ctx, db, workspaceId, body)));
      const { postsUsed } = now;
      const full = draftLimit(now.workspace, growth);
      if (full !== null) throw full;
      throw counts && allowed !== null && postsUsed >= allowed ? monthFull(checked, postsUsed) : changedMeanwhile();
    }
    ctx.later(arm(ctx, workspaceId, post.post.dueAt ?? null, checked));
    // What is due at once is accepted as scheduled, whatever the clock says by now.
    const status = written.post.status === "draft" ? "draft" : "scheduled";
    return created(postView({ ...written, post: { ...written.post, status } }, checked.warnings));
  },
};

function monthFull(checked: CheckedPost, used: number) {
  return planLimit("posts_per_month", checked.workspace.plan, used, monthEnd(checked.month));
}

async function rowsOf(
  ctx: Context,
  workspaceId: string,
  body: PostBody,
  checked: CheckedPost,
  fields: ReturnType<typeof postFields>,
  growth: DraftGrowth,
  key: string | null,
): Promise<NewPost> {
  const { now } = checked;
  const draft = body.draft === true;
  return {
    post: {
      workspaceId,
      id: makeId("post", now, ctx.entropy),
      status: draft ? "draft" : "scheduled",
      ...fields,
      postType: body.post_type ?? null,
      publishAt: checked.publishAt,
      dueAt: draft ? null : Math.max(now, checked.publishAt ?? now),
      timezone: checked.workspace.timezone,
      countedMonth: draft ? null : checked.month,
      createdAt: now,
      updatedAt: now,
    },
    deliveries: draft
      ? []
      : checked.targets.map((target) => ({
          id: makeId("dlv", now, ctx.entropy),
          channelId: target.channel,
          platform: target.rule.platform,
        })),
    mediaUsed: checked.mediaUsed,
    inspections: checked.inspections,
    key: key === null ? null : { key, fingerprint: await fingerprint(body) },
    postsMax: postsAllowed(checked),
    draft: { growth, room: draftRoom(checked.workspace) },
  };
}

async function replay(db: Database, workspaceId: string, postId: string) {
  const view = await getPost(db, workspaceId, postId);
  if (view === undefined) {
    const message = "The draft that this Idempotency-Key made was discarded.";
    throw refuse("idempotency_key_reused", { field: "Idempotency-Key", message });
  }
  return { ...ok(postView(view)), replayed: true };
}

/**
 * The batch failed, or its answer was lost: a duplicate with the same key has won, or it was committed after all. It is
 * never sent again blindly.
 */
async function afterFailure(db: Database, { post, key }: NewPost, error: unknown) {
  const { workspaceId } = post;
  const use = key === null ? undefined : await findKeyUse(db, workspaceId, key.key);
  if (use !== undefined && use.postId !== post.id) {
    if (use.fingerprint !== key?.fingerprint) throw refuse("idempotency_key_reused", { field: "Idempotency-Key" });
    return replay(db, workspaceId, use.postId);
  }
  const view = await getPost(db, workspaceId, post.id);
  if (view === undefined) throw error;
  return created(postView(view));
}

function preview(checked: CheckedPost, body: PostBody): z.input<typeof DryRun> {
  const { publishAt, workspace } = checked;
  return {
    dry_run: true,
    valid: true,
    status: body.draft === true ? "draft" : "scheduled",
    publish_at: isoOrNull(publishAt),
    publish_at_local: publishAt === null ? null : localReading(publishAt, workspace.timezone),
    deliveries: checked.targets.map((target) => ({
      channel: target.channel,
      platform: target.rule.platform,
      text: target.text,
      text_length: checked.meter.length(target.text, target.rule),
      text_limit: textLimit(target),
      text_unit: target.rule.text_unit,
      post_type: effectivePostType(target),
      media: target.media.length,
      estimated_cost_usd: estimatedCost(target, checked.meter),
    })),
    counts: { posts_used: checked.postsUsed, posts_allowed: postsAllowed(checked) },
    warnings: checked.warnings,
  };
}
