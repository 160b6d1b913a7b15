// While more than one sealing key is set, what the older ones sealed is sealed anew, a page a minute.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { replaceSealed, type SealedKind, sealedAfter } from "../store/sealed.ts";

const PAGE = 200;
const KINDS: SealedKind[] = ["channel-credential", "delivery-token", "webhook-secret", "workspace-key"];

/** Where the walk stands. */
export interface ResealCursor {
  kind: SealedKind;
  workspaceId: string;
  place: string;
}

/** Goes one page on from `cursor` (null: from the start) and returns where to go on; null when there is nothing to do. */
export async function resealPage(ctx: Context, cursor: ResealCursor | null): Promise<ResealCursor | null> {
  const { seal, settings } = ctx;
  if (seal === null || settings.sealKeys.size < 2) return null;
  const at = cursor ?? { kind: "channel-credential", workspaceId: "", place: "" };
  for (const db of ctx.databases) {
    const rows = await sealedAfter(db, at.kind, at, PAGE);
    for (const row of rows) {
      if (seal.isCurrent(row.sealed)) continue;
      const place = { purpose: at.kind, workspace: row.workspaceId, row: row.id };
      const secret = await seal.open(row.sealed, place);
      if (secret === null) log("error", "cannot_be_opened", { workspace: row.workspaceId, operation: at.kind });
      else await replaceSealed(db, at.kind, row, await seal.close(secret, place));
    }
    const last = rows.at(-1);
    if (last !== undefined && rows.length === PAGE)
      return { kind: at.kind, workspaceId: last.workspaceId, place: last.place };
  }
  const next = KINDS[(KINDS.indexOf(at.kind) + 1) % KINDS.length] ?? at.kind;
  return { kind: next, workspaceId: "", place: "" };
}
