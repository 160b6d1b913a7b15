// Imports a file of posts. Every row is judged before the first is written, and each is written under its own
// idempotency key, so an interrupted file can be sent again and continues where it stopped.
import { sha256Hex } from "../../../adapters/digest.ts";
import type { Context } from "../../../context.ts";
import { CSV, type importPosts as contract } from "../../../contract/import-posts.ts";
import { violatesUnique } from "../../../domain/database-fault.ts";
import { monthOf } from "../../../domain/instant.ts";
import { canonicalJson } from "../../../domain/json.ts";
import { VIOLATIONS_MAX } from "../../../domain/limits.ts";
import { draftBytes } from "../../../domain/posts/draft.ts";
import type { SentFile } from "../../../domain/posts/sent-file.ts";
import { Refusal, refuse, type Violation } from "../../../domain/refusal.ts";
import { ask } from "../../../store/db/batch.ts";
import { type FoundForImport, postsOfKeys, readForImport } from "../../../store/posts/import.ts";
import type { PostWithDeliveries } from "../../../store/posts/posts.ts";
import { type ImportedPost, writeImported } from "../../../store/posts/write-imported.ts";
import { postView } from "../../../views/post.ts";
import { refuseWithoutAbility, type WorkspaceCaller } from "../../caller.ts";
import { limitImports, limitMedia } from "../../rate-limit.ts";
import { reachesPost } from "../../reach.ts";
import { databaseToWrite, refuseAfterWait } from "../../rights.ts";
import type { ReadThenRun } from "../../run.ts";
import { budgetFull, spendOf } from "../budget.ts";
import { postsAllowed } from "../check.ts";
import { monthFull, rowsOf } from "../create.ts";
import { draftLimit } from "../draft-limit.ts";
import { postFields } from "../post-fields.ts";
import { announce, queuedBy, refuseUnlessWriter } from "../queue.ts";
import type { PostBody } from "../read-for-check.ts";
import { sealUploads } from "../seal-uploads.ts";
import { adaptRows } from "./adapt-rows.ts";
import { judgeWithCopies } from "./copy-rows.ts";
import { type ImportMaterial, type JudgedRow, judgeRow, type ValidRow } from "./judge.ts";
import { fileIdsIn, materialOf } from "./material.ts";
import { columnOf, readCsvFile } from "./read-csv-file.ts";
import { readNdjsonFile } from "./read-ndjson-file.ts";
import type { ImportFile, ImportRow, StatusOf } from "./row.ts";
import { whyUnwritten } from "./unwritten.ts";

type Judged = JudgedRow & { key: string | null; earlier: PostWithDeliveries | undefined };
type Valid = Judged & ValidRow;

interface First {
  file: ImportFile;
  found: FoundForImport;
  now: number;
  /** The prefix of the rows' keys; null: the call has no key. A caller's key never contains a space. */
  keyPrefix: string | null;
}

/**
 * The limits of a transaction: posts, and characters of their rows. The rows are one parameter, which has at most 2 MB
 * (developers.cloudflare.com/d1/platform/limits, read 2026-11-24) and also holds each text's words, escaped.
 */
const TOGETHER = 250;
const TOGETHER_LENGTH_MAX = 400_000;

