// While more than one sealing key is set, what the older ones sealed is sealed anew, a page a minute.
import { log } from "../adapters/log.ts";
import type { Seal, SealPlace } from "../adapters/seal.ts";
import type { Context } from "../context.ts";
import type { Database } from "../store/db/db.ts";
import { purposeOf, replaceSealed, SEALED_KINDS, type SealedKind, sealedAfter } from "../store/sealed.ts";

const PAGE = 200;
/** A sealed value, wherever it stands in a column. */
const SEALED = /v1\.[\w-]+\.[\w-]+\.[\w-]+/g;

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
    const place = { purpose: purposeOf(at.kind), workspace: row.workspaceId, row: row.id };
    const sealed = await reseal(seal, row.sealed, place);
    if (sealed !== row.sealed) await replaceSealed(db, at.kind, row, sealed);
  }
  const last = rows.length === PAGE ? rows.at(-1) : undefined;
  const next = SEALED_KINDS[(SEALED_KINDS.indexOf(at.kind) + 1) % SEALED_KINDS.length] ?? at.kind;
  places.seals =
    last === undefined
      ? { kind: next, workspaceId: "", place: "" }
      : { kind: at.kind, workspaceId: last.workspaceId, place: last.place };
}

/** What a column holds, with everything in it that an older key has sealed sealed by the active one. */
async function reseal(seal: Seal, stored: string, place: SealPlace): Promise<string> {
  let resealed = stored;
  for (const [sealed] of stored.matchAll(SEALED)) {
    if (seal.isCurrent(sealed)) continue;
    const secret = await seal.unseal(sealed, place);
    if (secret === null) log("error", "cannot_be_opened", { workspace: place.workspace, operation: place.purpose });
    else resealed = resealed.replace(sealed, await seal.seal(secret, place));
  }
  return resealed;
}
