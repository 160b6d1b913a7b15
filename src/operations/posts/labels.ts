import type { listLabels as contract } from "../../contract/labels.ts";
import { readLabels } from "../../store/posts/labels.ts";
import { cursorAtText, readText } from "../cursor.ts";
import { ok, type ReadThenRun } from "../run.ts";

export const listLabels: ReadThenRun<typeof contract, { name: string; posts: number }[]> = {
  read: (_ctx, db, workspaceId, { query }) =>
    readLabels(db, workspaceId, { limit: query.limit + 1, after: readText(query.cursor, "label") }),
  async run(_ctx, _caller, { query }, rows) {
    const labels = rows.slice(0, query.limit);
    return ok({ labels, next: rows.length > query.limit ? cursorAtText("label", labels.at(-1)?.name ?? "") : null });
  },
};
