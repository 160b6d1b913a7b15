import type { listPosts as contract } from "../../contract/posts.ts";
import { type ListedPost, readPosts } from "../../store/posts/posts.ts";
import { pageOf, readCursor } from "../cursor.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { postView } from "./view.ts";

export const listPosts: ReadThenRun<typeof contract, ListedPost[]> = {
  read: (_ctx, db, workspaceId, { query }) =>
    readPosts(db, workspaceId, {
      status: query.status ?? null,
      limit: query.limit + 1,
      before: readCursor(query.cursor, "post"),
    }),
  async run(_ctx, _caller, { query }, found) {
    const { rows, next } = pageOf(
      found.map((row) => ({ ...row, id: row.post.id })),
      query.limit,
      ({ bytes }) => bytes,
    );
    return ok({ posts: rows.map((row) => postView(row)), next });
  },
};
