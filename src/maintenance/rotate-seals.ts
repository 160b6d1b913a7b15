// While more than one sealing key is set, reseals the values of the older keys, a page a minute.
import { log } from "../adapters/log.ts";
import type { Seal, SealBinding } from "../adapters/seal.ts";
import type { Context } from "../context.ts";
import type { Database } from "../store/db/db.ts";
import { getPurpose, replaceSealed, SEALED_KINDS, type SealedKind, sealedAfter } from "../store/sealed.ts";

const PAGE = 200;
/** A sealed value anywhere in a column. */
const SEALED = /v1\.[\w-]+\.[\w-]+\.[\w-]+/g;

/** The cursor of the walk through a database. */
export interface RotationCursor {
  kind: SealedKind;
  workspaceId: string;
  rowKey: string;
}

/**
 * Reseals one page from `cursors.seals` on (null: from the start) and advances the cursor; null: nothing is left to do.
 */
export async function rotateSeals(
  { seal, settings }: Context,
  db: Database,
  cursors: { seals?: RotationCursor | null },
): Promise<void> {
  if (seal === null || settings.sealKeys.size < 2) {
    cursors.seals = null;
    return;
  }
  const cursor = cursors.seals ?? { kind: "channel-credential", workspaceId: "", rowKey: "" };
  const rows = await sealedAfter(db, cursor.kind, cursor, PAGE);
  for (const row of rows) {
    const binding = { purpose: getPurpose(cursor.kind), workspace: row.workspaceId, row: row.id };
    const sealed = await reseal(seal, row.sealed, binding);
    if (sealed !== row.sealed) await replaceSealed(db, cursor.kind, row, sealed);
  }
  const last = rows.length === PAGE ? rows.at(-1) : undefined;
  const next = SEALED_KINDS[(SEALED_KINDS.indexOf(cursor.kind) + 1) % SEALED_KINDS.length] ?? cursor.kind;
  cursors.seals =
    last === undefined
      ? { kind: next, workspaceId: "", rowKey: "" }
      : { kind: cursor.kind, workspaceId: last.workspaceId, rowKey: last.rowKey };
}

/** Returns the column's value with every part that an older key sealed resealed with the active key. */
async function reseal(seal: Seal, stored: string, binding: SealBinding): Promise<string> {
  let resealed = stored;
  for (const [sealed] of stored.matchAll(SEALED)) {
    if (seal.isCurrent(sealed)) continue;
    const secret = await seal.unseal(sealed, binding);
    if (secret === null) log("error", "cannot_be_opened", { workspace: binding.workspace, operation: binding.purpose });
    else resealed = resealed.replace(sealed, await seal.seal(secret, binding));
  }
  return resealed;
}
