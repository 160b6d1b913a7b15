import type { getPost as contract } from "../../contract/posts.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { postView } from "../../views/post.ts";
import { within } from "../reach.ts";
import { ok, type ReadThenRun } from "../run.ts";

export const getPost: ReadThenRun<typeof contract, PostWithDeliveries | undefined> = {
  read: (_ctx, db, workspaceId, { params }) => readPost(db, workspaceId, params.id),
  async run(ctx, caller, _input, read) {
    const storedPost = within(caller, read);
    if (storedPost === undefined) throw refuseNotFound("post");
    return ok(postView(ctx, storedPost));
  },
};
