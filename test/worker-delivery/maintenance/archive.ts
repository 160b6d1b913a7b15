// Old posts, and the sweep that takes them to the archive.
import { afterEach, beforeEach, expect } from "vitest";
import { compose } from "../../../src/compose.ts";
import { makeId } from "../../../src/domain/ids.ts";
import { type ArchivePlaces, archivePosts } from "../../../src/maintenance/archive-posts.ts";
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
  deliveries: { status: string; url: string | null; figures: Record<string, { value: number }> }[];
}
export interface Old {
  /** Since it was made, and since it finished. */
  days: number;
  state?: string;
  nextAt?: number;
  checkAt?: number;
  status?: string;
  text?: string;
}

export let world: World;
/** A workspace for each test of the file that calls it. */
export function withWorld(): void {
  beforeEach(async () => {
    const account = await signUp();
    world = { ...account, channel: await connect(account.key, "telegram") };
  });
  afterEach(async () => {
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(world.workspace).run();
  });
}

/** Puts posts in place that were made long ago, each with a delivery and what was counted of it. Returns their ids. */
export async function withPosts(posts: Old[]): Promise<string[]> {
  const { workspace, channel } = world;
  const made = posts.map(({ days, state = "live", status = "published", text = "said long ago", ...times }, i) => {
    const at = Date.now() - days * DAY + i;
    const entropy = (length: number) => crypto.getRandomValues(new Uint8Array(length));
    return { id: makeId("post", at, entropy), at, state, status, text, nextAt: null, checkAt: null, ...times };
  });
  const rows = JSON.stringify(made);
  const value = (name: string) => `(value ->> '${name}')`;
  const ended = `iif(${value("status")} IN ('scheduled', 'draft'), NULL, ${value("at")})`;
  const insert = (sql: string) => testEnv.DB.prepare(`${sql} FROM json_each(?3)`).bind(workspace, channel.id, rows);
  await testEnv.DB.batch([
    insert(`INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at,
      timezone, idempotency_key, counted_month, created_at, updated_at, finished_at)
      SELECT ?1, ${value("id")}, ${value("status")}, ${value("text")}, '["med_1"]', json_array(?2), '{}', '{"n":"1"}',
        ${value("at")}, ${value("at")}, 'UTC', ${value("id")}, strftime('%Y-%m', ${value("at")} / 1000, 'unixepoch'),
        ${value("at")}, ${value("at")}, ${ended}`),
    insert(`INSERT INTO deliveries (workspace_id, post_id, channel_id, id, platform, position, state, version, fencing_token,
      scheduled_for, attempts, sends, started_at, sent_at, published_at, net_post_id, url, next_at, check_at)
      SELECT ?1, ${value("id")}, ?2, 'dlv_' || ${value("id")}, 'telegram', 0, ${value("state")}, 3, 1, ${value("at")}, 1,
        json_array(json_object('fencing_token', 1, 'sent_at', ${value("at")}, 'answered_at', ${value("at")})), ${value("at")},
        ${value("at")}, ${value("at")}, 'net', 'https://t.me/x/1', ${value("nextAt")}, ${value("checkAt")}`),
    insert(`INSERT INTO measurements (workspace_id, post_id, channel_id, platform, day, measured_at, views)
      SELECT ?1, ${value("id")}, ?2, 'telegram', ${value("at")} / ${DAY}, ${value("at")}, 7`),
    insert(`INSERT INTO media_uses SELECT ?1, 'med_' || ?2, ${value("id")}, ${ended}`),
    insert(`INSERT INTO idempotency_keys SELECT ?1, ${value("id")}, ${value("id")}, 'print', ${value("at")}, NULL`),
  ]);
  return made.map(({ id }) => id);
}

export interface RunParts {
  places?: ArchivePlaces;
  db?: D1Database;
  bucket?: R2Bucket;
  months?: string;
}
export async function run({
  places = { archive: at() },
  db = testEnv.DB,
  bucket = BUCKET,
  months = "2",
}: RunParts = {}) {
  const ctx = compose({ ...testEnv, DB: db, MEDIA: bucket, RETENTION_MONTHS: months }, () => {});
  await archivePosts(ctx, ctx.accounts, places);
}
/** Where the walk begins with the workspace of this test. */
export const at = () => ({ workspaceId: world.workspace, postId: "" });

/** The posts of the workspace that are in the database. */
export async function left(): Promise<string[]> {
  const { results } = await testEnv.DB.prepare("SELECT id FROM posts WHERE workspace_id = ? ORDER BY id")
    .bind(world.workspace)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
/** The files of its archive, with their lines. */
export async function archive(): Promise<{ key: string; lines: Line[] }[]> {
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
const archived = async () => new Set((await archive()).flatMap(({ lines }) => lines.map(({ id }) => id)));

/** Every post is in the database or in the archive, those that may not go are in the database, and nothing is left of the others. */
export async function judge(all: string[], stay: string[]): Promise<void> {
  const [here, there] = [await left(), await archived()];
  expect(all.filter((id) => !here.includes(id) && !there.has(id))).toEqual([]);
  expect(here).toEqual(expect.arrayContaining(stay));
  for (const table of ["deliveries", "measurements", "media_uses", "idempotency_keys"]) {
    const { results } = await testEnv.DB.prepare(`SELECT DISTINCT post_id AS id FROM ${table} WHERE workspace_id = ?`)
      .bind(world.workspace)
      .all<{ id: string }>();
    expect(
      results.map(({ id }) => id).filter((id) => !here.includes(id)),
      table,
    ).toEqual([]);
  }
}