export const importPosts: ReadThenRun<typeof contract, First> = {
  admit: limitImports,

  read(ctx, db, workspaceId, { body, query, idempotencyKey }) {
    const file = body.type === CSV ? readCsvFile(body.text) : readNdjsonFile(body.text);
    const now = ctx.now();
    const keyPrefix = idempotencyKey === null || query.dry_run ? null : `import ${idempotencyKey} `;
    const part = readForImport(db, workspaceId, { ids: fileIdsIn(file.rows), month: monthOf(now), keyPrefix });
    return { ...part, resultOf: (answers) => ({ file, found: part.resultOf(answers), now, keyPrefix }) };
  },

  async run(ctx, caller, { query }, first) {
    const { file, found, keyPrefix } = first;
    const { workspaceId } = caller;
    if (file.rows.length === 0) refuseUnlessWriter(caller);
    if (file.rows.some(({ body }) => body.draft === true)) refuseWithoutAbility(caller, "draft");
    const queued = file.rows.some(({ body }) => body.draft !== true)
      ? queuedBy(caller, found.workspace?.approval)
      : "scheduled";
    const statusOf = (body: PostBody) => (body.draft === true ? "draft" : queued);
    const { rows: judged, material } = await judgeAll(ctx, caller, first, statusOf);
    const isNew = (row: Judged): row is Valid => row.valid !== null;
    refuseBeyondPlan(caller, judged.filter(isNew), statusOf);
    const mayWrite = (all: Judged[]) =>
      !query.dry_run && (query.partial || all.every(({ violations }) => violations.length === 0));
    const files = new Set(judged.filter(isNew).flatMap(({ valid }) => valid.files.map(({ id }) => id))).size;
    if (mayWrite(judged) && files > 0) await limitMedia(ctx, workspaceId, files);
    const { rows: copied, forget } = mayWrite(judged)
      ? await judgeWithCopies(ctx, caller, judged, material)
      : { rows: judged, forget: async () => {} };
    const { rows, sentFiles } = mayWrite(copied)
      ? await adaptRows(ctx, copied, { statusOf, forget })
      : { rows: copied, sentFiles: new Map() };
    const written = mayWrite(rows)
      ? await writeAll(ctx, caller, rows.filter(isNew), { file, keyPrefix, statusOf, sentFiles }).catch(
          async (error: unknown) => {
            if (error instanceof Refusal) await forget(new Set());
            throw error;
          },
        )
      : new Map<Judged, Written>();
    const kept = rows.flatMap((row) => (written.get(row)?.post === undefined ? [] : (row.valid?.files ?? [])));
    await forget(new Set(kept.map(({ id }) => id)));
    const shown = rows.map((row) => {
      const { post, violations } = written.get(row) ?? { post: row.earlier, violations: row.violations };
      return {
        line: row.row.line,
        external_id: row.row.externalId,
        valid: violations.length === 0,
        violations: violations.slice(0, VIOLATIONS_MAX).map((one) => ({ ...one, ...columnIn(file, row.row, one) })),
        // The earlier call with this idempotency key may have used a key with other channels.
        post: post === undefined || !reachesPost(caller, post) ? null : postView(ctx, post),
      };
    });
    const valid = shown.filter((row) => row.valid).length;
    return {
      status: 200,
      body: {
        rows: shown,
        valid,
        invalid: shown.length - valid,
        created: shown.filter(({ post }) => post !== null).length,
      },
      replayed: rows.length > 0 && found.keys.length === rows.length,
    };
  },
};

/** Judges the rows of a file, except those that an earlier call with the same key has written. */
async function judgeAll(
  ctx: Context,
  caller: WorkspaceCaller,
  { file, found, now, keyPrefix }: First,
  statusOf: StatusOf,
): Promise<{ rows: Judged[]; material: ImportMaterial }> {
  const { workspaceId } = caller;
  const earlier =
    keyPrefix === null || found.keys.length === 0
      ? new Map<string, PostWithDeliveries>()
      : await postsOfKeys(ctx.databaseOf(workspaceId), workspaceId, keyPrefix);
  const uses = new Map(found.keys.map((use) => [use.key, use]));
  const material = await materialOf(ctx, caller, { file, statusOf }, found, now);
  const rows: Judged[] = [];
  for (const row of file.rows) {
    const key = keyPrefix === null ? null : `${keyPrefix}${row.line}`;
    const use = key === null ? undefined : uses.get(key);
    if (use !== undefined && use.fingerprint !== (await tagOf(row.body))) {
      throw refuse("idempotency_key_reused", { field: "Idempotency-Key" });
    }
    const judged =
      use === undefined ? await judgeRow(ctx, caller, row, material) : { row, violations: [], valid: null };
    rows.push({ ...judged, key, earlier: earlier.get(key ?? "") });
  }
  return { rows, material };
}

const tagOf = (body: object) => sha256Hex(canonicalJson(body));

function columnIn({ isCsv }: ImportFile, row: ImportRow, { field }: Violation): { column?: string } {
  const column = isCsv ? columnOf(row, field) : undefined;
  return column === undefined ? {} : { column };
}

/** Throws a 402 if the plan has no room for all rows: nothing is written then. */
function refuseBeyondPlan(caller: WorkspaceCaller, rows: Valid[], statusOf: StatusOf): void {
  const [first] = rows;
  if (first === undefined) return;
  const { checked } = first.valid;
  const drafts = rows.filter(({ valid }) => statusOf(valid.body) !== "scheduled");
  const allowed = postsAllowed(checked);
  if (drafts.length < rows.length && allowed !== null && checked.postsUsed + rows.length - drafts.length > allowed) {
    throw monthFull(checked, checked.postsUsed);
  }
  const spends = rows
    .filter(({ valid }) => statusOf(valid.body) === "scheduled")
    .map(({ valid }) => spendOf(valid.checked, caller));
  const cost = spends.reduce((sum, spend) => sum + spend.cost, 0);
  const overBudget = budgetFull(checked, { cost, budgets: spends[0]?.budgets ?? [] });
  if (overBudget !== null) throw overBudget;
  const bytes = drafts.reduce((sum, { valid }) => sum + draftBytes(postFields(valid.body)), 0);
  const full = draftLimit(checked.workspace, { drafts: drafts.length, bytes });
  if (full !== null) throw full;
}

