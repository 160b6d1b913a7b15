import type { requestChunkAddresses as contract } from "../../contract/media.ts";
import { isoInstant } from "../../domain/instant.ts";
import { UPLOAD_URL_LIFE_MS } from "../../domain/limits.ts";
import { chunkLength } from "../../domain/media/chunks.ts";
import { refuse } from "../../domain/refusal.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { readFileInChunks } from "./open-upload.ts";

export const requestChunkAddresses: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { workspaceId } = inWorkspace(caller);
  const { bucket, upload, bytes, isOpen } = await readFileInChunks(ctx, workspaceId, params.id);
  if (!isOpen) throw refuse("upload_not_open");
  const expiresAt = isoInstant(ctx.now() + UPLOAD_URL_LIFE_MS);
  const chunks = body.numbers.map(async (number, i) => {
    const length = chunkLength(bytes, number);
    if (length === null) throw refuse("unknown_chunk", { field: `/numbers/${i}` });
    return {
      number,
      upload_url: await bucket.presignChunk(upload, number, length),
      method: "PUT" as const,
      headers: { "Content-Length": String(length) },
      expires_at: expiresAt,
    };
  });
  return ok({ chunks: await Promise.all(chunks) });
};
