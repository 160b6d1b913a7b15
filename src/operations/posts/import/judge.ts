// Judges a row as the post that it would become, and collects its violations.
import type { Context } from "../../../context.ts";
import { createPost } from "../../../contract/posts.ts";
import { makeId } from "../../../domain/ids.ts";
import { ALT_LENGTH_MAX } from "../../../domain/limits.ts";
import { NEXT_SLOT } from "../../../domain/next-slot.ts";
import { listThumbnails } from "../../../domain/posts/thumbnail.ts";
import { Refusal, type Violation, violation } from "../../../domain/refusal.ts";
import type { ChannelRow } from "../../../store/channels/channels.ts";
import type { Inspection, MediaRow } from "../../../store/media/media.ts";
import type { FoundForImport } from "../../../store/posts/import.ts";
import type { WorkspaceCaller } from "../../caller.ts";
import { describeNew } from "../../media/view.ts";
import { describe, pointer, READING } from "../../refuse-issues.ts";
import { type CheckedPost, checkPost } from "../check.ts";
import type { Inspected } from "../inspect.ts";
import { mediaNamed, type PostBody } from "../read-for-check.ts";
import { type ChannelNames, resolveChannels } from "./channel-ids.ts";
import type { ImportRow, NamedFile, StatusOf } from "./row.ts";

export interface JudgedRow {
  row: ImportRow;
  violations: Violation[];
  /** null: it breaks a rule. */
  valid: { body: PostBody; checked: CheckedPost; files: MediaRow[] } | null;
}

/** A row that breaks no rule. */
export type ValidRow = JudgedRow & { valid: NonNullable<JudgedRow["valid"]> };

/** The data that all rows are judged with. */
export interface ImportMaterial {
  found: FoundForImport;
  /** The uploads among its files: each is inspected once, however many rows name it. */
  uploads: Inspected;
  /** The same files by their ids, like the workspace's channels. */
  mediaById: ReadonlyMap<string, MediaRow>;
  inspectionsById: ReadonlyMap<string, Inspection>;
  channelsById: ReadonlyMap<string, ChannelRow>;
  channelNames: ChannelNames;
  statusOf: StatusOf;
  /** Whether the files of rows that will wait have been copied. */
  isCopied: boolean;
  /** The media ids under which files that rows name by address are registered. Several posts may name the same file. */
  fileIds: Map<NamedFile, string>;
  now: number;
  month: string;
}

/** The facts that are unknown about a file that was only registered. */
const UNKNOWN = {
  state: "registered",
  objectKey: null,
  contentType: null,
  bytes: null,
  etag: null,
  width: null,
  height: null,
  durationMs: null,
  expiresAt: null,
  uploader: null,
  uploaderCredential: null,
  posterEtag: null,
  uploadId: null,
} as const;

const HINT_OF_DATE =
  "Write it as `2026-12-01T09:00`; in a spreadsheet give the column the format Text first, so that it does not make a date of it.";

export async function judgeRow(
  ctx: Context,
  caller: WorkspaceCaller,
  row: ImportRow,
  material: ImportMaterial,
): Promise<JudgedRow> {
  const refused = (violations: Violation[]): JudgedRow => ({ row, violations, valid: null });
  if (row.broken.some(({ code }) => code === "malformed_json")) return refused(row.broken);
  const { body: withNames, unknown } = resolveChannels(row.body, material.channelNames);
  const violations = [...row.broken, ...unknown];
  const parsed = createPost.body.safeParse(withNames, READING);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap(describe);
    return refused([
      ...violations,
      ...problems.map(({ path, code, ...texts }) => violation(code, { field: pointer(path), ...texts })),
    ]);
  }
  for (const name of ["dry_run", "media_preview"]) {
    if (Object.hasOwn(parsed.data, name)) violations.push(violation("unknown_field", { field: `/${name}` }));
  }
  const slotFields = findSlotFields(parsed.data);
  if (slotFields.length > 0) {
    const hint = "`GET /v1/slots/next` tells the next ones.";
    const message = "An import takes times.";
    return refused([
      ...violations,
      ...slotFields.map((field) => violation("publish_at_invalid", { field, message, hint })),
    ]);
  }
  const { body, files, broken } = withFiles(ctx, caller.workspaceId, parsed.data, row, material);
  violations.push(...broken);
  const { found, uploads, now, month } = material;
  const mediaIds = mediaNamed(body);
  const media = [...pick(mediaIds, material.mediaById), ...files];
  const post = {
    ...found,
    channels: pick([...new Set(body.channels)], material.channelsById),
    media,
    key: undefined,
    recent: [],
    slots: [],
    now,
    month,
    ofPost: null,
  };
  const waits = material.statusOf(body) === "awaiting_approval";
  const requiredState = material.isCopied ? "copied" : "arrived";
  const inspectedUploads = { ...uploads, rows: media, found: pick(mediaIds, material.inspectionsById) };
  try {
    const checked = await checkPost(ctx, caller, body, post, {
      readNames: false,
      files: waits ? requiredState : "any",
      looked: inspectedUploads,
    });
    return violations.length > 0
      ? refused(violations)
      : { row, violations, valid: { body: checked.body, checked, files } };
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 401) throw error;
    const { field } = error.detail;
    const furtherViolations = error.detail.violations ?? [violation(error.code, { field, message: error.message })];
    const isSaid = ({ code }: Violation) => code === "channels_required" && unknown.length > 0;
    return refused([...violations, ...furtherViolations.filter((problem) => !isSaid(problem)).map(withDateHint)]);
  }
}

