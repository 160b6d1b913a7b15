import { escapeFormula, writeCsv } from "../../adapters/csv.ts";
import type { auditTable as contract } from "../../contract/audit.ts";
import { LIST_LIMIT_MAX } from "../../domain/limits.ts";
import { untilKnown } from "../../store/db/until-known.ts";
import { refuseBeforeFirstRow } from "../export/refuse-before-first-row.ts";
import { findHomeNow } from "../home-now.ts";
import type { Stream } from "../run.ts";
import { readAudit, toAuditCursor, toFilter } from "./list.ts";
import { auditView } from "./view.ts";

const COLUMNS = [
  "id",
  "at",
  "act",
  "actor_kind",
  "actor_id",
  "actor",
  "target_id",
  "target",
  "address",
  "client",
  "details",
] as const;

export const auditTable: Stream<typeof contract> = (ctx, caller, input) =>
  refuseBeforeFirstRow(ctx, readTable(ctx, caller, input));

const readTable: Stream<typeof contract> = async function* (ctx, { workspaceId }, { query }) {
  const filter = toFilter(query);
  yield writeCsv(COLUMNS, []);
  for (let last: string | null = null; ; ) {
    const before = toAuditCursor(last);
    const page = await untilKnown({ pause: ctx.pause }, async () => {
      await findHomeNow(ctx, workspaceId);
      return readAudit(ctx, workspaceId, { ...filter, before, limit: LIST_LIMIT_MAX });
    });
    const rows = page
      .map(auditView)
      .map(({ actor, target, ...entry }) => [
        entry.id,
        entry.at,
        entry.act,
        actor.kind,
        actor.id,
        actor.name,
        target.id,
        target.name,
        entry.address,
        entry.client,
        JSON.stringify(entry.details),
      ]);
    if (rows.length > 0)
      yield writeCsv(
        COLUMNS,
        rows.map((row) => row.map(escapeFormula)),
        { header: false },
      );
    if (page.length < LIST_LIMIT_MAX) return;
    last = page.at(-1)?.id ?? null;
  }
};
