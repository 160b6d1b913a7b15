import { sha256Hex } from "../../adapters/digest.ts";
import type { createReport as contract } from "../../contract/reports.ts";
import { readRange, toDates } from "../../domain/date-range.ts";
import { base64Url } from "../../domain/encoding.ts";
import { isoInstant } from "../../domain/instant.ts";
import { REPORT_LIFE_MS } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { readTimezone } from "../../store/accounts/workspaces.ts";
import { listHandles } from "../../store/channels/channels.ts";
import { ask } from "../../store/db/batch.ts";
import { insertReport } from "../../store/reports.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { idOfCaller } from "../name-of.ts";
import { limitReports } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { created, type Run } from "../run.ts";

export const createReport: Run<typeof contract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const { from, to, channels = null, label = null } = body;
  const db = ctx.databaseOf(workspaceId);
  const createdAt = ctx.now();
  const range = readRange({ from, to }, { timezone: await ask(db, readTimezone(db, workspaceId)), now: createdAt });
  if (channels !== null) {
    const known = await listHandles(db, workspaceId);
    const unknown = channels.findIndex((id) => !known.has(id));
    if (unknown !== -1) throw refuse("unknown_channel", { field: `/channels/${unknown}` });
  }
  await limitReports(ctx, workspaceId);
  const token = base64Url(ctx.entropy(32));
  const expiresAt = createdAt + REPORT_LIFE_MS;
  const dates = toDates(range);
  const row = {
    tokenHash: await sha256Hex(token),
    workspaceId,
    fromDate: dates.from,
    toDate: dates.to,
    channels: channels && [...new Set(channels)],
    label,
    createdBy: idOfCaller(workspaceCaller),
    createdAt,
    expiresAt,
  };
  const entry = makeEntry(ctx, workspaceCaller, "report.created", { details: dates });
  await insertReport(databaseToWrite(ctx, workspaceCaller, ctx.accounts), row, entry);
  return created({ url: `${ctx.settings.baseUrl}/report/${token}`, expires_at: isoInstant(expiresAt) });
};
