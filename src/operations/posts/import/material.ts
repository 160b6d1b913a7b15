// What the rows of a file are judged with.
import type { Context } from "../../../context.ts";
import { monthOf } from "../../../domain/instant.ts";
import type { FoundForImport } from "../../../store/posts/import.ts";
import type { WorkspaceCaller } from "../../caller.ts";
import { reachesChannel } from "../../reach.ts";
import { inspectUploads } from "../inspect.ts";
import type { ImportMaterial } from "./judge.ts";
import type { ImportFile, ImportRow } from "./row.ts";

/** The files that rows may name: whatever looks like the id of one, wherever it stands. */
export const fileIdsIn = (rows: ImportRow[]): string[] => [
  ...new Set(rows.flatMap(({ body }) => JSON.stringify(body).match(/\bmed_[0-9a-z]{26}\b/g) ?? [])),
];

/** `now`: epoch milliseconds. */
export async function materialOf(
  ctx: Context,
  caller: WorkspaceCaller,
  { channelNames }: ImportFile,
  found: FoundForImport,
  now: number,
): Promise<ImportMaterial> {
  return {
    found: { ...found, channels: found.channels.filter(({ id }) => reachesChannel(caller, id)) },
    uploads: await inspectUploads(ctx, found.media),
    channelNames,
    fileIds: new Map(),
    now,
    month: monthOf(now),
  };
}
