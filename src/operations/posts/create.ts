import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { createPost as contract, DryRun } from "../../contract/posts.ts";
import { makeId } from "../../domain/ids.ts";
import { isoOrNull, localReading, monthEnd } from "../../domain/instant.ts";
import { effectivePostType, textLimit } from "../../domain/leg.ts";
import { estimatedCost } from "../../domain/price.ts";
import { refuse } from "../../domain/refusal.ts";
import { textLength } from "../../domain/text-length.ts";
import { findKeyUse, getPost, insertPost, type NewPost } from "../../store/posts.ts";
import { inWorkspace } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { created, ok, type Run } from "../run.ts";
import { type CheckedPost, checkPost, fingerprint, type PostBody, postsAllowed } from "./check.ts";
import { postView } from "./view.ts";

/** Decide, then do: a dry run is the first half of the real thing. */
export const createPost: Run<typeof contract> = async (ctx, caller, { body, idempotencyKey }) => {
  const here = inWorkspace(caller);
  const key = body.dry_run === true ? null : idempotencyKey;
  const checked = await checkPost(ctx, here, body, key);
  if ("replayOf" in checked) return replay(ctx, here.workspaceId, checked.replayOf);
  const counts = body.draft !== true;
  const allowed = postsAllowed(checked);
  if (counts && allowed !== null && checked.postsUsed >= allowed) throw monthFull(checked, checked.postsUsed);
  if (body.dry_run === true) return ok(preview(checked, body));

  const post = await rowsOf(ctx, here.workspaceId, body, checked, key);
  let written: boolean;
  try {
    written = await insertPost(ctx.databaseOf(here.workspaceId), post);
  } catch (error) {
    return afterFailure(ctx, here.workspaceId, post, error);
  }
  if (!written) {
    // Since it was read a file has gone, which a second look says, or others have used up the month.
    await checkPost(ctx, here, body, null);
    throw monthFull(checked, allowed ?? checked.postsUsed);
  }
  ctx.later(arm(ctx, post));
  const view = await getPost(ctx.databaseOf(here.workspaceId), here.workspaceId, post.post.id);
  if (view === undefined) throw new Error("the post was written and is not there");
  // What is due at once is accepted as scheduled, whatever the clock says by now.
  const status = view.post.status === "draft" ? "draft" : "scheduled";
  return created(postView({ ...view, post: { ...view.post, status } }, checked.warnings));
};

function monthFull(checked: CheckedPost, used: number) {
  return planLimit("posts_per_month", checked.workspace.plan, used, monthEnd(checked.month));
}

async function rowsOf(
  ctx: Context,
  workspaceId: string,
  body: PostBody,
  checked: CheckedPost,
  key: string | null,
): Promise<NewPost> {
  const { now } = checked;
  const draft = body.draft === true;
  return {
    post: {
      workspaceId,
      id: makeId("post", now, ctx.entropy),
      status: draft ? "draft" : "scheduled",
      text: body.text ?? "",
      media: body.media ?? [],
      channels: body.channels ?? [],
      overrides: JSON.parse(JSON.stringify(body.overrides ?? {})),
      postType: body.post_type ?? null,
      metadata: body.metadata ?? {},
      publishAt: checked.publishAt,
      dueAt: draft ? null : Math.max(now, checked.publishAt ?? now),
      timezone: checked.workspace.timezone,
      countedMonth: draft ? null : checked.month,
      createdAt: now,
      updatedAt: now,
    },
    deliveries: draft
      ? []
      : checked.legs.map((leg) => ({
          id: makeId("dlv", now, ctx.entropy),
          channelId: leg.channel,
          platform: leg.rule.platform,
        })),
    mediaUsed: checked.mediaUsed,
    key: key === null ? null : { key, fingerprint: await fingerprint(body) },
    postsMax: postsAllowed(checked),
  };
}

/** Has the workspace's clock ring; if this is lost, the sweeper finds the post. */
async function arm(ctx: Context, { post, deliveries }: NewPost): Promise<void> {
  const { dueAt } = post;
  if (dueAt == null) return;
  await ctx.clock.arm(
    post.workspaceId,
    deliveries.map(({ channelId }) => ({ at: dueAt, channel: channelId })),
  );
}

async function replay(ctx: Context, workspaceId: string, postId: string) {
  const view = await getPost(ctx.databaseOf(workspaceId), workspaceId, postId);
  if (view === undefined) {
    const message = "The draft that this Idempotency-Key made was discarded.";
    throw refuse("idempotency_key_reused", { field: "Idempotency-Key", message });
  }
  return { ...ok(postView(view)), replayed: true };
}

/**
 * The batch failed, or its answer was lost: a twin with the same key has won, or it was committed after all. It is
 * never sent again blindly.
 */
async function afterFailure(ctx: Context, workspaceId: string, { post, key }: NewPost, error: unknown) {
  const db = ctx.databaseOf(workspaceId);
  const use = key === null ? undefined : await findKeyUse(db, workspaceId, key.key);
  if (use !== undefined && use.postId !== post.id) {
    if (use.fingerprint !== key?.fingerprint) throw refuse("idempotency_key_reused", { field: "Idempotency-Key" });
    return replay(ctx, workspaceId, use.postId);
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
    deliveries: checked.legs.map((leg) => ({
      channel: leg.channel,
      platform: leg.rule.platform,
      text: leg.text,
      text_length: textLength(leg.text, leg.rule),
      text_limit: textLimit(leg),
      text_unit: leg.rule.text_unit,
      post_type: effectivePostType(leg),
      media: leg.media.length,
      estimated_cost_usd: estimatedCost(leg),
    })),
    counts: { posts_used: checked.postsUsed, posts_allowed: postsAllowed(checked) },
    warnings: checked.warnings,
  };
}
