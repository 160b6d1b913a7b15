import type { Context } from "../../context.ts";
import type { auditTable, listAudit as contract } from "../../contract/audit.ts";
import type { Input } from "../../contract/operation.ts";
import { readTimeOfId } from "../../domain/ids.ts";
import { type AuditFilter, type AuditRow, listAudit as read } from "../../store/audit.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { auditView } from "./view.ts";

export const listAudit: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const { limit, cursor, ...filters } = query;
  const entries = await readAudit(ctx, workspaceId, {
    ...toFilter(filters),
    before: toAuditCursor(readCursor(cursor, "aud")),
    limit: limit + 1,
  });
  const { rows, next } = buildPage(entries, limit);
  return ok({ audit: rows.map(auditView), next });
};

type Query = Input<typeof auditTable>["query"];

/** Converts the query to a filter. */
export const toFilter = ({ act, actor, target, from, to }: Query): Omit<AuditFilter, "before" | "limit"> => ({
  act: act ?? null,
  actor: actor ?? null,
  target: target ?? null,
  since: from === undefined ? null : Date.parse(from),
  until: to === undefined ? null : Date.parse(to),
});

/** The position of an entry in the log, read from its id. */
export const toAuditCursor = (id: string | null): AuditFilter["before"] =>
  id === null ? null : { at: readTimeOfId(id), id };

export const readAudit = (ctx: Context, workspaceId: string, filter: AuditFilter): Promise<AuditRow[]> =>
  read(ctx.accounts, ctx.databaseOf(workspaceId), workspaceId, filter);
