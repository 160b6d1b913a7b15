import type { Context, Reviewer } from "../../context.ts";
import type { Input, Result } from "../../contract/operation.ts";
import type { createPost as contract } from "../../contract/posts.ts";
import { wasRefused } from "../../domain/database-fault.ts";
import { makeId } from "../../domain/ids.ts";
import { monthEnd } from "../../domain/instant.ts";
import { waiting } from "../../domain/posts/approval.ts";
import { draftBytes } from "../../domain/posts/draft.ts";
import { earliestTime } from "../../domain/posts/own-time.ts";
import type { SentFile } from "../../domain/posts/sent-file.ts";
import { findRefusal, type Refusal, refuse, refuseNotFound } from "../../domain/refusal.ts";
import { ask } from "../../store/db/batch.ts";
import type { DraftGrowth } from "../../store/posts/drafts.ts";
import { findKeyUse, insertPost, type NewPost } from "../../store/posts/new-post.ts";
import { getPost } from "../../store/posts/posts.ts";
import type { SlotWish } from "../../store/slots.ts";
import { postView } from "../../views/post.ts";
import { refuseWithoutAbility, type WorkspaceCaller } from "../caller.ts";
import { findUserId, toActor } from "../name-of.ts";
import { planLimit } from "../plan-limit.ts";
import { limitChecks } from "../rate-limit.ts";
import { reachesPost } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { created, ok, type ReadThenRun, type Reply } from "../run.ts";
import { arm } from "./arm.ts";
import { budgetFull, computeSpend } from "./budget.ts";
import { type CheckedPost, checkPost, postsAllowed } from "./check.ts";
import { checkQueued } from "./check-queued.ts";
import { tagOfContent } from "./content-tag.ts";
import { draftLimit, draftRoom } from "./draft-limit.ts";
import { changedMeanwhile } from "./inspect.ts";
import { newDeliveries, postTimes, publishingAt } from "./new-delivery.ts";
import { postFields } from "./post-fields.ts";
import { preview } from "./preview.ts";
import { announce, buildApprovalEvent, queuedBy } from "./queue.ts";
import { type CheckMaterial, earlierPost, fingerprint, type PostBody, readToCheck } from "./read-for-check.ts";
import { slotFor, withSlot } from "./take-slot.ts";

/** A dry run has no key: it creates nothing that a second call could return. */
const resolveIdempotencyKey = (body: PostBody, idempotencyKey: string | null) =>
  body.dry_run === true ? null : idempotencyKey;

/** Decide, then do: a dry run is the first half of the real thing. */
export const createPost: ReadThenRun<typeof contract, CheckMaterial> = {
  read: (ctx, db, workspaceId, { body, idempotencyKey }) =>
    readToCheck(ctx, db, workspaceId, body, { idempotencyKey: resolveIdempotencyKey(body, idempotencyKey) }),

  async run(ctx, caller, input, material) {
    if (input.body.dry_run === true) await limitChecks(ctx, caller);
    return create(ctx, caller, input, material, TRIES);
  },
};

/** How many times a post looks for a slot if concurrent posts take all its candidates. */
const TRIES = 5;

async function create(
  ctx: Context,
  caller: WorkspaceCaller,
  input: Input<typeof contract>,
  material: CheckMaterial,
  tries: number,
): Promise<Reply<Result<typeof contract>>> {
  const { workspaceId } = caller;
  const { body, idempotencyKey, content } = input;
  if (body.draft === true) refuseWithoutAbility(caller, "draft");
  const status = body.draft === true ? "draft" : queuedBy(caller, material.workspace?.approval);
  const db = ctx.databaseOf(workspaceId);
  const earlier = await earlierPost(material, body);
  if (earlier !== null) return replay(ctx, caller, earlier);
  const waits = status === "awaiting_approval";
  const { checked, sentFiles } =
    body.dry_run === true || status === "draft"
      ? { checked: await checkPost(ctx, caller, body, material, { files: waits ? "arrived" : "any" }), sentFiles: null }
      : await checkQueued(ctx, caller, body, material, { waits });
  const counts = status === "scheduled";
  const fields = postFields(checked.body);
  const full = planFull(checked, fields, status);
  if (full !== null) throw full;
  const slot = await slotFor(db, { id: null, checked, slots: material.slots, content });
  const overBudget = counts ? budgetFull(checked, computeSpend(checked, caller, publishingAt(checked, slot))) : null;
  if (overBudget !== null) throw overBudget;
  if (body.dry_run === true) {
    return {
      status: 200,
      body: await preview(checked, status, slot),
      content: withSlot(checked.content, slot, checked.ownSlots),
    };
  }
  if (content !== undefined && content !== withSlot(checked.content, slot, checked.ownSlots)) throw changedMeanwhile();

  const post = await buildNewPost(ctx, caller, body, checked, {
    fields,
    status,
    key: resolveIdempotencyKey(body, idempotencyKey),
    slot,
    sentFiles,
  });
  let result: Awaited<ReturnType<typeof insertPost>>;
  try {
    result = await insertPost(databaseToWrite(ctx, caller), post);
  } catch (error) {
    if (findRefusal(error) !== null) throw error;
    // The post may have been written despite the error. Its publishers check for it.
    if (!wasRefused(error) && counts) {
      ctx.later(arm(ctx, workspaceId, slot?.candidates[0] ?? post.post.dueAt ?? null, checked));
    }
    return afterFailure(ctx, caller, post, error);
  }
  if (result === undefined) {
    // Since the read, a file has gone or changed, which a second check reports, or other posts have used up the plan or
    // the slots.
    const again = await ask(
      db,
      readToCheck(ctx, db, workspaceId, body, { idempotencyKey: resolveIdempotencyKey(body, idempotencyKey) }),
    );
    // The last place may have been taken by an earlier call with this key.
    const winner = await earlierPost(again, body);
    if (winner !== null) return replay(ctx, caller, winner);
    const now = await checkPost(ctx, caller, body, again, { files: waits ? "arrived" : "any" });
    const full = planFull(now, fields, status) ?? (counts ? budgetFull(now, post.spend) : null);
    if (full !== null) throw full;
    // Nothing blocks the post any more: another call may have given back the place that was missing.
    if (tries <= 1) throw changedMeanwhile();
    return create(ctx, caller, input, again, tries - 1);
  }
  const { written, notify } = result;
  const { dueAt, publishAt } = written.post;
  if (counts) ctx.later(arm(ctx, workspaceId, dueAt, checked));
  if (post.news !== null) announce(ctx, workspaceId, notify);
  // A post that is due at once is returned as scheduled, whatever the clock says now.
  return created(
    postView(
      ctx,
      { ...written, post: { ...written.post, status } },
      await checked.warningsAt(publishAt ?? checked.now, written.post.id),
    ),
  );
}

