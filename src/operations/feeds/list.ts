import type { listFeeds as contract } from "../../contract/feeds.ts";
import { listFeeds as read } from "../../store/feeds.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { feedView } from "./view.ts";

export const listFeeds: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const before = readCursor(query.cursor, "feed");
  const page = await read(ctx.databaseOf(workspaceId), workspaceId, { limit: query.limit + 1, before });
  const { rows, next } = buildPage(page, query.limit);
  return ok({ feeds: rows.map(feedView), next });
};
