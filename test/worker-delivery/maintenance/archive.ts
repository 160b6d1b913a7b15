// Creates old posts, and runs the sweep that archives them.
import { afterEach, beforeEach, expect } from "vitest";
import { compose } from "../../../src/compose.ts";
import { makeId } from "../../../src/domain/ids.ts";
import { type ArchiveCursors, archivePosts } from "../../../src/maintenance/archive-posts.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, type ChannelBody, connect, signUp } from "../../support/world.ts";

export const DAY = 86_400_000;
export const BUCKET = testEnv.MEDIA ?? expect.fail("no bucket");

export interface World extends Account {
  channel: ChannelBody;
}
export interface Line {
  id: string;
  text: string;
  status: string;
  comments: { text: string; by: string }[];
  deliveries: { status: string; url: string | null; figures: Record<string, { value: number }> }[];
}
export interface OldPost {
  /** Days since the post was created and finished. */
  days: number;
  state?: string;
  nextAt?: number;
  checkAt?: number;
  status?: string;
  text?: string;
}

export let world: World;
/** Creates a workspace for each test of the calling file. */
export function withWorld(): void {
  beforeEach(async () => {
    const account = await signUp();
    world = { ...account, channel: await connect(account.key, "telegram") };
  });
  afterEach(async () => {
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(world.workspace).run();
  });
}

/** Inserts posts that were created long ago, each with a delivery and its metrics. Returns their ids. */
export async function insertPosts(posts: OldPost[]): Promise<string[]> {
  const { workspace, channel } = world;
  const rows = posts.map(({ days, state = "live", status = "published", text = "said long ago", ...times }, i) => {
    const createdAt = Date.now() - days * DAY + i;
    const entropy = (length: number) => crypto.getRandomValues(new Uint8Array(length));
    return {
      id: makeId("post", createdAt, entropy),
      at: createdAt,
      state,
      status,
      text,
      nextAt: null,
      checkAt: null,
      ...times,
    };
  });
  const json = JSON.stringify(rows);
  const value = (name: string) => `(value ->> '${name}')`;
  const finishedAt = `iif(${value("status")} IN ('scheduled', 'draft'), NULL, ${value("at")})`;
  const insert = (sql: string) => testEnv.DB.prepare(`${sql} FROM json_each(?3)`).bind(workspace, channel.id, json);
  await testEnv.DB.batch([
    insert(`INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at,
      timezone, idempotency_key, counted_month, created_at, updated_at, finished_at)
      SELECT ?1, ${value("id")}, ${value("status")}, ${value("text")}, '["med_1"]', json_array(?2), '{}', '{"n":"1"}',
        ${value("at")}, ${value("at")}, 'UTC', ${value("id")}, strftime('%Y-%m', ${value("at")} / 1000, 'unixepoch'),
        ${value("at")}, ${value("at")}, ${finishedAt}`),
    insert(`INSERT INTO deliveries (workspace_id, post_id, channel_id, id, platform, state, version, fencing_token,
      scheduled_for, sends, started_at, published_at, network_post, next_at, check_at)
      SELECT ?1, ${value("id")}, ?2, 'dlv_' || ${value("id")}, 'telegram', ${value("state")}, 3, 1, ${value("at")},
        json_array(json_object('fencing_token', 1, 'sent_at', ${value("at")}, 'answered_at', ${value("at")})), ${value("at")},
        ${value("at")}, json_object('id', 'net', 'url', 'https://t.me/x/1', 'urlState', 'none'), ${value("nextAt")}, ${value("checkAt")}`),
    insert(`INSERT INTO measurements (workspace_id, post_id, channel_id, platform, day, measured_at, views)
      SELECT ?1, ${value("id")}, ?2, 'telegram', ${value("at")} / ${DAY}, ${value("at")}, 7`),
    insert(`INSERT INTO media_uses SELECT ?1, 'med_' || ?2, ${value("id")}, ${finishedAt}`),
    insert(`INSERT INTO idempotency_keys SELECT ?1, ${value("id")}, ${value("id")}, 'print', ${value("at")}, NULL`),
  ]);
  return rows.map(({ id }) => id);
}

export interface RunOptions {
  cursors?: ArchiveCursors;
  db?: D1Database;
  bucket?: R2Bucket;
  months?: string;
}
export async function runArchive({
  cursors = { archive: startOfWorkspace() },
  db = testEnv.DB,
  bucket = BUCKET,
  months = "2",
}: RunOptions = {}) {
  const ctx = compose({ ...testEnv, DB: db, MEDIA: bucket, RETENTION_MONTHS: months }, () => {});
  await archivePosts(ctx, ctx.accounts, cursors);
}
/** The position at which the walk reaches this test's workspace. */
export const startOfWorkspace = () => ({ workspaceId: world.workspace, postId: "" });

let insertedComments = 0;
/** Stores a comment by a visitor of a portal, newer than the earlier ones. */
export async function insertComment(postId: string, text: string): Promise<void> {
  await testEnv.DB.prepare("INSERT INTO comments VALUES (?, ?, ?, ?, ?, ?)")
    .bind(
      world.workspace,
      makeId("cmt", Date.now() + insertedComments++, (length) => crypto.getRandomValues(new Uint8Array(length))),
      postId,
      text,
      JSON.stringify({ kind: "reviewer", id: null, name: "Clara" }),
      Date.now(),
    )
    .run();
}

/** The ids of the workspace's posts in the database. */
export async function getPostIds(): Promise<string[]> {
  const { results } = await testEnv.DB.prepare("SELECT id FROM posts WHERE workspace_id = ? ORDER BY id")
    .bind(world.workspace)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
/** The files of the workspace's archive, with their lines. */
export async function readArchive(): Promise<{ key: string; lines: Line[] }[]> {
  const { objects } = await BUCKET.list({ prefix: `archive/${world.workspace}/` });
  return Promise.all(
    objects.map(async ({ key }) => {
      const text = (await (await BUCKET.get(key))?.text()) ?? "";
      expect(text.endsWith("\n")).toBe(true);
      return {
        key,
        lines: text
          .trimEnd()
          .split("\n")
          .map((line): Line => JSON.parse(line)),
      };
    }),
  );
}
const getArchivedIds = async () => new Set((await readArchive()).flatMap(({ lines }) => lines.map(({ id }) => id)));

/**
 * Checks that every post is in the database or in the archive, that the posts in `staying` are in the database, and
 * that no row is left of archived posts.
 */
export async function checkPosts(ids: string[], staying: string[]): Promise<void> {
  const [rowIds, archivedIds] = [await getPostIds(), await getArchivedIds()];
  expect(ids.filter((id) => !rowIds.includes(id) && !archivedIds.has(id))).toEqual([]);
  expect(rowIds).toEqual(expect.arrayContaining(staying));
  for (const table of ["deliveries", "measurements", "media_uses", "idempotency_keys", "comments"]) {
    const { results } = await testEnv.DB.prepare(`SELECT DISTINCT post_id AS id FROM ${table} WHERE workspace_id = ?`)
      .bind(world.workspace)
      .all<{ id: string }>();
    expect(
      results.map(({ id }) => id).filter((id) => !rowIds.includes(id)),
      table,
    ).toEqual([]);
  }
}
