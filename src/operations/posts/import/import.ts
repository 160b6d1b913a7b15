// Imports a file of posts. Every row is judged before the first is written, and each is written under its own
// idempotency key, so an interrupted file can be sent again and continues where it stopped.
import { sha256Hex } from "../../../adapters/digest.ts";
import type { Context } from "../../../context.ts";
import { CSV, type importPosts as contract } from "../../../contract/import-posts.ts";
import { violatesUnique } from "../../../domain/database-fault.ts";
import { formatMonth } from "../../../domain/instant.ts";
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
import { budgetFull, computeSpend } from "../budget.ts";
import { postsAllowed } from "../check.ts";
import { buildNewPost, monthFull } from "../create.ts";
import { draftLimit } from "../draft-limit.ts";
import { postFields } from "../post-fields.ts";
import { announce, queuedBy, refuseUnlessWriter } from "../queue.ts";
import type { PostBody } from "../read-for-check.ts";
import { sealUploads } from "../seal-uploads.ts";
import { adaptRows } from "./adapt-rows.ts";
import { judgeWithCopies } from "./copy-rows.ts";
import { type ImportMaterial, type JudgedRow, judgeRow, type ValidRow } from "./judge.ts";
import { buildMaterial, fileIdsIn } from "./material.ts";
import { findColumn, readCsvFile } from "./read-csv-file.ts";
import { readNdjsonFile } from "./read-ndjson-file.ts";
import type { ImportFile, ImportRow, StatusOf } from "./row.ts";
import { splitIntoBatches } from "./split-into-batches.ts";
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

