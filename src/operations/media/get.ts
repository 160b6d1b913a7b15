import type { getMedia as contract } from "../../contract/media.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { mediaByIds } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const getMedia: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const [row] = await mediaByIds(ctx.databaseOf(workspaceId), workspaceId, [params.id]);
  if (row === undefined) throw refuseNotFound("file");
  return ok(mediaView(ctx, row));
};
