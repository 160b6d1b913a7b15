import type { readAccountUsage as contract } from "../../contract/usage.ts";
import { formatMonth, isoInstant, monthEnd } from "../../domain/instant.ts";
import { getPlan } from "../../domain/plan.ts";
import { listOwned } from "../../store/accounts/accounts.ts";
import { readUsageOfEach, type WorkspaceUsage } from "../../store/usage.ts";
import { personOrAccountKey } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";

/** Each database is asked once, for all workspaces of the page whose rows it holds. */
export const readAccountUsage: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { userId } = personOrAccountKey(caller);
  const month = formatMonth(ctx.now());
  const owned = await listOwned(ctx.accounts, userId, query.limit + 1, readCursor(query.cursor, "ws"));
  const { rows, next } = buildPage(owned, query.limit);
  const byHome = Map.groupBy(rows, ({ home }) => home);
  const answers = await Promise.all(
    [...byHome].map(([home, workspaces]) =>
      readUsageOfEach(
        ctx.homes.at(home),
        workspaces.map(({ id }) => id),
        month,
      ),
    ),
  );
  const usage = new Map(answers.flat().map((use) => [use.workspaceId, use]));
  const nothing: Omit<WorkspaceUsage, "workspaceId"> = { posts: 0, mediaBytes: 0, channels: 0 };
  return ok({
    period: { from: `${month}-01T00:00:00.000Z`, to: isoInstant(monthEnd(month)) },
    workspaces: rows.map(({ id, externalId, name, plan }) => {
      const { posts, mediaBytes, channels } = usage.get(id) ?? nothing;
      return {
        workspace: id,
        external_id: externalId,
        name,
        plan,
        posts: { used: posts, allowed: getPlan(plan).posts_per_month },
        media_bytes: mediaBytes,
        channels,
      };
    }),
    next,
  });
};
