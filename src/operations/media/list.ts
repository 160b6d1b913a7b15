import type { listMedia as contract } from "../../contract/media.ts";
import { MEDIA_IDS_MAX } from "../../domain/limits.ts";
import { getSearchedTerms, UNLISTED_KINDS } from "../../domain/media/terms.ts";
import { splitWords } from "../../domain/posts/words.ts";
import { refuse } from "../../domain/refusal.ts";
import { findMedia } from "../../store/media/found.ts";
import { mediaByIds } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const listMedia: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const before = readCursor(query.cursor, "med");
  const { kind = null, tag = null, q = "" } = query;
  const terms = getSearchedTerms({ kind, tag, words: splitWords(q) });
  if (query.ids !== undefined) {
    const ids = query.ids
      .split(",")
      .map((id) => id.trim())
      .filter((id) => id !== "");
    if (ids.length > MEDIA_IDS_MAX) throw refuse("too_many_ids", { field: "/ids" });
    const files = await mediaByIds(db, workspaceId, ids);
    const rows = files.filter((row) => terms.every((term) => row.terms.includes(term)));
    return ok({ media: rows.map((row) => mediaView(ctx, row)), next: null });
  }
  const { rows, next } = buildPage(
    await findMedia(db, workspaceId, {
      terms,
      limit: query.limit + 1,
      before,
      hasUnlisted: UNLISTED_KINDS.some((unlisted) => unlisted === kind),
    }),
    query.limit,
  );
  return ok({ media: rows.map((row) => mediaView(ctx, row)), next });
};
