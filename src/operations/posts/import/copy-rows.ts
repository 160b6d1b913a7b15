// Copies the files of imported rows that ask for approval or adapt their images. Uses the same code as a single such post.
import type { Context } from "../../../context.ts";
import { deleteMedia, type MediaRow } from "../../../store/media/media.ts";
import { insertFiles } from "../../../store/posts/write-imported.ts";
import type { WorkspaceCaller } from "../../caller.ts";
import { isConvertible } from "../check-queued.ts";
import { copyFiles, isAtAddress } from "../copy-files.ts";
import { type ImportMaterial, type JudgedRow, judgeRow } from "./judge.ts";

/** How many files one import copies. The caller waits for them. */
const COPIES_MAX = 100;
const TOO_MANY = `is beyond the ${COPIES_MAX} files at addresses that one import copies`;

export interface JudgedWithCopies<Row> {
  rows: Row[];
  /** Deletes the files that were stored ahead of their posts, except `kept`. */
  forget(keptIds: ReadonlySet<string>): Promise<void>;
}

/**
 * Copies the files of all rows that ask for approval, and the images of all rows that adapt images. Then judges these rows
 * again with the copies. The new files of the import are stored first. Throws the errors of `copyFiles`.
 */
export async function judgeWithCopies<Row extends JudgedRow>(
  ctx: Context,
  caller: WorkspaceCaller,
  rows: Row[],
  material: ImportMaterial,
): Promise<JudgedWithCopies<Row>> {
  const waiting = rows.flatMap((row) => {
    const { valid } = row;
    if (valid === null) return [];
    const status = material.statusOf(valid.body);
    const waits = status === "awaiting_approval";
    const adapts = valid.body.media_fit === "adapt" && status !== "draft";
    const files = valid.checked.files.filter((file) => isAtAddress(file) && (waits || (adapts && isConvertible(file))));
    return files.length > 0 ? [{ row, valid, files }] : [];
  });
  const isWaiting = new Set(waiting.map(({ row }) => row));
  const workspace = waiting[0]?.valid.checked.workspace;
  if (workspace === undefined) return { rows, forget: async () => {} };
  const allFiles = uniqueRows(waiting.flatMap(({ files }) => files));
  const files = allFiles.slice(0, COPIES_MAX);
  const brought = uniqueRows(waiting.flatMap(({ valid }) => valid.files));
  const db = ctx.databaseOf(caller.workspaceId);
  for (const statement of insertFiles(db, brought)) await statement;
  const forget = async (keptIds: ReadonlySet<string>) => {
    for (const { id } of brought) if (!keptIds.has(id)) await deleteMedia(db, caller.workspaceId, id);
  };
  try {
    const { rows: copied, failed } = await copyFiles(ctx, workspace, files);
    const uncopied = new Map([...failed, ...allFiles.slice(COPIES_MAX).map(({ id }) => [id, TOO_MANY] as const)]);
    const withCopies: ImportMaterial = {
      ...material,
      isCopied: true,
      mediaById: new Map([...material.mediaById, ...copied]),
      uploads: { ...material.uploads, uncopied },
    };
    const judgedRows = await Promise.all(
      rows.map(async (row) =>
        isWaiting.has(row) ? { ...row, ...(await judgeRow(ctx, caller, row.row, withCopies)) } : row,
      ),
    );
    return { rows: judgedRows, forget };
  } catch (error) {
    await forget(new Set());
    throw error;
  }
}

const uniqueRows = (rows: MediaRow[]): MediaRow[] => [...new Map(rows.map((row) => [row.id, row])).values()];
