import type { stopRepeat as contract } from "../../contract/posts.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { getPost, type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { stopSeries } from "../../store/posts/repeats.ts";
import { postView } from "../../views/post.ts";
import { refuseWithoutAbility } from "../caller.ts";
import { within } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { refuseUnlessWriter } from "./queue.ts";

/** Stops the series of a post. The database decides the race with the making of the next post, which is stopped as well. */
export const stopRepeat: ReadThenRun<typeof contract, PostWithDeliveries | undefined> = {
  read: (_, db, workspaceId, { params }) => readPost(db, workspaceId, params.id),
  async run(ctx, caller, { params }, read) {
    const before = within(caller, read);
    if (before === undefined) throw refuseNotFound("post");
    const { status, repeat, repeatOf } = before.post;
    if (status === "draft" || status === "awaiting_approval") refuseUnlessWriter(caller);
    else refuseWithoutAbility(caller, "publish");
    if (repeat === null) throw refuse("repeat_stopped", { message: "The post does not repeat." });
    const { workspaceId } = caller;
    if (!(await stopSeries(databaseToWrite(ctx, caller), workspaceId, repeatOf ?? params.id))) {
      throw refuse("repeat_stopped");
    }
    const after = within(caller, await getPost(ctx.databaseOf(workspaceId), workspaceId, params.id));
    if (after === undefined) throw refuseNotFound("post");
    return ok(postView(ctx, after));
  },
};
