import type { listPosts as contract } from "../../contract/posts.ts";
import { listPosts as read } from "../../store/posts.ts";
import { inWorkspace } from "../caller.ts";
import { pageOf, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { postView } from "./view.ts";

export const listPosts: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const found = await read(ctx.databaseOf(workspaceId), workspaceId, {
    status: query.status ?? null,
    limit: query.limit + 1,
    before: readCursor(query.cursor, "post"),
  });
  const { rows, next } = pageOf(
    found.map((row) => ({ ...row, id: row.post.id })),
    query.limit,
  );
  return ok({ posts: rows.map((row) => postView(row)), next });
};
