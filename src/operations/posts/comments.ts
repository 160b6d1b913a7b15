import type { createComment as createContract, listComments as listContract } from "../../contract/comments.ts";
import { makeId } from "../../domain/ids.ts";
import { COMMENTS_PER_POST_MAX } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import type { Statements } from "../../store/db/batch.ts";
import type { Database, In } from "../../store/db/db.ts";
import { insertComment, listComments as read } from "../../store/posts/comments.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { commentView } from "../../views/comment.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { toActor } from "../name-of.ts";
import { limitComments } from "../rate-limit.ts";
import { within } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { created, ok, type ReadThenRun } from "../run.ts";

type Post = PostWithDeliveries | undefined;
const readCommented = (
  _ctx: unknown,
  db: Database,
  workspaceId: In<string>,
  { params }: { params: { id: string } },
): Statements<Post> => readPost(db, workspaceId, params.id);

export const listComments: ReadThenRun<typeof listContract, Post> = {
  read: readCommented,
  async run(ctx, caller, { params, query }, post) {
    if (within(caller, post) === undefined) throw refuseNotFound("post");
    const { workspaceId } = caller;
    const page = { limit: query.limit + 1, before: readCursor(query.cursor, "cmt") };
    const { rows, next } = buildPage(
      await read(ctx.databaseOf(workspaceId), workspaceId, params.id, page),
      query.limit,
    );
    return ok({ comments: rows.map(commentView), next });
  },
};

export const createComment: ReadThenRun<typeof createContract, Post> = {
  read: readCommented,
  async run(ctx, caller, { params, body }, post) {
    if (within(caller, post) === undefined) throw refuseNotFound("post");
    await limitComments(ctx, caller);
    const { workspaceId } = caller;
    const { text } = body;
    const now = ctx.now();
    const id = makeId("cmt", now, ctx.entropy);
    const row = { workspaceId, id, postId: params.id, text, author: toActor(caller), createdAt: now };
    const isNotified = ctx.mail !== null && text.includes("@");
    const stored = await insertComment(databaseToWrite(ctx, caller), row, COMMENTS_PER_POST_MAX, isNotified);
    if (stored === undefined) {
      throw refuse("too_many_entries", { message: `The post has ${COMMENTS_PER_POST_MAX} comments.`, hint: "" });
    }
    if (isNotified) ctx.later(ctx.queue.send([{ kind: "notify", workspace: workspaceId }]));
    return created(commentView(stored));
  },
};
