import type { figuresByChannel as contract } from "../../contract/analytics.ts";
import { inWorkspace } from "../caller.ts";
import { getReachableChannels } from "../reach.ts";
import { ok, type Run } from "../run.ts";
import { readRanges, sumRanges } from "./period.ts";
import { sumChannels } from "./view.ts";

export const figuresByChannel: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const ranges = await readRanges(ctx, caller, query);
  const published = await sumRanges(ctx.databaseOf(workspaceId), workspaceId, {
    ...ranges,
    channel: query.channel,
    label: query.label,
    channels: getReachableChannels(caller),
    isByChannel: true,
  });
  return ok({ channels: sumChannels(published, ranges) });
};