/** Splits the rows into the groups that are written together. */
function partsOf(rows: Valid[]): Valid[][] {
  const parts: Valid[][] = [];
  let length = 0;
  for (const row of rows) {
    const own = JSON.stringify(row.row.body).length;
    const part = parts.at(-1);
    if (part === undefined || part.length === TOGETHER || length + own > TOGETHER_LENGTH_MAX) {
      parts.push([row]);
      length = own;
    } else {
      part.push(row);
      length += own;
    }
  }
  return parts;
}

interface Written {
  post: PostWithDeliveries | undefined;
  violations: Violation[];
}

interface Writing {
  file: ImportFile;
  keyPrefix: string | null;
  statusOf: StatusOf;
  /** The files that are published, for each row whose files are adapted. */
  sentFiles: ReadonlyMap<ImportRow, SentFile[]>;
}

async function writeAll(
  ctx: Context,
  caller: WorkspaceCaller,
  rows: Valid[],
  writing: Writing,
): Promise<Map<Judged, Written>> {
  const { workspaceId } = caller;
  const written = new Map<Judged, Written>();
  const due = new Map<number, number>();
  const waiting = rows.filter(({ valid }) => writing.statusOf(valid.body) === "awaiting_approval");
  const checkedOf = ({ valid }: Valid) => valid.checked;
  await sealUploads(ctx, waiting.map(checkedOf));
  // Inspecting, copying and sealing files took time since the call was judged.
  if (rows.some(({ valid }) => valid.checked.files.length > 0)) await refuseAfterWait(ctx, caller);
  for (const part of partsOf(rows)) {
    const found = await writeTogether(ctx, caller, part, writing);
    part.forEach((row, i) => {
      const post = found[i];
      written.set(row, { post, violations: [] });
      const { body, checked } = row.valid;
      // A post that waits for approval has nothing to send.
      const dueAt = writing.statusOf(body) === "scheduled" ? post?.post.dueAt : null;
      if (dueAt == null) return;
      for (const { lane } of checked.targets) due.set(lane, Math.min(due.get(lane) ?? dueAt, dueAt));
    });
    const entries = [...due].map(([lane, at]) => ({ lane, at }));
    if (entries.length > 0) ctx.later(ctx.publishers.arm(workspaceId, entries));
  }
  const unwritten = rows.filter((row) => written.get(row)?.post === undefined);
  const reasons = unwritten.length === 0 ? [] : await whyUnwritten(ctx, caller, unwritten, writing);
  unwritten.forEach((row, i) => {
    written.set(row, { post: undefined, violations: reasons[i] ?? [] });
  });
  return written;
}

/**
 * Writes some of the rows in one transaction, except those that another call with the same key has written in the
 * meantime. If the answer is lost, the rows are not written again here: the next call with this key finds them.
 */
async function writeTogether(ctx: Context, caller: WorkspaceCaller, rows: Valid[], writing: Writing) {
  const { workspaceId } = caller;
  const { keyPrefix } = writing;
  const db = ctx.databaseOf(workspaceId);
  let others = new Map<string, PostWithDeliveries>();
  for (;;) {
    const missing = rows.filter(({ key }) => !others.has(key ?? ""));
    const [first, ...rest] = await Promise.all(missing.map((row) => importedOf(ctx, caller, row, writing)));
    try {
      const made =
        first === undefined
          ? []
          : await ask(databaseToWrite(ctx, caller), writeImported(db, workspaceId, [first, ...rest]));
      const notify = new Set(made.flatMap((one) => one?.notify ?? []));
      if ([first, ...rest].some((one) => one !== undefined && one.post.news !== null)) {
        announce(ctx, workspaceId, [...notify]);
      }
      const found = rows.map((row) => others.get(row.key ?? "") ?? made[missing.indexOf(row)]?.written);
      if (keyPrefix === null || !found.includes(undefined)) return found;
      // The last places may have been taken by a call with the same key.
      others = await postsOfKeys(db, workspaceId, keyPrefix);
      return rows.map((row, i) => found[i] ?? others.get(row.key ?? ""));
    } catch (error) {
      if (keyPrefix === null || !violatesUnique(error, "idempotency_keys.workspace_id")) throw error;
      others = await postsOfKeys(db, workspaceId, keyPrefix);
    }
  }
}

async function importedOf(
  ctx: Context,
  caller: WorkspaceCaller,
  { valid, key, row }: Valid,
  { statusOf, sentFiles }: Writing,
): Promise<ImportedPost> {
  const { body, checked, files } = valid;
  const fields = postFields(body);
  const status = statusOf(body);
  const post = await rowsOf(ctx, caller, body, checked, {
    fields,
    status,
    key,
    slot: null,
    sentFiles: sentFiles.get(row) ?? null,
  });
  return { post: { ...post, key: key === null ? null : { key, fingerprint: await tagOf(row.body) } }, files };
}
