// Assembles the data that is needed to check the rows of an import.
import type { Context } from "../../../context.ts";
import { formatMonth } from "../../../domain/instant.ts";
import type { FoundForImport } from "../../../store/posts/import.ts";
import type { WorkspaceCaller } from "../../caller.ts";
import { reachesChannel } from "../../reach.ts";
import { inspectUploads } from "../inspect.ts";
import { indexChannels } from "./channel-ids.ts";
import type { ImportMaterial } from "./judge.ts";
import type { ImportFile, ImportRow, StatusOf } from "./row.ts";

/** The files that rows may name: every text that looks like a file id, wherever it appears. */
export const fileIdsIn = (rows: ImportRow[]): string[] => [
  ...new Set(rows.flatMap(({ body }) => JSON.stringify(body).match(/\bmed_[0-9a-z]{26}\b/g) ?? [])),
];

/** `now`: epoch milliseconds. */
export async function buildMaterial(
  ctx: Context,
  caller: WorkspaceCaller,
  { file: { channelNames }, statusOf }: { file: ImportFile; statusOf: StatusOf },
  records: FoundForImport,
  now: number,
): Promise<ImportMaterial> {
  const channels = records.channels.filter(({ id }) => reachesChannel(caller, id));
  const uploads = await inspectUploads(ctx, records.media);
  return {
    found: { ...records, channels },
    uploads,
    mediaById: byId(uploads.rows),
    inspectionsById: byId(uploads.found),
    channelsById: byId(channels),
    channelNames: indexChannels(channels, channelNames),
    statusOf,
    isCopied: false,
    fileIds: new Map(),
    now,
    month: formatMonth(now),
  };
}

const byId = <Row extends { id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.id, row]));
