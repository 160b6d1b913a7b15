import type { Context } from "../../context.ts";
import type { Input } from "../../contract/operation.ts";
import type { updatePost as contract } from "../../contract/posts.ts";
import { base64Url, makeId } from "../../domain/ids.ts";
import { isoOrNull, monthEnd } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { storeInspections } from "../../store/media.ts";
import { editPost, type PostEdit } from "../../store/post-edits.ts";
import { getPost, type PostWithDeliveries } from "../../store/posts.ts";
import { inWorkspace, type WorkspaceCaller } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { ok, type Run } from "../run.ts";
import { type CheckedPost, checkPost, type PostBody, postsAllowed } from "./check.ts";
import { postView } from "./view.ts";

type Patch = Input<typeof contract>["body"];
/** An edit that meets another one begins again from what that one left. */
const TRIES = 5;

/** Judges the merged post, then writes it if nothing has started meanwhile: the database decides every race. */
export const updatePost: Run<typeof contract> = async (ctx, caller, { params, body: patch }) => {
  const here = inWorkspace(caller);
  const db = ctx.databaseOf(here.workspaceId);
  for (let tried = 0; tried < TRIES; tried++) {
    const before = await getPost(db, here.workspaceId, params.id);
    if (before === undefined) throw refuse("not_found");
    refuseUneditable(before, patch);
    const { edit, checked } = await editOf(ctx, here, before, patch);
    await storeInspections(db, here.workspaceId, checked.inspections);
    if (await editPost(db, edit)) {
      const { dueAt } = edit.fields;
      if (dueAt != null) {
        const entries = edit.deliveries.map(({ channelId }) => ({ at: dueAt, channel: channelId }));
        ctx.later(ctx.clock.arm(here.workspaceId, entries));
      }
      const after = await getPost(db, here.workspaceId, params.id);
      if (after === undefined) throw refuse("not_found");
      return ok(postView(after, checked.warnings));
    }
    const allowed = postsAllowed(checked);
    if (edit.month !== null && before.post.countedMonth === null && allowed !== null && checked.postsUsed >= allowed) {
      throw planLimit("posts_per_month", checked.workspace.plan, checked.postsUsed, monthEnd(checked.month));
    }
  }
  throw refuse("post_not_editable");
};

function refuseUneditable({ post, deliveries }: PostWithDeliveries, patch: Patch): void {
  const waiting = post.status === "draft" || post.status === "scheduled" || post.status === "queued";
  if (!waiting || deliveries.some(({ state }) => state !== "pending")) {
    throw refuse("post_not_editable", { message: `The post is ${post.status}.` });
  }
  if (patch.post_type !== undefined && post.postType !== null && patch.post_type !== post.postType) {
    throw refuse("post_type_fixed", { field: "/post_type", message: `The post is and stays a ${post.postType}.` });
  }
}

async function editOf(
  ctx: Context,
  caller: WorkspaceCaller,
  { post, deliveries }: PostWithDeliveries,
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
    metadata: patch.metadata ?? post.metadata,
  };
  const moved = patch.publish_at !== undefined;
  const checked = await checkPost(ctx, caller, merged, null, { except: post.id, judgeTime: moved || released });
  if ("replayOf" in checked) throw new Error("an edit has no key");
  const { now, publishAt, workspace } = checked;
  // Without a time a post is due when it is released, or when its time is taken away; otherwise it keeps its instant.
  const atOnce = moved || released ? now : (post.dueAt ?? now);
  const ids = new Map(deliveries.map(({ channelId, id }) => [channelId, id]));
  return {
    checked,
    edit: {
      workspaceId: caller.workspaceId,
      id: post.id,
      rev: post.rev,
      tag: base64Url(ctx.entropy(12)),
      fields: {
        status: draft ? "draft" : "scheduled",
        text: merged.text ?? "",
        media: merged.media ?? [],
        channels: merged.channels ?? [],
        overrides: JSON.parse(JSON.stringify(merged.overrides ?? {})),
        postType: merged.post_type ?? null,
        metadata: merged.metadata ?? {},
        publishAt,
        dueAt: draft ? null : publishAt === null ? atOnce : Math.max(now, publishAt),
        timezone: moved ? workspace.timezone : post.timezone,
      },
      deliveries: draft
        ? []
        : checked.legs.map(({ channel, rule }) => ({
            id: ids.get(channel) ?? makeId("dlv", now, ctx.entropy),
            channelId: channel,
            platform: rule.platform,
          })),
      mediaUsed: checked.mediaUsed,
      month: draft ? null : checked.month,
      postsMax: postsAllowed(checked),
    },
  };
}
