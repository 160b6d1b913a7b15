import type { disconnectChannel as contract } from "../../contract/channels.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { removeChannel } from "../../store/channels/channels.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { reachesChannel } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";

export const disconnectChannel: Run<typeof contract> = async (ctx, caller, { params }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const entry = makeEntry(ctx, workspaceCaller, "channel.disconnected");
  const removed =
    reachesChannel(caller, params.id) && (await removeChannel(databaseToWrite(ctx, workspaceCaller), params.id, entry));
  if (!removed) throw refuseNotFound("channel");
  ctx.later(ctx.mcp.announceChannels(workspaceId));
  return noContent;
};
