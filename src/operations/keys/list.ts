import type { listKeys as contract } from "../../contract/keys.ts";
import { listKeys as read } from "../../store/accounts/named-keys.ts";
import { ownerIn } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { keyView } from "./view.ts";

export const listKeys: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = ownerIn(caller);
  const keyRows = await read(ctx.accounts, workspaceId, query.limit + 1, readCursor(query.cursor, "key"));
  const { rows, next } = buildPage(keyRows, query.limit);
  return ok({ keys: rows.map(keyView), next });
};
