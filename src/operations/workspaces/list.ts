import type { listWorkspaces as contract } from "../../contract/own-workspaces.ts";
import { listOwned } from "../../store/accounts/accounts.ts";
import { workspaceView } from "../accounts/views.ts";
import { personOrAccountKey } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";

export const listWorkspaces: Run<typeof contract> = async (ctx, caller, { query }) => {
  const person = personOrAccountKey(caller);
  const before = readCursor(query.cursor, "ws");
  const owned = await listOwned(ctx.accounts, person.userId, query.limit + 1, before, query.external_id);
  const { rows, next } = buildPage(owned, query.limit);
  return ok({
    workspaces: rows.map((row) =>
      workspaceView(person.kind === "session" ? { ...row, role: "owner", isOwned: true } : row),
    ),
    next,
  });
};
