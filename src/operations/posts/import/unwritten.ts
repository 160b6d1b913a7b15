// Explains why a valid row was not written: other posts have used up the plan since, or one of its files has gone or
// changed.
import type { Context } from "../../../context.ts";
import { formatMonth } from "../../../domain/instant.ts";
import { type Violation, violation } from "../../../domain/refusal.ts";
import { ask } from "../../../store/db/batch.ts";
import { readForImport } from "../../../store/posts/import.ts";
import type { WorkspaceCaller } from "../../caller.ts";
import { budgetFull, computeSpend } from "../budget.ts";
import type { CheckedPost } from "../check.ts";
import { planFull } from "../create.ts";
import { changedMeanwhile } from "../inspect.ts";
import { postFields } from "../post-fields.ts";
import type { PostBody } from "../read-for-check.ts";
import { judgeRow, type ValidRow } from "./judge.ts";
import { buildMaterial, fileIdsIn } from "./material.ts";
import type { ImportFile, StatusOf } from "./row.ts";

/** The violations of each row, according to current data. */
export async function whyUnwritten(
  ctx: Context,
  caller: WorkspaceCaller,
  rows: ValidRow[],
  { file, statusOf }: { file: ImportFile; statusOf: StatusOf },
): Promise<Violation[][]> {
  const now = ctx.now();
  const ids = fileIdsIn(rows.map(({ row }) => row));
  const db = ctx.databaseOf(caller.workspaceId);
  const request = { ids, month: formatMonth(now), keyPrefix: null };
  const records = await ask(db, readForImport(db, caller.workspaceId, request));
  const material = await buildMaterial(ctx, caller, { file, statusOf }, records, now);
  const findExceededLimit = (checked: CheckedPost, body: PostBody) =>
    planFull(checked, postFields(body), statusOf(body)) ??
    (statusOf(body) === "scheduled" ? budgetFull(checked, computeSpend(checked, caller)) : null);
  return Promise.all(
    rows.map(async ({ row }) => {
      const { valid, violations } = await judgeRow(ctx, caller, row, material);
      if (valid === null) return violations;
      const { body, checked } = valid;
      const { code, message, detail } = findExceededLimit(checked, body) ?? changedMeanwhile();
      return [violation(code, { message, hint: detail.hint, field: detail.field })];
    }),
  );
}
