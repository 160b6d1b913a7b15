import type { describeMedia as contract } from "../../contract/media.ts";
import { altText } from "../../domain/media/types.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { storeAlt } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const describeMedia: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { workspaceId } = inWorkspace(caller);
  if (body.alt === undefined) throw refuse("alt_required", { field: "/alt" });
  const row = await storeAlt(ctx.databaseOf(workspaceId), workspaceId, params.id, altText(body.alt));
  if (row === undefined) throw refuseNotFound("file");
  return ok(mediaView(ctx, row));
};
