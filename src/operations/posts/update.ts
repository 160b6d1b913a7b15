import type { Context, Reviewer } from "../../context.ts";
import type { Input } from "../../contract/operation.ts";
import type { updatePost as contract } from "../../contract/posts.ts";
import { base64Url } from "../../domain/encoding.ts";
import { makeId } from "../../domain/ids.ts";
import { isoOrNull, monthEnd } from "../../domain/instant.ts";
import { canonicalJson } from "../../domain/json.ts";
import { type Approval, waiting } from "../../domain/posts/approval.ts";
import { draftBytes } from "../../domain/posts/draft.ts";
import { earliestTime, readOwnTimes, readTimes } from "../../domain/posts/own-time.ts";
import { mergePost } from "../../domain/posts/post-fields.ts";
import type { Repeat } from "../../domain/posts/repeat.ts";
import { findRefusal, refuse, refuseNotFound } from "../../domain/refusal.ts";
import { ask, joinStatements, type Statements } from "../../store/db/batch.ts";
import type { Database, In } from "../../store/db/db.ts";
import { editPost, type PostEdit } from "../../store/posts/edits.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { postView } from "../../views/post.ts";
import { makeEntry } from "../audit-entry.ts";
import { refuseWithoutAbility, type WorkspaceCaller } from "../caller.ts";
import { findUserId, toActor } from "../name-of.ts";
import { planLimit } from "../plan-limit.ts";
import { within } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { arm } from "./arm.ts";
import { budgetFull, computeSpend } from "./budget.ts";
import { refuseChanged } from "./changed.ts";
import { type CheckedPost, checkPost, postsAllowed } from "./check.ts";
import { checkQueued } from "./check-queued.ts";
import { tagOfContent } from "./content-tag.ts";
import { draftLimit, draftRoom } from "./draft-limit.ts";
import { newDeliveries, postTimes } from "./new-delivery.ts";
import { dropPastTimes } from "./own-times.ts";
import { postFields } from "./post-fields.ts";
import { announce, buildApprovalEvent, queuedBy, refuseUnlessWriter } from "./queue.ts";
import { type CheckMaterial, filterMaterial, type PostBody, readToCheck } from "./read-for-check.ts";
import { sealUploads } from "./seal-uploads.ts";
import { slotFor } from "./take-slot.ts";

type Patch = Input<typeof contract>["body"];
/** The post before the edit, and the data that is needed to check it. */
export type Found = [PostWithDeliveries | undefined, CheckMaterial];

/** How long an edit keeps retrying after losing a race; milliseconds. */
const TRY_FOR_MS = 20_000;
/** In milliseconds. A retry waits for a random part of a limit, which begins at twice `min` and grows up to `max`. */
const WAIT_MS = { min: 10, max: 2_000 };

type Edit = ReadThenRun<typeof contract, Found>;

/** Checks the merged post, then writes it, unless a delivery has started since. The database decides every race. */
export const updatePost: Edit = {
  read: (ctx, db, workspaceId, { params, body }) => readToEdit(ctx, db, workspaceId, params.id, body),
  run: (ctx, caller, input, first) => writeEdit.run(ctx, caller, input, first).catch(refuseThirdTry),
};

/** On the free plan, the statement limit of a request covers two attempts. */
function refuseThirdTry(error: unknown): never {
  if (findRefusal(error)?.code === "too_much_for_free_plan") throw refuse("edit_conflict");
  throw error;
}

