// Makes the next posts of repeating posts that have ended. The sweeper calls this every minute, so a lost wake-up or a restart
// loses no post. The next post is judged, counted and approved like any new post. What cannot be queued as it is becomes a
// draft with its time, so a person can see why and release it.
import { errorText, log } from "../../adapters/log.ts";
import type { Context, Reviewer } from "../../context.ts";
import { repeatEvent } from "../../domain/event-body.ts";
import { isoInstant } from "../../domain/instant.ts";
import { withOwnTimes } from "../../domain/posts/own-time.ts";
import { showPostFields } from "../../domain/posts/post-fields.ts";
import { nextOccurrence, type Occurrence, readSeries, takeTurns } from "../../domain/posts/repeat.ts";
import { findRefusal, Refusal, refuse } from "../../domain/refusal.ts";
import { getKeyBudget } from "../../store/accounts/named-keys.ts";
import { ask } from "../../store/db/batch.ts";
import type { Database } from "../../store/db/db.ts";
import type { PostNews } from "../../store/posts/approvals.ts";
import { insertPost } from "../../store/posts/new-post.ts";
import { getPost, type PostWithDeliveries } from "../../store/posts/posts.ts";
import { endSeries, findPostsToRepeat, type RepeatCursor } from "../../store/posts/repeats.ts";
import { arm } from "./arm.ts";
import { budgetFull, computeSpend } from "./budget.ts";
import { type CheckedPost, checkPost } from "./check.ts";
import { checkQueued, type QueuedPost } from "./check-queued.ts";
import { buildNewPost, type NewStatus, planFull } from "./create.ts";
import { postFields } from "./post-fields.ts";
import { announce } from "./queue.ts";
import { type CheckMaterial, type PostBody, readToCheck } from "./read-for-check.ts";

/** How many posts a sweep makes for each database; each takes up to 30 statements. */
const MADE_MAX = { paid: 20, free: 1 };

type EndedPost = PostWithDeliveries["post"];

/** Makes the next posts of ended posts, as many as a sweep may. Returns where the next sweep continues. */
export async function repeatPosts(
  ctx: Context,
  db: Database,
  after: RepeatCursor | null,
): Promise<RepeatCursor | null> {
  const limit = MADE_MAX[ctx.settings.accountPlan];
  const found = await findPostsToRepeat(db, after, limit);
  for (const { workspaceId, id } of found) {
    try {
      await ctx.homes.locate(workspaceId);
      // The rows of a workspace that has moved are skipped.
      if (ctx.databaseOf(workspaceId) === db) await repeatPost(ctx, db, workspaceId, id);
    } catch (error) {
      log("error", "repeat_failed", { post: id, error: errorText(error) });
    }
  }
  return found.length < limit ? null : (found.at(-1) ?? null);
}

/** The work of a sweep. Only operations judge posts, so the sweeper has them make the next ones. */
export const REPEATING = {
  repeat_posts: async (ctx: Context, db: Database, cursors: { repeat?: RepeatCursor | null }) => {
    cursors.repeat = await repeatPosts(ctx, db, cursors.repeat ?? null);
  },
};

/** Makes the post that follows an ended one, unless that has been done or the series has ended. */
async function repeatPost(ctx: Context, db: Database, workspaceId: string, id: string): Promise<void> {
  const ended = await getPost(db, workspaceId, id);
  if (ended === undefined) return;
  const { post } = ended;
  const next = nextOccurrence(post, ctx.now());
  if (next === null) {
    await endSeries(db, workspaceId, id, { state: "completed", series: post.series, news: null });
    return;
  }
  const material = await ask(db, readToCheck(ctx, db, workspaceId, showPostFields(post)));
  const body = buildNextBody(post, next, material);
  // The next post is made on nobody's request: it has the rights that the series was accepted with.
  const caller: Reviewer = { kind: "reviewer", name: post.author?.name ?? "", workspaceId };
  const made = await makeNext(ctx, caller, { post, next, body, material }).catch((error: unknown) => {
    const refusal = findRefusal(error);
    if (refusal === null || refusal.status >= 500) throw error;
    return refusal;
  });
  if (!(made instanceof Refusal)) return;
  const draft = await makeDraft(ctx, caller, { post, next, body, material }, made).catch((error: unknown) => {
    const refusal = findRefusal(error);
    if (refusal === null || refusal.status >= 500) throw error;
    return refusal;
  });
  if (!(draft instanceof Refusal)) return;
  const series = readSeries(post);
  const notify = await endSeries(db, workspaceId, id, {
    state: "stopped",
    series: series && { ...series, problem: draft.code },
    news: buildNews(ctx, post, draft.code),
  });
  announce(ctx, workspaceId, notify);
}

