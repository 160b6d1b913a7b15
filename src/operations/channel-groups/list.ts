import type { listChannelGroups as contract } from "../../contract/channel-groups.ts";
import { listChannelGroups as read } from "../../store/channel-groups.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { getReachableChannels } from "../reach.ts";
import { ok, type Run } from "../run.ts";
import { channelGroupView } from "./view.ts";

/** A key that is limited to channels does not see a group that has none of them. */
export const listChannelGroups: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const before = readCursor(query.cursor, "grp");
  const only = getReachableChannels(caller);
  const groups = await read(ctx.databaseOf(workspaceId), workspaceId, { limit: query.limit + 1, before, only });
  const { rows, next } = buildPage(groups, query.limit);
  return ok({ channel_groups: rows.map((row) => channelGroupView(row, only)), next });
};
