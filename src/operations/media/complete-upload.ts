import { LATE } from "../../adapters/stored-inspection.ts";
import type { completeUpload as contract } from "../../contract/media.ts";
import { areAllChunks } from "../../domain/media/chunks.ts";
import { refuse } from "../../domain/refusal.ts";
import { batch } from "../../store/db/batch.ts";
import { noteInspections } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { inspectUploads } from "../posts/inspect.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { readFileInChunks } from "./open-upload.ts";
import { mediaView } from "./view.ts";

/** A repeated call finds the file complete. What the bucket does not say now is inspected when a post uses the file. */
export const completeUpload: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const here = inWorkspace(caller);
  const { workspaceId } = here;
  const { bucket, row, upload, bytes, isOpen } = await readFileInChunks(ctx, workspaceId, params.id);
  if (row.state === "ready") return ok(mediaView(ctx, row));
  if (!isOpen) throw refuse("upload_not_open");
  const chunks = body.chunks
    .map(({ number, etag }) => ({ number, etag: etag.replaceAll('"', "") }))
    .sort((a, b) => a.number - b.number);
  const numbers = chunks.map(({ number }) => number);
  const isWhole = areAllChunks(bytes, numbers) && (await bucket.joinChunks(upload, chunks));
  if (!isWhole) throw refuse("chunks_incomplete", { field: "/chunks" });
  const { rows, found, wrong, late } = await inspectUploads(ctx, [row]);
  const problem = wrong.get(row.id);
  if (problem !== undefined) throw refuse("media_format_not_allowed", { message: `The stored file ${problem}.` });
  if (late.has(row.id)) throw refuse("unknown_media", { message: `The stored file ${LATE}.` });
  const db = databaseToWrite(ctx, here);
  const [statement] = noteInspections(db, workspaceId, found);
  if (statement !== undefined) {
    const { stored } = await batch(db, { stored: statement });
    if (stored.length === 0) throw refuse("upload_not_open");
  }
  return ok(mediaView(ctx, rows[0] ?? row));
};