export const importPosts: ReadThenRun<typeof contract, First> = {
  admit: limitImports,

  read(ctx, db, workspaceId, { body, query, idempotencyKey }) {
    const file = body.type === CSV ? readCsvFile(body.text) : readNdjsonFile(body.text);
    const now = ctx.now();
    const keyPrefix = idempotencyKey === null || query.dry_run ? null : `import ${idempotencyKey} `;
    const importQuery = readForImport(db, workspaceId, {
      ids: fileIdsIn(file.rows),
      month: formatMonth(now),
      keyPrefix,
    });
    return { ...importQuery, resultOf: (answers) => ({ file, found: importQuery.resultOf(answers), now, keyPrefix }) };
  },

  async run(ctx, caller, { query }, first) {
    const { file, found, keyPrefix } = first;
    const { workspaceId } = caller;
    if (file.rows.length === 0) refuseUnlessWriter(caller);
    if (file.rows.some(({ body }) => body.draft === true)) refuseWithoutAbility(caller, "draft");
    const queued = file.rows.some(({ body }) => body.draft !== true)
      ? queuedBy(caller, found.workspace?.approval)
      : "scheduled";
    const getStatus = (body: PostBody) => (body.draft === true ? "draft" : queued);
    const { rows: judgedRows, material } = await judgeAll(ctx, caller, first, getStatus);
    const isNew = (row: Judged): row is Valid => row.valid !== null;
    refuseBeyondPlan(caller, judgedRows.filter(isNew), getStatus);
    const mayWrite = (candidates: Judged[]) =>
      !query.dry_run && (query.partial || candidates.every(({ violations }) => violations.length === 0));
    const files = new Set(judgedRows.filter(isNew).flatMap(({ valid }) => valid.files.map(({ id }) => id))).size;
    if (mayWrite(judgedRows) && files > 0) await limitMedia(ctx, workspaceId, files);
    const { rows: copied, forget } = mayWrite(judgedRows)
      ? await judgeWithCopies(ctx, caller, judgedRows, material)
      : { rows: judgedRows, forget: async () => {} };
    const { rows, sentFiles } = mayWrite(copied)
      ? await adaptRows(ctx, copied, { statusOf: getStatus, forget })
      : { rows: copied, sentFiles: new Map() };
    const results = mayWrite(rows)
      ? await writeAll(ctx, caller, rows.filter(isNew), { file, keyPrefix, statusOf: getStatus, sentFiles }).catch(
          async (error: unknown) => {
            if (error instanceof Refusal) await forget(new Set());
            throw error;
          },
        )
      : new Map<Judged, Written>();
    const keptFiles = rows.flatMap((row) => (results.get(row)?.post === undefined ? [] : (row.valid?.files ?? [])));
    await forget(new Set(keptFiles.map(({ id }) => id)));
    const rowViews = rows.map((row) => {
      const { post, violations } = results.get(row) ?? { post: row.earlier, violations: row.violations };
      return {
        line: row.row.line,
        external_id: row.row.externalId,
        valid: violations.length === 0,
        violations: violations
          .slice(0, VIOLATIONS_MAX)
          .map((violation) => ({ ...violation, ...columnIn(file, row.row, violation) })),
        // The earlier call with this idempotency key may have used a key with other channels.
        post: post === undefined || !reachesPost(caller, post) ? null : postView(ctx, post),
      };
    });
    const valid = rowViews.filter((row) => row.valid).length;
    return {
      status: 200,
      body: {
        rows: rowViews,
        valid,
        invalid: rowViews.length - valid,
        created: rowViews.filter(({ post }) => post !== null).length,
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
  const material = await buildMaterial(ctx, caller, { file, statusOf }, found, now);
  const rows: Judged[] = [];
  for (const row of file.rows) {
    const key = keyPrefix === null ? null : `${keyPrefix}${row.line}`;
    const use = key === null ? undefined : uses.get(key);
    if (use !== undefined && use.fingerprint !== (await hashBody(row.body))) {
      throw refuse("idempotency_key_reused", { field: "Idempotency-Key" });
    }
    const judgment =
      use === undefined ? await judgeRow(ctx, caller, row, material) : { row, violations: [], valid: null };
    rows.push({ ...judgment, key, earlier: earlier.get(key ?? "") });
  }
  return { rows, material };
}

const hashBody = (body: object) => sha256Hex(canonicalJson(body));

function columnIn({ isCsv }: ImportFile, row: ImportRow, { field }: Violation): { column?: string } {
  const column = isCsv ? findColumn(row, field) : undefined;
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
    .map(({ valid }) => computeSpend(valid.checked, caller));
  const cost = spends.reduce((sum, spend) => sum + spend.cost, 0);
  const overBudget = budgetFull(checked, { cost, budgets: spends[0]?.budgets ?? [] });
  if (overBudget !== null) throw overBudget;
  const bytes = drafts.reduce((sum, { valid }) => sum + draftBytes(postFields(valid.body)), 0);
  const full = draftLimit(checked.workspace, { drafts: drafts.length, bytes });
  if (full !== null) throw full;
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
  const results = new Map<Judged, Written>();
  const due = new Map<number, number>();
  const waiting = rows.filter(({ valid }) => writing.statusOf(valid.body) === "awaiting_approval");
  const getChecked = ({ valid }: Valid) => valid.checked;
  await sealUploads(ctx, waiting.map(getChecked));
  // Inspecting, copying and sealing files took time since the call was judged.
  if (rows.some(({ valid }) => valid.checked.files.length > 0)) await refuseAfterWait(ctx, caller);
  for (const group of splitIntoBatches(rows)) {
    const posts = await writeTogether(ctx, caller, group, writing);
    group.forEach((row, i) => {
      const post = posts[i];
      results.set(row, { post, violations: [] });
      const { body, checked } = row.valid;
      // A post that waits for approval has nothing to send.
      const dueAt = writing.statusOf(body) === "scheduled" ? post?.post.dueAt : null;
      if (dueAt == null) return;
      for (const { lane } of checked.targets) due.set(lane, Math.min(due.get(lane) ?? dueAt, dueAt));
    });
    const entries = [...due].map(([lane, dueAt]) => ({ lane, at: dueAt }));
    if (entries.length > 0) ctx.later(ctx.publishers.arm(workspaceId, entries));
  }
  const unwritten = rows.filter((row) => results.get(row)?.post === undefined);
  const reasons = unwritten.length === 0 ? [] : await whyUnwritten(ctx, caller, unwritten, writing);
  unwritten.forEach((row, i) => {
    results.set(row, { post: undefined, violations: reasons[i] ?? [] });
  });
  return results;
}

/**
 * Writes some of the rows in one transaction, except those that another call with the same key has written in the
 * meantime. If the answer is lost, the rows are not written again here: the next call with this key finds them.
 */
async function writeTogether(ctx: Context, caller: WorkspaceCaller, rows: Valid[], writing: Writing) {
  const { workspaceId } = caller;
  const { keyPrefix } = writing;
  const db = ctx.databaseOf(workspaceId);
  let postsByKey = new Map<string, PostWithDeliveries>();
  for (;;) {
    const missing = rows.filter(({ key }) => !postsByKey.has(key ?? ""));
    const [first, ...otherImports] = await Promise.all(
      missing.map((row) => buildImportedPost(ctx, caller, row, writing)),
    );
    try {
      const results =
        first === undefined
          ? []
          : await ask(databaseToWrite(ctx, caller), writeImported(db, workspaceId, [first, ...otherImports]));
      const notify = new Set(results.flatMap((result) => result?.notify ?? []));
      if (
        [first, ...otherImports].some((importedPost) => importedPost !== undefined && importedPost.post.news !== null)
      ) {
        announce(ctx, workspaceId, [...notify]);
      }
      const posts = rows.map((row) => postsByKey.get(row.key ?? "") ?? results[missing.indexOf(row)]?.written);
      if (keyPrefix === null || !posts.includes(undefined)) return posts;
      // The last places may have been taken by a call with the same key.
      postsByKey = await postsOfKeys(db, workspaceId, keyPrefix);
      return rows.map((row, i) => posts[i] ?? postsByKey.get(row.key ?? ""));
    } catch (error) {
      if (keyPrefix === null || !violatesUnique(error, "idempotency_keys.workspace_id")) throw error;
      postsByKey = await postsOfKeys(db, workspaceId, keyPrefix);
    }
  }
}

async function buildImportedPost(
  ctx: Context,
  caller: WorkspaceCaller,
  { valid, key, row }: Valid,
  { statusOf, sentFiles }: Writing,
): Promise<ImportedPost> {
  const { body, checked, files } = valid;
  const fields = postFields(body);
  const status = statusOf(body);
  const post = await buildNewPost(ctx, caller, body, checked, {
    fields,
    status,
    key,
    slot: null,
    sentFiles: sentFiles.get(row) ?? null,
  });
  return { post: { ...post, key: key === null ? null : { key, fingerprint: await hashBody(row.body) } }, files };
}