/** The fields that ask for the next free slot. */
const findSlotFields = ({ publish_at: publishAt, overrides = {} }: PostBody): string[] => [
  ...(publishAt === NEXT_SLOT ? ["/publish_at"] : []),
  ...Object.entries(overrides).flatMap(([channel, { publish_at: ownTime }]) =>
    ownTime === NEXT_SLOT ? [`/overrides${pointer([channel, "publish_at"])}`] : [],
  ),
];

/** The entries of a map with these names. */
const pick = <Value>(names: readonly string[], values: ReadonlyMap<string, Value>): Value[] =>
  names.flatMap((name) => values.get(name) ?? []);

const withDateHint = (problem: Violation): Violation =>
  problem.code === "publish_at_invalid" ? { ...problem, hint: HINT_OF_DATE } : problem;

/** The body with new files in place of those that it names by an address or an exported id. */
function withFiles(
  ctx: Context,
  workspaceId: string,
  body: PostBody,
  row: ImportRow,
  { mediaById, fileIds, now }: ImportMaterial,
): { body: PostBody; files: MediaRow[]; broken: Violation[] } {
  const files: MediaRow[] = [];
  const idsOfRow = new Set<string>();
  const broken: Violation[] = [];
  const resolveFileId = (name: string): string => {
    const file = row.files.get(name);
    if (file === undefined || mediaById.has(name)) return name;
    const id = fileIds.get(file) ?? makeId("med", now, ctx.entropy);
    fileIds.set(file, id);
    if (idsOfRow.has(id)) return id;
    idsOfRow.add(id);
    const checked = ctx.outbound.check(file.url);
    if (typeof checked === "string") broken.push(violation(checked, { field: `/media_urls/${files.length}` }));
    if ((file.alt?.length ?? 0) > ALT_LENGTH_MAX) broken.push(violation("alt_too_long", { field: "/alt" }));
    const url = typeof checked === "string" ? file.url : checked.href;
    const copied = mediaById.get(id);
    files.push(
      copied ?? { ...UNKNOWN, workspaceId, id, kind: file.kind, url, ...describeNew(file.kind, file), createdAt: now },
    );
    return id;
  };
  const media = body.media?.map(resolveFileId);
  const resolveThread = (thread: PostBody["thread"]) =>
    thread?.map((threadPart) =>
      threadPart.media === undefined ? threadPart : { ...threadPart, media: threadPart.media.map(resolveFileId) },
    );
  const withThumbnail = (override: Record<string, unknown>) =>
    Object.fromEntries(listThumbnails(override).map(({ option, id }) => [option, resolveFileId(id)]));
  const overrides =
    body.overrides &&
    Object.fromEntries(
      Object.entries(body.overrides).map(([id, override]) => [
        id,
        {
          ...override,
          ...(override.media === undefined ? {} : { media: override.media.map(resolveFileId) }),
          ...(override.thread === undefined ? {} : { thread: resolveThread(override.thread) }),
          ...withThumbnail(override),
        },
      ]),
    );
  return {
    body: {
      ...body,
      ...(media === undefined ? {} : { media }),
      ...(body.thread == null ? {} : { thread: resolveThread(body.thread) }),
      ...(overrides === undefined ? {} : { overrides }),
    },
    files,
    broken,
  };
}
