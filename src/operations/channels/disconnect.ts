import type { disconnectChannel as contract } from "../../contract/channels.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { removeChannel } from "../../store/channels/channels.ts";
import { inWorkspace } from "../caller.ts";
import { reachesChannel } from "../reach.ts";
import { noContent, type Run } from "../run.ts";

export const disconnectChannel: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const removed =
    reachesChannel(caller, params.id) && (await removeChannel(ctx.databaseOf(workspaceId), workspaceId, params.id));
  if (!removed) throw refuseNotFound("channel");
  ctx.later(ctx.mcp.announceChannels(workspaceId));
  return noContent;
};
