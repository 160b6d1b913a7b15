import type { getChannel as contract } from "../../contract/channels.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { readChannel } from "../../store/channels/channels.ts";
import { inWorkspace } from "../caller.ts";
import { reachesChannel } from "../reach.ts";
import { ok, type Run } from "../run.ts";
import { channelViews } from "./view.ts";

export const getChannel: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const row = reachesChannel(caller, params.id)
    ? await readChannel(ctx.databaseOf(workspaceId), workspaceId, params.id)
    : undefined;
  if (row === undefined || row.removedAt !== null) throw refuseNotFound("channel");
  const [view] = await channelViews(ctx, workspaceId, [row]);
  if (view === undefined) throw refuseNotFound("channel");
  return ok(view);
};
