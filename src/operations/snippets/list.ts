import type * as z from "zod";
import type { listSnippets as contract, Snippet } from "../../contract/snippets.ts";
import { listSnippets as read, type SnippetRow } from "../../store/snippets.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";

export const snippetView = ({ id, name, text, kind }: SnippetRow): z.input<typeof Snippet> => ({
  id,
  name,
  text,
  kind,
});

export const listSnippets: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const { kind = null, limit } = query;
  const before = readCursor(query.cursor, "snip");
  const snippets = await read(ctx.databaseOf(workspaceId), workspaceId, { limit: limit + 1, before, kind });
  const { rows, next } = buildPage(snippets, limit);
  return ok({ snippets: rows.map(snippetView), next });
};
