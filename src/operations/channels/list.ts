import type { listChannels as contract } from "../../contract/channels.ts";
import { listChannels as read } from "../../store/channels/channels.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { getReachableChannels } from "../reach.ts";
import { ok, type Run } from "../run.ts";
import { channelViews } from "./view.ts";

export const listChannels: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const before = readCursor(query.cursor, "ch");
  const channelRows = await read(ctx.databaseOf(workspaceId), workspaceId, {
    limit: query.limit + 1,
    before,
    only: getReachableChannels(caller),
  });
  const { rows, next } = buildPage(channelRows, query.limit);
  return ok({ channels: await channelViews(ctx, workspaceId, rows), next });
};