const writeEdit: Pick<Edit, "run"> = {
  async run(ctx, caller, { params, body: patch, revisions }, first) {
    const { workspaceId } = caller;
    const db = ctx.databaseOf(workspaceId);
    const until = ctx.now() + TRY_FOR_MS;
    let [read, material] = first;
    for (let wait = WAIT_MS.min; ; ) {
      const beganAt = ctx.now();
      const before = within(caller, read);
      if (before === undefined) throw refuseNotFound("post");
      const status = statusAfter(caller, before, patch, material);
      refuseChanged(ctx, before, revisions);
      refuseUneditable(before, patch);
      const { edit, checked } = await buildEdit(ctx, caller, before, material, { patch, status });
      const warned = ({ post }: PostWithDeliveries) => checked.warningsAt(post.publishAt ?? checked.now, post.id);
      // An empty edit changes nothing and keeps the revision.
      if (Object.keys(patch).length === 0) return ok(postView(ctx, before, await warned(before)));
      const [{ edited, notify }, after] = await ask(
        databaseToWrite(ctx, caller),
        joinStatements(editPost(db, edit), readPost(db, workspaceId, params.id)),
      );
      if (edited && after !== undefined) {
        ctx.later(arm(ctx, workspaceId, status === "scheduled" ? after.post.dueAt : null, checked));
        if (edit.news !== null) announce(ctx, workspaceId, notify);
        return ok(postView(ctx, after, await warned(after)));
      }
      const full =
        draftLimit(checked.workspace, edit.draft.growth) ??
        (edit.month === null ? null : budgetFull(checked, edit.spend, before.post));
      if (full !== null) throw full;
      const allowed = postsAllowed(checked);
      const isCountedNow = edit.month !== null && before.post.countedMonth === null;
      if (isCountedNow && allowed !== null && checked.postsUsed >= allowed) {
        throw planLimit("posts_per_month", checked.workspace.plan, checked.postsUsed, monthEnd(checked.month));
      }
      if (ctx.now() >= until) throw refuse("edit_conflict");
      // The wait is random and grows, because edits that retry at the same moment collide again. The duration of an
      // attempt shows how many edits the database is processing before it.
      wait = Math.min(Math.max(2 * wait, ctx.now() - beganAt), WAIT_MS.max);
      await ctx.pause(Math.ceil((wait * (ctx.entropy(1)[0] ?? 0)) / 255));
      [read, material] = await ask(db, readToEdit(ctx, db, workspaceId, params.id, patch));
    }
  },
};

/** The status of the post after the edit. Throws `role_missing` or `scope_missing`. */
function statusAfter(
  caller: WorkspaceCaller,
  { post }: PostWithDeliveries,
  patch: Patch,
  { workspace }: CheckMaterial,
): PostEdit["fields"]["status"] {
  const isDraft = post.status === "draft";
  if (isDraft && patch.draft !== false) {
    refuseWithoutAbility(caller, "draft");
    return "draft";
  }
  // Any caller with write access may edit a waiting post; it then waits again.
  if (post.status === "awaiting_approval") refuseUnlessWriter(caller);
  // An edit of a scheduled post changes what is published.
  else if (!isDraft) refuseWithoutAbility(caller, "publish");
  if (patch.draft === true) return "draft";
  return post.status === "awaiting_approval" ? post.status : queuedBy(caller, workspace?.approval);
}

export function readToEdit(
  ctx: Context,
  db: Database,
  workspaceId: In<string>,
  id: string,
  patch: Patch,
): Statements<Found> {
  return joinStatements(readPost(db, workspaceId, id), readToCheck(ctx, db, workspaceId, patch, { ofPost: id }));
}

function refuseUneditable({ post, deliveries }: PostWithDeliveries, patch: Patch): void {
  const waits = ["draft", "awaiting_approval", "scheduled", "queued"].includes(post.status);
  const started = deliveries.some(({ state, startedAt }) => state !== "pending" || startedAt !== null);
  if (!waits || started || post.cancelledAt !== null) {
    throw refuse("post_not_editable", waits ? {} : { message: `The post is ${post.status}.` });
  }
  if (patch.post_type !== undefined && post.postType !== null && patch.post_type !== post.postType) {
    throw refuse("post_type_fixed", {
      field: "/post_type",
      message: `The post is a ${post.postType}, which cannot be changed.`,
    });
  }
}

