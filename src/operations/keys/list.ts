import type { listKeys as contract } from "../../contract/keys.ts";
import { listKeys as read } from "../../store/accounts/named-keys.ts";
import { memberIn } from "../caller.ts";
import { pageOf, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { keyView } from "./view.ts";

export const listKeys: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = memberIn(caller);
  const found = await read(ctx.accounts, workspaceId, query.limit + 1, readCursor(query.cursor, "key"));
  const { rows, next } = pageOf(found, query.limit);
  return ok({ keys: rows.map(keyView), next });
};
