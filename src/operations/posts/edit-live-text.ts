// Edits the text of a live post on its network. The post itself stays as it was accepted; the delivery shows the live text.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import type { editLiveText as contract } from "../../contract/deliveries.ts";
import type { Result } from "../../contract/operation.ts";
import type { RequestedEdit } from "../../domain/delivery/edit.ts";
import { STATUS_OF } from "../../domain/delivery/transitions.ts";
import { canonicalJson } from "../../domain/json.ts";
import { whyNotEditable } from "../../domain/posts/editable.ts";
import { checkLiveText } from "../../domain/posts/live-text.ts";
import { tagText } from "../../domain/posts/tagged-text.ts";
import { applyTier } from "../../domain/posts/tier.ts";
import { refuse, refuseNotFound, refuseViolations } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { askForEdit } from "../../store/deliveries/edits.ts";
import { findKeyUse } from "../../store/posts/new-post.ts";
import { deliveryView } from "../../views/post.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { toActor } from "../name-of.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Reply, type Run } from "../run.ts";
import { getDelivery, type OneDelivery, usableChannel } from "./one-delivery.ts";
import { describeRefused, findDeliveryNow, findRequest, untilAnswered } from "./until-answered.ts";

/** The channel's publisher calls the network. A later outcome shows in the delivery. */
export const editLiveText: Run<typeof contract> = async (ctx, caller, { params, body, idempotencyKey }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const before = await getDelivery(ctx, workspaceCaller, params);
  const fingerprint = await sha256Hex(canonicalJson({ edit: { ...params, ...body } }));
  if (await wasUsed(ctx, workspaceId, idempotencyKey, fingerprint))
    return { ...ok(deliveryView(before.row, before.post)), replayed: true };
  const { row, post } = before;
  const network = findNetwork(row.platform);
  const reason = network === undefined ? "" : whyNotEditable(network.rule, post, params.channel);
  if (network?.editText === undefined || reason !== null)
    throw refuse("edit_not_offered", reason ? { message: reason } : {});
  if (row.state !== "live") throw notLive(before);
  const channel = await usableChannel(ctx, workspaceId, params.channel);
  await refuseWithoutSecondPerson(ctx, before);
  const delivery = { channel: params.channel, platform: row.platform, post: post.id };
  const text = tagText(body.text, post.linkTags, delivery);
  const rule = applyTier(network.rule, channel.tier);
  const violations = checkLiveText({ text, rule, post, channel: params.channel });
  if (violations.length > 0) throw refuseViolations(violations);
  const edit: RequestedEdit = { text, by: toActor(workspaceCaller) };
  const entry = makeEntry(ctx, workspaceCaller, "delivery.edit_requested", {
    target: { id: row.id, name: `${channel.platform} ${channel.handle}` },
    details: { post: params.id },
  });
  const key = { workspaceId, postId: params.id, channelId: params.channel };
  const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, fingerprint, createdAt: ctx.now() };
  const db = databaseToWrite(ctx, workspaceCaller);
  const isAsked = await askForEdit(db, key, { edit, entry, idempotency }).catch(async (error: unknown) => {
    // A call with the same key came first.
    if (await wasUsed(ctx, workspaceId, idempotencyKey, fingerprint)) return false;
    throw error;
  });
  const request = { kind: "edit", lane: channel.lane } as const;
  const after = await (isAsked
    ? untilAnswered(ctx, workspaceCaller, params, request)
    : findDeliveryNow(ctx, workspaceCaller, params));
  return answer(after, { text, isAsked });
};

function answer(
  after: OneDelivery | undefined,
  { text, isAsked }: { text: string; isAsked: boolean },
): Reply<Result<typeof contract>> {
  // The workspace was erased in the meantime.
  if (after === undefined) throw refuseNotFound("delivery");
  const body = deliveryView(after.row, after.post);
  const edit = findRequest(after, "edit");
  const isOwn = edit?.edit?.text === text;
  // Another edit may have been requested as soon as this one was done.
  if (isAsked && !isOwn) return ok(body);
  if (after.row.state !== "live") throw notLive(after);
  if (!isOwn) {
    const isGoing = findRequest(after, "takedown")?.state === "due";
    throw refuse("edit_pending", isGoing ? { message: "The post is being taken down." } : {});
  }
  if (edit.state === "due") return { status: 202, body };
  if (edit.state === "done") return ok(body);
  throw refuse("edit_refused", describeRefused(edit));
}

/** Whether an earlier call had this key. Throws `idempotency_key_reused` if that call was another one. */
async function wasUsed(ctx: Context, workspaceId: string, key: string | null, fingerprint: string): Promise<boolean> {
  const use = key === null ? undefined : await findKeyUse(ctx.databaseOf(workspaceId), workspaceId, key);
  if (use === undefined) return false;
  if (use.fingerprint !== fingerprint) throw refuse("idempotency_key_reused", { field: "Idempotency-Key" });
  return true;
}

/** Throws `four_eyes` if two people had to agree to the text: nobody else sees an edit before it is live. */
async function refuseWithoutSecondPerson(ctx: Context, { post }: OneDelivery): Promise<void> {
  if (post.approval?.state !== "approved") return;
  const workspace = await getWorkspace(ctx.accounts, post.workspaceId);
  if (workspace?.fourEyes !== true) return;
  throw refuse("four_eyes", {
    message: "Another person approved this text, and nobody could approve an edit before it is live.",
    hint: "Take the post down, and send a new one for approval.",
  });
}

const notLive = ({ row }: OneDelivery) =>
  refuse("delivery_not_live", { message: `The delivery is ${STATUS_OF[row.state]}.` });
