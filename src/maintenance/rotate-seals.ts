// While more than one sealing key is set, what the older ones sealed is sealed anew, a page a minute.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import type { Database } from "../store/db/db.ts";
import { replaceSealed, type SealedKind, sealedAfter } from "../store/sealed.ts";

const PAGE = 200;
const KINDS: SealedKind[] = ["channel-credential", "publish-handle", "webhook-secret", "workspace-key"];

/** Where the walk through a database stands. */
export interface RotationPlace {
  kind: SealedKind;
  workspaceId: string;
  place: string;
}

/** Goes one page on from `places.seals` (null: from the start), and moves it on; null: there is nothing to do. */
export async function rotateSeals(
  { seal, settings }: Context,
  db: Database,
  places: { seals?: RotationPlace | null },
): Promise<void> {
  if (seal === null || settings.sealKeys.size < 2) {
    places.seals = null;
    return;
  }
  const at = places.seals ?? { kind: "channel-credential", workspaceId: "", place: "" };
  const rows = await sealedAfter(db, at.kind, at, PAGE);
  for (const row of rows) {
    if (seal.isCurrent(row.sealed)) continue;
    const place = { purpose: at.kind, workspace: row.workspaceId, row: row.id };
    const secret = await seal.unseal(row.sealed, place);
    if (secret === null) log("error", "cannot_be_opened", { workspace: row.workspaceId, operation: at.kind });
    else await replaceSealed(db, at.kind, row, await seal.seal(secret, place));
  }
  const last = rows.length === PAGE ? rows.at(-1) : undefined;
  const next = KINDS[(KINDS.indexOf(at.kind) + 1) % KINDS.length] ?? at.kind;
  places.seals =
    last === undefined
      ? { kind: next, workspaceId: "", place: "" }
      : { kind: at.kind, workspaceId: last.workspaceId, place: last.place };
}
