import type { Context } from "../../context.ts";
import type { Input } from "../../contract/operation.ts";
import type { updatePost as contract } from "../../contract/posts.ts";
import { base64Url } from "../../domain/encoding.ts";
import { makeId } from "../../domain/ids.ts";
import { isoOrNull, monthEnd } from "../../domain/instant.ts";
import { draftBytes } from "../../domain/posts/draft.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { ask, type BatchPart, bothParts } from "../../store/db/batch.ts";
import type { Database, In } from "../../store/db/db.ts";
import { editPost, type PostEdit } from "../../store/posts/edits.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { refuseWithoutAbility } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { arm } from "./arm.ts";
import { refuseChanged } from "./changed.ts";
import { type CheckedPost, checkPost, postsAllowed } from "./check.ts";
import { draftLimit, draftRoom } from "./draft-limit.ts";
import { postFields } from "./post-fields.ts";
import { type CheckMaterial, materialOf, type PostBody, readToCheck } from "./read-for-check.ts";
import { postView } from "./view.ts";

type Patch = Input<typeof contract>["body"];
/** The post that is edited, and what it is judged with afterwards. */
type Found = [PostWithDeliveries | undefined, CheckMaterial];

/** For how long an edit that others come before begins again from what they left; milliseconds. */
const TRY_FOR_MS = 20_000;
/** What the first wait before it begins again is twice of at least, and the longest; milliseconds. */
const WAIT_MS = { min: 10, max: 2_000 };

/** Judges the merged post, then writes it if nothing has started meanwhile: the database decides every race. */
export const updatePost: ReadThenRun<typeof contract, Found> = {
  read: (ctx, db, workspaceId, { params, body }) => readToEdit(ctx, db, workspaceId, params.id, body),

  async run(ctx, caller, { params, body: patch, revisions }, first) {
    const { workspaceId } = caller;
    const db = ctx.databaseOf(workspaceId);
    const until = ctx.now() + TRY_FOR_MS;
    let [before, material] = first;
    for (let wait = WAIT_MS.min; ; ) {
      const beganAt = ctx.now();
      if (before === undefined) throw refuseNotFound("post");
      // What is scheduled, or is to be, goes out.
      if (before.post.status !== "draft" || patch.draft === false) refuseWithoutAbility(caller, "publish");
      refuseChanged(before, revisions);
      refuseUneditable(before, patch);
      const { edit, checked } = await editOf(ctx, before, material, patch);
      // Nothing is changed, so it stays the revision that it is.
      if (Object.keys(patch).length === 0) return ok(postView(before, checked.warnings));
      const [edited, after] = await ask(db, bothParts(editPost(db, edit), readPost(db, workspaceId, params.id)));
      if (edited && after !== undefined) {
        ctx.later(arm(ctx, workspaceId, edit.fields.dueAt ?? null, checked));
        return ok(postView(after, checked.warnings));
      }
      const full = draftLimit(checked.workspace, edit.draft.growth);
      if (full !== null) throw full;
      const allowed = postsAllowed(checked);
      const isCountedNow = edit.month !== null && before.post.countedMonth === null;
      if (isCountedNow && allowed !== null && checked.postsUsed >= allowed) {
        throw planLimit("posts_per_month", checked.workspace.plan, checked.postsUsed, monthEnd(checked.month));
      }
      if (ctx.now() >= until) throw refuse("edit_conflict");
      // At a moment of its own, and over an ever longer time: edits that begin again together stand in each other's way.
      // How long a try takes says how many of them the database has before it.
      wait = Math.min(Math.max(2 * wait, ctx.now() - beganAt), WAIT_MS.max);
      await ctx.pause(Math.ceil((wait * (ctx.entropy(1)[0] ?? 0)) / 255));
      [before, material] = await ask(db, readToEdit(ctx, db, workspaceId, params.id, patch));
    }
  },
};

function readToEdit(ctx: Context, db: Database, workspaceId: In<string>, id: string, patch: Patch): BatchPart<Found> {
  return bothParts(readPost(db, workspaceId, id), readToCheck(ctx, db, workspaceId, patch, { ofPost: id }));
}

function refuseUneditable({ post, deliveries }: PostWithDeliveries, patch: Patch): void {
  const waiting = post.status === "draft" || post.status === "scheduled" || post.status === "queued";
  const started = deliveries.some(({ state, startedAt }) => state !== "pending" || startedAt !== null);
  if (!waiting || started || post.cancelledAt !== null) {
    throw refuse("post_not_editable", waiting ? {} : { message: `The post is ${post.status}.` });
  }
  if (patch.post_type !== undefined && post.postType !== null && patch.post_type !== post.postType) {
    throw refuse("post_type_fixed", {
      field: "/post_type",
      message: `The post is a ${post.postType}, which cannot be changed.`,
    });
  }
}

async function editOf(
  ctx: Context,
  { post, deliveries }: PostWithDeliveries,
  material: CheckMaterial,
  patch: Patch,
): Promise<{ edit: PostEdit; checked: CheckedPost }> {
  const draft = patch.draft ?? post.status === "draft";
  const released = post.status === "draft" && !draft;
  const merged: PostBody = {
    text: patch.text ?? post.text,
    media: patch.media ?? post.media,
    channels: patch.channels ?? post.channels,
    overrides: patch.overrides ?? post.overrides,
    publish_at: patch.publish_at === undefined ? isoOrNull(post.publishAt) : patch.publish_at,
    draft,
    post_type: patch.post_type ?? post.postType,
    labels: patch.labels ?? post.labels,
    metadata: patch.metadata ?? post.metadata,
  };
  const moved = patch.publish_at !== undefined;
  const checked = await checkPost(ctx, merged, materialOf(merged, material), { judgeTime: moved || released });
  const { now, publishAt, workspace } = checked;
  // Without a time a post is due when it is released, or when its time is taken away; otherwise it keeps its instant.
  const atOnce = moved || released ? now : (post.dueAt ?? now);
  const ids = new Map(deliveries.map(({ channelId, id }) => [channelId, id]));
  const fields = postFields(merged);
  const bytes = draft ? draftBytes(fields) : 0;
  const growth = { drafts: Number(draft) - Number(post.draftBytes > 0), bytes: bytes - post.draftBytes };
  return {
    checked,
    edit: {
      workspaceId: post.workspaceId,
      id: post.id,
      revision: post.revision,
      tag: base64Url(ctx.entropy(12)),
      fields: {
        status: draft ? "draft" : "scheduled",
        ...fields,
        draftBytes: bytes,
        postType: merged.post_type ?? null,
        publishAt,
        dueAt: draft ? null : publishAt === null ? atOnce : Math.max(now, publishAt),
        timezone: moved ? workspace.timezone : post.timezone,
      },
      deliveries: draft
        ? []
        : checked.targets.map(({ channel, rule }) => ({
            id: ids.get(channel) ?? makeId("dlv", now, ctx.entropy),
            channelId: channel,
            platform: rule.platform,
          })),
      mediaUsed: checked.mediaUsed,
      inspections: checked.inspections,
      month: draft ? null : checked.month,
      postsMax: postsAllowed(checked),
      draft: { growth, room: draftRoom(checked.workspace) },
    },
  };
}
