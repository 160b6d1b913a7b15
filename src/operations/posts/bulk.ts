// One act on many posts, one after the other. Each post is changed by the operation that changes one post: no rule is repeated
// here, and each post is changed completely or not at all.
import { asRefusal } from "../../adapters/refusal-response.ts";
import type { Context } from "../../context.ts";
import { approvePost as approveContract } from "../../contract/approvals.ts";
import type { bulkPosts as contract } from "../../contract/bulk-posts.ts";
import type { Input, Result } from "../../contract/operation.ts";
import { removePost as removeContract, updatePost as updateContract } from "../../contract/posts.ts";
import type { AccountPlan } from "../../domain/account-plan.ts";
import { isoInstant } from "../../domain/instant.ts";
import { LABELS_PER_POST_MAX } from "../../domain/limits.ts";
import { readOwnTimes, readTimes, withOwnTimes } from "../../domain/posts/own-time.ts";
import { type Refusal, refuse, refuseNotFound } from "../../domain/refusal.ts";
import { getPost, type PostWithDeliveries } from "../../store/posts/posts.ts";
import { inWorkspace, mayDo, refuseWithoutAbility, type WorkspaceCaller } from "../caller.ts";
import { entityTag } from "../if-match.ts";
import { limitImports } from "../rate-limit.ts";
import { within } from "../reach.ts";
import { bind, ok, type RawInput, type Run } from "../run.ts";
import { approvePost } from "./approve.ts";
import { removePost } from "./remove.ts";
import { updatePost } from "./update.ts";

type Body = Input<typeof contract>["body"];
type Named = Body["posts"][number];
type Answer = Result<typeof contract>["posts"][number];

const update = bind(updateContract, updatePost);
const approve = bind(approveContract, approvePost);
const remove = bind(removeContract, removePost);

/** How long a call begins with further posts; milliseconds. */
const BEGINS_FOR_MS = 20_000;
/**
 * How many posts a call begins with. D1 allows an invocation 1,000 queries, or 50 on Workers Free
 * (developers.cloudflare.com/d1/platform/limits, read 2026-11-24), and a post takes up to 30 statements.
 */
const BEGINS_MAX: Record<AccountPlan, number> = { paid: 30, free: 1 };

export const bulkPosts: Run<typeof contract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  // A caller who may change no post at all is refused as a whole.
  refuseWithoutAbility(workspaceCaller, mayDo(workspaceCaller, "publish") ? "publish" : "draft");
  await limitImports(ctx, workspaceCaller);
  const until = ctx.now() + BEGINS_FOR_MS;
  const beginsMax = BEGINS_MAX[ctx.settings.accountPlan];
  const answers: Answer[] = [];
  for (const named of body.posts) {
    answers.push(
      answers.length >= beginsMax || ctx.now() >= until
        ? toRefused(named.id, refuse("rate_limited", { extra: { retry_after: 1 } }))
        : await change(ctx, workspaceCaller, named, body),
    );
  }
  return ok({ posts: answers });
};

async function change(ctx: Context, caller: WorkspaceCaller, named: Named, body: Body): Promise<Answer> {
  const { id } = named;
  try {
    const reply = await changeOne(ctx, caller, named, body);
    return { id, status: reply.status, post: toPost(reply.body), error: null };
  } catch (error) {
    return toRefused(id, asRefusal(error, id));
  }
}

/** The call for one post. */
async function changeOne(ctx: Context, caller: WorkspaceCaller, { id, rev }: Named, body: Body) {
  const raw: RawInput = {
    params: { id },
    query: undefined,
    body: undefined,
    idempotencyKey: null,
    ifMatch: entityTag(rev),
  };
  const { publish_at } = body;
  switch (body.do) {
    case "approve":
      return approve.invoke(ctx, caller, {
        ...raw,
        body: { rev, ...(publish_at === undefined ? {} : { publish_at }) },
      });
    case "delete":
      return remove.invoke(ctx, caller, raw);
    case "label":
      return update.invoke(ctx, caller, { ...raw, body: await relabel(ctx, caller, id, body.labels ?? {}) });
    case "move":
      return update.invoke(ctx, caller, {
        ...raw,
        body: publish_at === undefined ? await shift(ctx, caller, id, body.by_seconds ?? 0) : { publish_at },
      });
  }
}

/** The post as it is now. The call compares its revision, so a later change is refused. */
async function readNow(ctx: Context, caller: WorkspaceCaller, id: string): Promise<PostWithDeliveries["post"]> {
  const { workspaceId } = caller;
  const storedPost = within(caller, await getPost(ctx.databaseOf(workspaceId), workspaceId, id));
  if (storedPost === undefined) throw refuseNotFound("post");
  return storedPost.post;
}

/**
 * The change that moves all times of a post by `seconds`: its own, and those of single channels. A post without a time was
 * due when it was queued.
 */
async function shift(ctx: Context, caller: WorkspaceCaller, id: string, seconds: number) {
  const post = await readNow(ctx, caller, id);
  const ownTimes = readOwnTimes(post.overrides);
  const { isFollowed } = readTimes(post, null);
  const time = post.publishAt ?? (isFollowed ? post.dueAt : null);
  if (time === null && ownTimes.size === 0) {
    throw refuse("publish_at_invalid", {
      field: "/by_seconds",
      message: "The post has no time from which it could be moved.",
      hint: "Give `publish_at`.",
    });
  }
  const moved = new Map([...ownTimes].map(([channel, ownTime]) => [channel, ownTime + seconds * 1_000]));
  return {
    ...(time === null ? {} : { publish_at: isoInstant(time + seconds * 1_000) }),
    ...(moved.size === 0 ? {} : { overrides: withOwnTimes(post.overrides, moved) }),
  };
}

/** The change of a post's labels; nothing if they stay as they are. */
async function relabel(
  ctx: Context,
  caller: WorkspaceCaller,
  id: string,
  { add = [], remove = [] }: NonNullable<Body["labels"]>,
) {
  const { labels } = await readNow(ctx, caller, id);
  const next = [...new Set([...labels.filter((label) => !remove.includes(label)), ...add])];
  if (next.length > LABELS_PER_POST_MAX) {
    throw refuse("invalid_field", {
      field: "/labels/add",
      message: `The post would have ${next.length} labels; at most ${LABELS_PER_POST_MAX} are allowed.`,
    });
  }
  const isSame = next.length === labels.length && next.every((label, i) => label === labels[i]);
  return isSame ? {} : { labels: next };
}

function toRefused(id: string, refusal: Refusal): Answer {
  const { request_id: _request, current: _current, ...error } = refusal.body("");
  return { id, status: refusal.status, post: null, error: { error: refusal.code, message: refusal.message, ...error } };
}

/** The part of a post that a bulk answer shows; null for a deleted draft. */
function toPost(body: unknown): Answer["post"] {
  const parsed = updateContract.result
    .pick({ status: true, rev: true, publish_at: true, due_at: true, labels: true })
    .safeParse(body);
  return parsed.success ? parsed.data : null;
}
