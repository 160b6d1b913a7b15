import type { describeMedia as contract } from "../../contract/media.ts";
import { altText } from "../../domain/media/types.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { mediaByIds, storeAlt } from "../../store/media/media.ts";
import { inWorkspace, mayDo, refuseRole } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const describeMedia: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { workspaceId } = inWorkspace(caller);
  if (body.alt === undefined) throw refuse("alt_required", { field: "/alt" });
  const db = ctx.databaseOf(workspaceId);
  // A scheduled post goes out with the text that its file has then.
  const ofScheduled = mayDo(caller, "publish");
  const row = await storeAlt(db, { workspaceId, id: params.id, alt: altText(body.alt), ofScheduled });
  if (row === undefined) {
    const [file] = ofScheduled ? [] : await mediaByIds(db, workspaceId, [params.id]);
    throw file === undefined ? refuseNotFound("file") : refuseRole("publish");
  }
  return ok(mediaView(ctx, row));
};
