// Inspects the uploads that a post names, so that the post is checked with their content. The first content that is
// checked becomes permanent: its etag is stored with the post, and other content is refused from then on. Nothing is
// written here.
import { sha256 } from "../../adapters/digest.ts";
import { errorText, log } from "../../adapters/log.ts";
import { CHANGED, inspectStored, LATE, type StoredInspection } from "../../adapters/stored-inspection.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { canonicalJson } from "../../domain/json.ts";
import { UPLOAD_OVER_MS } from "../../domain/limits.ts";
import { isUnsealed } from "../../domain/media/object-key.ts";
import { refuse, type Violation, violation } from "../../domain/refusal.ts";
import { type Arrival, findLateUploads } from "../../store/accounts/ended-rights.ts";
import { type Inspection, inspectedColumns, type MediaRow } from "../../store/media/media.ts";
import { buildFilePointer, type MediaList } from "./read-for-check.ts";

/** Files that are inspected concurrently: the headers of each are held in memory. */
const SIDE_BY_SIDE = 4;

export interface Inspected {
  /** The rows with all facts known by now. */
  rows: MediaRow[];
  /** How many files were requested from the bucket. */
  inspected: number;
  /** The facts that this inspection found; the caller stores them. */
  found: Inspection[];
  /** Files that differ from their declaration, by id, each with the difference. */
  wrong: Map<string, string>;
  /** Files that have changed since a post was checked with them. */
  changed: Set<string>;
  /** Uploads that arrived after their uploader's rights had ended. */
  late: Set<string>;
  /** Files that could not be inspected. */
  unread: Set<string>;
  /** Files at addresses that could not be copied, by id, each with the reason. */
  uncopied: Map<string, string>;
}

/**
 * Inspects those uploads among `rows` that have not been inspected, or whose address may have received another upload
 * since. A file that has not arrived is left for later.
 */
export async function inspectUploads(ctx: Context, rows: MediaRow[]): Promise<Inspected> {
  const inspections = new Map<string, StoredInspection | { is: "unread" }>();
  const mayChange = (row: MediaRow) => row.etag === null || mayBeUploaded(row, ctx.now());
  const waiting = rows.filter((row) => row.objectKey !== null && mayChange(row));
  const worker = async () => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop())
      inspections.set(row.id, await inspectUpload(ctx, row));
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, waiting.length) }, worker));
  const late = await findLateUploads(ctx.accounts, arrivalsOf(rows, inspections));

  const newInspections: Inspection[] = [];
  const wrong = new Map<string, string>();
  const changed = new Set<string>();
  const unread = new Set<string>();
  const updatedRows = rows.map((row) => {
    const inspected = inspections.get(row.id);
    if (inspected?.is === "wrong") wrong.set(row.id, inspected.what);
    if (inspected?.is === "changed") changed.add(row.id);
    if (inspected?.is === "unread") unread.add(row.id);
    if (inspected?.is !== "inspected" || late.has(row.id)) return row;
    const inspection = { id: row.id, etag: inspected.stored.etag, ...inspected.facts };
    newInspections.push(inspection);
    return { ...row, ...inspectedColumns(inspection) };
  });
  return {
    rows: updatedRows,
    inspected: inspections.size,
    found: newInspections,
    wrong,
    changed,
    late,
    unread,
    uncopied: new Map(),
  };
}

/** When the inspected uploads arrived. A file that the bucket did not answer for is inspected again later. */
const arrivalsOf = (rows: MediaRow[], inspections: Map<string, StoredInspection | { is: "unread" }>): Arrival[] =>
  rows.flatMap((row) => {
    const inspected = inspections.get(row.id);
    if (inspected?.is === "absent") return { row, uploadedAt: null };
    return inspected?.is === "inspected" ? { row, uploadedAt: inspected.stored.uploadedAt } : [];
  });

/** Whether an upload to the file's address could still replace its bytes. */
export const mayBeUploaded = (row: MediaRow, now: number) => isUnsealed(row) && now < row.createdAt + UPLOAD_OVER_MS;

/**
 * A short text that identifies the content of the uploads among `rows`; null: some content is not known yet. Equal
 * texts mean equal content.
 */
export async function contentTag(rows: MediaRow[]): Promise<string | null> {
  const uploads = rows.filter(({ objectKey }) => objectKey !== null);
  if (uploads.length === 0) return "";
  if (uploads.some(({ etag }) => etag === null)) return null;
  return base64Url(await sha256(canonicalJson(Object.fromEntries(uploads.map(({ id, etag }) => [id, etag])))));
}

/** A file changed while its post was checked. */
export const changedMeanwhile = () =>
  refuse("unknown_media", { field: "/media", message: `A stored file ${CHANGED}.`, hint: CHANGED_HINT });

const CHANGED_HINT = "Upload it again as a new file, and name that one.";

/**
 * Returns a violation for each place in `lists` that names a file which differs from its declaration or its earlier
 * content, or which arrived too late.
 */
export function checkUploads(lists: MediaList[], { wrong, changed, late }: Inspected): Violation[] {
  return lists.flatMap((list) =>
    list.ids.flatMap((id, i) => {
      const field = buildFilePointer(list, i);
      if (changed.has(id)) {
        return violation("unknown_media", { field, message: `The stored file ${CHANGED}.`, hint: CHANGED_HINT });
      }
      if (late.has(id)) {
        return violation("unknown_media", { field, message: `The stored file ${LATE}.`, hint: CHANGED_HINT });
      }
      const problem = wrong.get(id);
      if (problem === undefined) return [];
      const message = `The stored file ${problem}.`;
      return violation("media_format_not_allowed", { field, message, hint: "Upload it again." });
    }),
  );
}

/**
 * Returns a violation for each place in `lists` that names an upload which has not been inspected. `isCopied`: also for
 * a file at an address that has not been copied.
 */
export function checkArrived(
  lists: MediaList[],
  { rows, unread, uncopied }: Inspected,
  isCopied: boolean,
): Violation[] {
  const missing = new Set(
    rows
      .filter(({ id, objectKey, etag }) => etag === null && (isCopied || objectKey !== null || uncopied.has(id)))
      .map(({ id }) => id),
  );
  return lists.flatMap((list) =>
    list.ids.flatMap((id, i) => {
      const field = buildFilePointer(list, i);
      if (!missing.has(id)) return [];
      const problem = uncopied.get(id);
      if (problem !== undefined) {
        const hint =
          "It is copied from its address before it is approved or adapted. Repair the address, or upload the file.";
        return violation("media_not_uploaded", { field, message: `The file ${id} ${problem}.`, hint });
      }
      if (!unread.has(id))
        return violation("media_not_uploaded", { field, message: `The file ${id} has not been uploaded.` });
      const message = `The storage did not say whether the file ${id} has been uploaded.`;
      return violation("media_not_uploaded", { field, message, hint: "Try again in a moment." });
    }),
  );
}

/** If the bucket does not answer, the post is not refused: the file is inspected again when it is published. */
async function inspectUpload({ bucket }: Context, row: MediaRow): Promise<StoredInspection | { is: "unread" }> {
  if (bucket === null || row.objectKey === null) return { is: "absent" };
  try {
    return await inspectStored(bucket, row.objectKey, row);
  } catch (error) {
    log("warn", "inspection_failed", { workspace: row.workspaceId, error: errorText(error) });
    return { is: "unread" };
  }
}
