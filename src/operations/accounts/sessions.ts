import type { endSession as end, listSessions as list } from "../../contract/own-account.ts";
import { isId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import * as store from "../../store/accounts/sessions.ts";
import { signedIn } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { noContent, ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";

export const listSessions: Run<typeof list> = async (ctx, caller, { query }) => {
  const { userId, tokenHash } = signedIn(caller);
  const before = readCursor(query.cursor, "ses");
  const { rows, next } = buildPage(
    await store.listSessions(ctx.accounts, userId, query.limit + 1, before),
    query.limit,
  );
  const sessions = rows.map((row) => ({
    id: row.id,
    created_at: isoInstant(row.createdAt),
    last_used_at: isoInstant(row.lastSeenAt),
    expires_at: isoInstant(row.expiresAt),
    user_agent: row.userAgent,
    current: row.tokenHash === tokenHash,
  }));
  return ok({ sessions, next });
};

export const endSession: Run<typeof end> = async (ctx, caller, { params }) => {
  const { userId } = signedIn(caller);
  const ended = isId("ses", params.id) && (await store.endSession(ctx.accounts, userId, params.id));
  if (!ended) throw refuse("not_found", { message: "Not found: you have no session with this id." });
  await tellHomes(ctx);
  return noContent;
};