/** `approval`: the decision that causes this edit; null: an ordinary edit. */
export async function buildEdit(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  { post, deliveries }: PostWithDeliveries,
  material: CheckMaterial,
  {
    patch,
    status,
    approval = null,
  }: { patch: Patch; status: PostEdit["fields"]["status"]; approval?: Approval | null },
): Promise<{ edit: PostEdit; checked: CheckedPost }> {
  const draft = status === "draft";
  const isQueued = status === "scheduled";
  const from = post.status === "draft" || post.status === "awaiting_approval" ? post.status : "scheduled";
  const released = (from === "draft" && !draft) || approval !== null;
  const content = mergePost(patch, post);
  const merged: PostBody = {
    ...content,
    // An approval with a new time also replaces the times of single channels that have passed.
    ...(approval !== null && patch.publish_at !== undefined && content.overrides !== undefined
      ? { overrides: dropPastTimes(content.overrides, material.now) }
      : {}),
    publish_at: patch.publish_at === undefined ? isoOrNull(post.publishAt) : patch.publish_at,
    draft,
  };
  const moved = patch.publish_at !== undefined;
  // A waiting post is decided on unchanged, and an approved post is published exactly as it was decided on.
  const mergedMaterial = filterMaterial(merged, material);
  const judgeTime = moved || released;
  const acceptedTimes = released ? new Map<string, number>() : readOwnTimes(post.overrides);
  const { checked, sentFiles } =
    draft || approval !== null || caller.kind === "reviewer"
      ? {
          checked: await checkPost(ctx, caller, merged, mergedMaterial, {
            judgeTime,
            acceptedTimes,
            files: approval === null ? "any" : "copied",
          }),
          sentFiles: draft ? null : post.sentFiles,
        }
      : await checkQueued(ctx, caller, merged, mergedMaterial, {
          judgeTime,
          acceptedTimes,
          waits: status === "awaiting_approval",
        });
  if (approval !== null) await sealUploads(ctx, [checked]);
  const { now, publishAt, workspace } = checked;
  // Without a time, a post is due when it is released or when its time is removed; otherwise it keeps its instant.
  const isKept = !moved && !released && readTimes(post, null).isFollowed;
  const atOnce = isKept ? (post.dueAt ?? now) : now;
  const base = publishAt === null ? atOnce : Math.max(now, publishAt);
  const times = postTimes(checked, base);
  const ids = new Map(deliveries.map(({ channelId, id }) => [channelId, id]));
  const fields = postFields(checked.body);
  const slot = await slotFor(ctx.databaseOf(post.workspaceId), { id: post.id, checked, slots: material.slots });
  const estimatedAt = slot?.candidates[0] ?? base;
  const bytes = isQueued ? 0 : draftBytes(fields);
  const growth = { drafts: Number(!isQueued) - Number(post.draftBytes > 0), bytes: bytes - post.draftBytes };
  const next = approval === null ? post.revision + 1 : post.revision;
  const pendingApproval = status === "awaiting_approval" ? waiting(next, now) : null;
  // A declined draft keeps the record of its decline.
  const keptApproval = from === "draft" && draft ? post.approval : null;
  const changed = approval ?? pendingApproval;
  const actor = toActor(caller);
  const event = approval === null ? "post.approval_requested" : "post.approved";
  return {
    checked,
    edit: {
      workspaceId: post.workspaceId,
      id: post.id,
      revision: post.revision,
      from,
      next,
      tag: base64Url(ctx.entropy(12)),
      fields: {
        status,
        ...fields,
        ...changeRepeat(post, fields.repeat),
        sentFiles,
        contentTag: await tagOfContent(fields, { files: checked.files, sentFiles }),
        approval: changed ?? keptApproval,
        draftBytes: bytes,
        publishAt,
        dueAt: draft ? null : earliestTime(times),
        timezone: moved ? workspace.timezone : post.timezone,
        // A decision does not change the post's author.
        ...(approval === null && caller.kind !== "reviewer"
          ? { author: actor, authorUserId: findUserId(caller) }
          : { author: post.author, authorUserId: post.authorUserId }),
      },
      // A waiting post has no deliveries, so nothing of it can be sent.
      deliveries: isQueued
        ? newDeliveries(checked, estimatedAt, (channel) => ids.get(channel) ?? makeId("dlv", now, ctx.entropy))
        : [],
      news:
        changed === null
          ? null
          : buildApprovalEvent(ctx, { ...post, metadata: fields.metadata }, event, changed, actor),
      mediaUsed: checked.mediaUsed,
      inspections: checked.inspections,
      month: isQueued ? checked.month : null,
      postsMax: postsAllowed(checked),
      spend: computeSpend(checked, caller, estimatedAt),
      draft: { growth, room: draftRoom(checked.workspace) },
      slot,
      ownSlots: checked.ownSlots,
      times,
      entry:
        approval === null ? null : makeEntry(ctx, caller, "post.approved", { target: { id: post.id, name: null } }),
    },
  };
}

/**
 * The columns that change with a post's repeat; none if it stays the same, so a series that is stopped meanwhile stays stopped.
 * Another repeat begins a new pattern at this post. Throws `repeat_stopped` for a series that was stopped.
 */
function changeRepeat(
  post: PostWithDeliveries["post"],
  repeat: Repeat | null,
): Pick<PostEdit["fields"], "repeatState" | "series" | "lostPosts"> {
  if (canonicalJson(repeat) === canonicalJson(post.repeat)) return {};
  if (post.repeatState === "stopped") throw refuse("repeat_stopped", { field: "/repeat" });
  return { repeatState: repeat === null ? null : "active", series: null, lostPosts: null };
}
