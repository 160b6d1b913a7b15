import type { listMedia as contract } from "../../contract/media.ts";
import { MEDIA_IDS_MAX } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { mediaByIds, listMedia as read } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const listMedia: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const before = readCursor(query.cursor, "med");
  if (query.ids !== undefined) {
    const ids = query.ids
      .split(",")
      .map((id) => id.trim())
      .filter((id) => id !== "");
    if (ids.length > MEDIA_IDS_MAX) throw refuse("too_many_ids", { field: "/ids" });
    const rows = await mediaByIds(db, workspaceId, ids);
    return ok({ media: rows.map((row) => mediaView(ctx, row)), next: null });
  }
  const { rows, next } = buildPage(await read(db, workspaceId, query.limit + 1, before), query.limit);
  return ok({ media: rows.map((row) => mediaView(ctx, row)), next });
};