interface Following {
  post: EndedPost;
  next: Occurrence;
  body: PostBody;
  material: CheckMaterial;
}

/** The body of the next post: what the ended post has, with its own times, on the channels that still exist. */
function buildNextBody(post: EndedPost, { at, own, turns }: Occurrence, material: CheckMaterial): PostBody {
  const { repeat, ...fields } = showPostFields(post);
  const channels = fields.channels.filter((channel) => material.channels.some(({ id }) => id === channel));
  const overrides = Object.entries(fields.overrides).filter(([channel]) => channels.includes(channel));
  const turn = repeat === null ? { text: fields.text, repeat } : takeTurns(fields.text, repeat, turns);
  return {
    ...fields,
    ...turn,
    channels,
    overrides: withOwnTimes(Object.fromEntries(overrides), own),
    publish_at: isoInstant(at),
  };
}

async function makeNext(ctx: Context, caller: Reviewer, following: Following): Promise<void> {
  const { post, body, material } = following;
  // After a restore that may have removed published posts of the series, a person decides.
  if (post.lostPosts !== null && post.lostPosts.number === null) throw refuse("repeat_restored");
  const status = nextStatus(post, material);
  const queued = await checkQueued(ctx, caller, body, material, {
    judgeChannels: false,
    waits: status === "awaiting_approval",
  });
  const full = planFull(queued.checked, postFields(queued.checked.body), status);
  if (full !== null) throw full;
  await write(ctx, caller, following, { ...queued, status, problem: null });
}

async function makeDraft(ctx: Context, caller: Reviewer, following: Following, reason: Refusal): Promise<void> {
  const { body, material } = following;
  const checked = await checkPost(ctx, caller, { ...body, draft: true }, material);
  const full = planFull(checked, postFields(checked.body), "draft");
  if (full !== null) throw full;
  await write(ctx, caller, following, { checked, sentFiles: null, status: "draft", problem: reason.code });
}

/** Each post of a series waits for approval where the first did, as far as the workspace still asks for it. */
function nextStatus({ approval }: EndedPost, { workspace }: CheckMaterial): NewStatus {
  const setting = workspace?.approval ?? "none";
  return setting === "all" || (setting === "authors" && approval !== null) ? "awaiting_approval" : "scheduled";
}

async function write(
  ctx: Context,
  caller: Reviewer,
  { post, next }: Following,
  { checked, sentFiles, status, problem }: QueuedPost & { status: NewStatus; problem: string | null },
): Promise<void> {
  const { workspaceId, id } = post;
  const built = await buildNewPost(ctx, caller, checked.body, checked, {
    fields: postFields(checked.body),
    status,
    key: null,
    slot: null,
    sentFiles,
  });
  const spend = await spendOf(ctx, caller, post, checked);
  if (status === "scheduled") {
    const full = budgetFull(checked, spend);
    if (full !== null) throw full;
  }
  const result = await insertPost(ctx.databaseOf(workspaceId), {
    ...built,
    post: {
      ...built.post,
      timezone: next.series.timezone,
      author: post.author,
      authorUserId: post.authorUserId,
      series: { ...next.series, problem },
      repeatOf: post.repeatOf ?? id,
    },
    spend,
    follows: id,
    news:
      problem === null
        ? built.news
        : buildNews(ctx, { ...built.post, metadata: checked.body.metadata ?? {}, author: post.author }, problem),
  });
  // Otherwise the series was stopped or continued since the read, or its plan or files changed: the next sweep looks again.
  if (result === undefined) return;
  const { written, notify } = result;
  if (status === "scheduled") ctx.later(arm(ctx, workspaceId, written.post.dueAt, checked));
  announce(ctx, workspaceId, notify);
}

/** The event that tells a person to continue a series. */
const buildNews = (ctx: Context, post: Parameters<typeof repeatEvent>[1], problem: string): PostNews => ({
  event: repeatEvent({ now: ctx.now(), entropy: ctx.entropy }, post, problem),
  rev: 1,
});

/** The cost counts for the key that scheduled the series, within its budget. */
async function spendOf(
  ctx: Context,
  caller: Reviewer,
  { workspaceId, countedKey: keyId }: EndedPost,
  checked: CheckedPost,
) {
  const spend = computeSpend(checked, caller);
  if (keyId === null || spend.cost === 0) return spend;
  const max = await getKeyBudget(ctx.accounts, workspaceId, keyId);
  return { ...spend, keyId, budgets: [...spend.budgets, ...(max === null ? [] : [{ keyId, max }])] };
}
