// What the uploads that a post names hold, so that it is judged by them. Each is looked at once; nothing is written here.

import { errorText, log } from "../../adapters/log.ts";
import { lookAtStored, type StoredLook } from "../../adapters/stored-look.ts";
import type { Context } from "../../context.ts";
import { type Violation, violation } from "../../domain/refusal.ts";
import { type Inspection, inspectedColumns, type MediaRow } from "../../store/media.ts";
import { pointer } from "../refuse-issues.ts";

/** Files that are looked at side by side: the headers of each are held meanwhile. */
const SIDE_BY_SIDE = 4;

export interface Inspected {
  /** The rows with all that is known of their files by now. */
  rows: MediaRow[];
  /** What is known now and was not before; for the caller to store. */
  found: Inspection[];
  /** Files that are not what they were declared to be, by id, each with what is wrong. */
  wrong: Map<string, string>;
}

/** Looks at those uploads of `rows` that nobody has looked at. A file that is not there yet is left for later. */
export async function inspectUploads(ctx: Context, rows: MediaRow[]): Promise<Inspected> {
  const looks = new Map<string, StoredLook>();
  const waiting = rows.filter(({ objectKey, etag }) => objectKey !== null && etag === null);
  const worker = async () => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) looks.set(row.id, await lookAt(ctx, row));
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, waiting.length) }, worker));

  const found: Inspection[] = [];
  const wrong = new Map<string, string>();
  const known = rows.map((row) => {
    const look = looks.get(row.id);
    if (look?.is === "wrong") wrong.set(row.id, look.what);
    if (look?.is !== "inspected") return row;
    const inspection = { id: row.id, etag: look.stored.etag, ...look.facts };
    found.push(inspection);
    return { ...row, ...inspectedColumns(inspection) };
  });
  return { rows: known, found, wrong };
}

/** One violation wherever the post names a file that is not what it was declared to be. */
export function checkUploads(
  body: { media?: string[]; overrides?: Record<string, { media?: string[] }> },
  { wrong }: Inspected,
): Violation[] {
  const lists: [string, string[]][] = [
    ["/media", body.media ?? []],
    ...Object.entries(body.overrides ?? {}).map(([id, override]): [string, string[]] => [
      `/overrides${pointer([id])}/media`,
      override.media ?? [],
    ]),
  ];
  return lists.flatMap(([at, ids]) =>
    ids.flatMap((id, i) => {
      const what = wrong.get(id);
      if (what === undefined) return [];
      const message = `The stored file ${what}.`;
      return violation("media_format_not_allowed", { field: `${at}/${i}`, message, hint: "Upload it again." });
    }),
  );
}

/** A bucket that does not answer is no reason to refuse a post: the file is looked at again when it goes out. */
async function lookAt({ bucket }: Context, row: MediaRow): Promise<StoredLook> {
  if (bucket === null || row.objectKey === null) return { is: "absent" };
  try {
    return await lookAtStored(bucket, row.objectKey, row);
  } catch (error) {
    log("warn", "inspection_failed", { workspace: row.workspaceId, error: errorText(error) });
    return { is: "absent" };
  }
}
