// Why a row that was right a moment before was not written: others have used up the plan since, or a file of it has gone or changed.
import type { Context } from "../../../context.ts";
import { monthOf } from "../../../domain/instant.ts";
import { draftBytes } from "../../../domain/posts/draft.ts";
import { type Refusal, type Violation, violation } from "../../../domain/refusal.ts";
import { ask } from "../../../store/db/batch.ts";
import type { DraftGrowth } from "../../../store/posts/drafts.ts";
import { readForImport } from "../../../store/posts/import.ts";
import type { WorkspaceCaller } from "../../caller.ts";
import { postsAllowed } from "../check.ts";
import { monthFull } from "../create.ts";
import { draftLimit } from "../draft-limit.ts";
import { changedMeanwhile } from "../inspect.ts";
import { postFields } from "../post-fields.ts";
import type { PostBody } from "../read-for-check.ts";
import { judgeRow, type ValidRow } from "./judge.ts";
import { fileIdsIn, materialOf } from "./material.ts";
import type { ImportFile } from "./row.ts";

/** What becomes of a row's post. */
export type StatusOf = (body: PostBody) => "draft" | "awaiting_approval" | "scheduled";

/** What a row's post adds to the drafts of its workspace. */
export const growthOf = (body: PostBody, status: ReturnType<StatusOf>): DraftGrowth =>
  status === "scheduled" ? { drafts: 0, bytes: 0 } : { drafts: 1, bytes: draftBytes(postFields(body)) };

/** The violations of each row, by what is there now. */
export async function whyUnwritten(
  ctx: Context,
  caller: WorkspaceCaller,
  rows: ValidRow[],
  { file, statusOf }: { file: ImportFile; statusOf: StatusOf },
): Promise<Violation[][]> {
  const now = ctx.now();
  const ids = fileIdsIn(rows.map(({ row }) => row));
  const wanted = { ids, month: monthOf(now), keyPrefix: null };
  const found = await ask(
    ctx.databaseOf(caller.workspaceId),
    readForImport(ctx.databaseOf(caller.workspaceId), caller.workspaceId, wanted),
  );
  const material = await materialOf(ctx, caller, file, found, now);
  return Promise.all(
    rows.map(async ({ row }) => {
      const { valid, violations } = await judgeRow(ctx, caller, row, material);
      if (valid === null) return violations;
      const { code, message, detail } = limitOf(valid, statusOf) ?? changedMeanwhile();
      return [violation(code, { message, hint: detail.hint, field: detail.field })];
    }),
  );
}

/** The limit of the plan that a row does not fit in; null: there is room. */
function limitOf({ body, checked }: ValidRow["valid"], statusOf: StatusOf): Refusal | null {
  const status = statusOf(body);
  const allowed = postsAllowed(checked);
  if (status === "scheduled" && allowed !== null && checked.postsUsed >= allowed) {
    return monthFull(checked, checked.postsUsed);
  }
  return draftLimit(checked.workspace, growthOf(body, status));
}
