import type { listAccountKeys as contract } from "../../contract/account-keys.ts";
import { listAccountKeys as read } from "../../store/accounts/account-keys.ts";
import { signedIn } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { accountKeyView } from "./view.ts";

export const listAccountKeys: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { userId } = signedIn(caller);
  const keyRows = await read(ctx.accounts, userId, query.limit + 1, readCursor(query.cursor, "akey"));
  const { rows, next } = buildPage(keyRows, query.limit);
  return ok({ keys: rows.map(accountKeyView), next });
};