/** The 402 for a new post that exceeds the plan, according to the data that was read; null: the plan has room. */
export function planFull(checked: CheckedPost, fields: PostFields, status: NewStatus): Refusal | null {
  const { workspace, postsUsed } = checked;
  const allowed = postsAllowed(checked);
  if (status === "scheduled" && allowed !== null && postsUsed >= allowed) return monthFull(checked, postsUsed);
  return draftLimit(workspace, computeGrowth(fields, status));
}

/** The growth that a new post causes in the drafts of its workspace. */
const computeGrowth = (fields: PostFields, status: NewStatus): DraftGrowth =>
  status === "scheduled" ? { drafts: 0, bytes: 0 } : { drafts: 1, bytes: draftBytes(fields) };

export function monthFull(checked: CheckedPost, used: number) {
  return planLimit("posts_per_month", checked.workspace.plan, used, monthEnd(checked.month));
}

/** The status of a new post. */
export type NewStatus = "draft" | "awaiting_approval" | "scheduled";
type PostFields = ReturnType<typeof postFields>;

export async function buildNewPost(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  body: PostBody,
  checked: CheckedPost,
  options: {
    fields: PostFields;
    status: NewStatus;
    key: string | null;
    slot: SlotWish | null;
    sentFiles: SentFile[] | null;
  },
): Promise<NewPost> {
  const { workspaceId } = caller;
  const author = toActor(caller);
  const { now } = checked;
  const { fields, status, key, slot, sentFiles } = options;
  const id = makeId("post", now, ctx.entropy);
  const approval = status === "awaiting_approval" ? waiting(1, now) : null;
  const isQueued = status === "scheduled";
  const times = postTimes(checked, Math.max(now, checked.publishAt ?? now));
  return {
    post: {
      workspaceId,
      id,
      status,
      approval,
      ...fields,
      sentFiles,
      contentTag: await tagOfContent(fields, { files: checked.files, sentFiles }),
      publishAt: checked.publishAt,
      dueAt: status === "draft" ? null : earliestTime(times),
      timezone: checked.workspace.timezone,
      countedMonth: isQueued ? checked.month : null,
      createdAt: now,
      updatedAt: now,
      author,
      authorUserId: caller.kind === "reviewer" ? null : findUserId(caller),
      repeatState: fields.repeat === null ? null : "active",
    },
    // A waiting post has no deliveries, so nothing of it can be sent.
    deliveries: isQueued
      ? newDeliveries(checked, publishingAt(checked, slot), () => makeId("dlv", now, ctx.entropy))
      : [],
    news:
      approval === null
        ? null
        : buildApprovalEvent(
            ctx,
            { workspaceId, id, metadata: fields.metadata },
            "post.approval_requested",
            approval,
            author,
          ),
    mediaUsed: checked.mediaUsed,
    inspections: checked.inspections,
    key: key === null ? null : { key, fingerprint: await fingerprint(body) },
    postsMax: postsAllowed(checked),
    spend: computeSpend(checked, caller, publishingAt(checked, slot)),
    draft: { growth: computeGrowth(fields, status), room: draftRoom(checked.workspace) },
    slot,
    ownSlots: checked.ownSlots,
    times,
    follows: null,
  };
}

async function replay(ctx: Context, caller: WorkspaceCaller, postId: string) {
  const view = await getPost(ctx.databaseOf(caller.workspaceId), caller.workspaceId, postId);
  if (view === undefined) {
    const message = "The draft that this Idempotency-Key made was discarded.";
    throw refuse("idempotency_key_reused", { field: "Idempotency-Key", message });
  }
  if (!reachesPost(caller, view)) throw refuseNotFound("post");
  return { ...ok(postView(ctx, view)), replayed: true };
}

/**
 * The batch failed, or its answer was lost: either a duplicate with the same key won, or the batch was committed after
 * all. The batch is never sent again without this check.
 */
async function afterFailure(ctx: Context, caller: WorkspaceCaller, { post, key }: NewPost, error: unknown) {
  const { workspaceId } = post;
  const db = ctx.databaseOf(workspaceId);
  const use = key === null ? undefined : await findKeyUse(db, workspaceId, key.key);
  if (use !== undefined && use.postId !== post.id) {
    if (use.fingerprint !== key?.fingerprint) throw refuse("idempotency_key_reused", { field: "Idempotency-Key" });
    return replay(ctx, caller, use.postId);
  }
  const view = await getPost(db, workspaceId, post.id);
  if (view === undefined) throw error;
  return created(postView(ctx, view));
}
