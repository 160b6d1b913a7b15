// Finished posts leave the database for the archive: whole, once they are old, and whatever breaks off meanwhile.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { makeId } from "../../../src/domain/ids.ts";
import { type ArchivePlaces, archivePosts } from "../../../src/maintenance/archive-posts.ts";
import { deleteWorkspaceData } from "../../../src/maintenance/delete-workspace-data.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { countedDatabase } from "../../support/counted-db.ts";
import { testEnv } from "../../support/env.ts";
import { brokenInvariants } from "../../support/invariants.ts";
import { type Account, type ChannelBody, call, connect, signUp } from "../../support/world.ts";

const DAY = 86_400_000;
const BUCKET = testEnv.MEDIA ?? expect.fail("no bucket");

interface World extends Account {
  channel: ChannelBody;
}
interface Line {
  id: string;
  text: string;
  status: string;
  deliveries: { status: string; url: string | null; metrics: Record<string, number | null> | null }[];
}
interface Old {
  /** Since it was made, and since it finished. */
  days: number;
  state?: string;
  nextAt?: number;
  checkAt?: number;
  status?: string;
  text?: string;
}

let world: World;
beforeEach(async () => {
  const account = await signUp();
  world = { ...account, channel: await connect(account.key, "telegram") };
});
afterEach(async () => {
  await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(world.workspace).run();
});

/** Puts posts in place that were made long ago, each with a delivery and what was counted of it. Returns their ids. */
async function withPosts(posts: Old[]): Promise<string[]> {
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

interface RunParts {
  places?: ArchivePlaces;
  db?: D1Database;
  bucket?: R2Bucket;
  months?: string;
}
async function run({ places = { archive: at() }, db = testEnv.DB, bucket = BUCKET, months = "2" }: RunParts = {}) {
  const ctx = compose({ ...testEnv, DB: db, MEDIA: bucket, RETENTION_MONTHS: months }, () => {});
  await archivePosts(ctx, ctx.accounts, places);
}
/** Where the walk begins with the workspace of this test. */
const at = () => ({ workspaceId: world.workspace, postId: "" });

/** The posts of the workspace that are in the database. */
async function left(): Promise<string[]> {
  const { results } = await testEnv.DB.prepare("SELECT id FROM posts WHERE workspace_id = ? ORDER BY id")
    .bind(world.workspace)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
/** The files of its archive, with their lines. */
async function archive(): Promise<{ key: string; lines: Line[] }[]> {
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
async function judge(all: string[], stay: string[]): Promise<void> {
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

it("posts that finished longer ago than they are kept go, by workspace and month, with what was counted of them", async () => {
  const [first, second, third, young] = await withPosts([{ days: 100 }, { days: 100 }, { days: 70 }, { days: 61 }]);
  await testEnv.DB.prepare("INSERT INTO published_counts VALUES (?, ?, ?)")
    .bind(world.workspace, Math.floor(Date.now() / DAY) - 100, '{"telegram":2}')
    .run();
  await run();
  expect(await left()).toEqual([young]);
  const files = await archive();
  expect(files.flatMap(({ lines }) => lines.map(({ id }) => id)).sort()).toEqual([first, second, third].sort());
  const month = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 7);
  expect(files.map(({ key }) => key.split("/").slice(0, 3).join("/")).sort()).toEqual(
    [`archive/${world.workspace}/${month(100)}`, `archive/${world.workspace}/${month(70)}`].sort(),
  );
  expect(files[0]?.lines[0]).toMatchObject({
    workspace: world.workspace,
    status: "published",
    text: "said long ago",
    metadata: { n: "1" },
    deliveries: [{ status: "live", url: "https://t.me/x/1", network_id: "net", metrics: { views: 7, likes: null } }],
  });
  expect((await call("GET", `/v1/posts/${first}`, { token: world.key })).status).toBe(404);
  const days = testEnv.DB.prepare("SELECT COUNT(*) AS n FROM published_counts WHERE workspace_id = ?");
  expect(await days.bind(world.workspace).first("n")).toBe(1);
  await judge([first, second, third, young].map(String), [String(young)]);
});

it.each<[string, Old]>([
  ["is a draft", { days: 200, status: "draft" }],
  ["waits for its time", { days: 200, status: "scheduled", state: "pending", nextAt: Date.now() + DAY }],
  ["is tried again", { days: 200, status: "scheduled", state: "retry_wait", nextAt: Date.now() + DAY }],
  ["has a delivery that is still verified", { days: 200, checkAt: Date.now() + DAY }],
  ["has not finished long enough ago", { days: 61 }],
])("a post stays that %s", async (_, old) => {
  const [stays = "", goes = ""] = await withPosts([old, { days: 70 }]);
  await run();
  expect(await left()).toEqual([stays]);
  await judge([stays, goes], [stays]);
});

it.each([
  ["without RETENTION_MONTHS", { months: "" }],
  ["within the months", { months: "24" }],
])("nothing goes %s", async (_, parts) => {
  const ids = await withPosts([{ days: 500 }]);
  await run(parts);
  expect(await left()).toEqual(ids);
  expect(await archive()).toEqual([]);
});

it("nothing goes while there is no bucket", async () => {
  const ids = await withPosts([{ days: 500 }]);
  const ctx = compose({ ...testEnv, MEDIA: undefined, RETENTION_MONTHS: "2" }, () => {});
  await archivePosts(ctx, ctx.accounts, { archive: at() });
  expect(await left()).toEqual(ids);
});

/** A bucket of which one call goes wrong: before or after it has been carried out. */
function breakingBucket(call: number, committed: boolean): { bucket: R2Bucket; use: { calls: number } } {
  const use = { calls: 0 };
  const bucket = new Proxy(BUCKET, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...input: unknown[]) => {
        const breaks = ++use.calls === call;
        if (breaks && !committed) throw new Error("Network connection lost.");
        const answer: unknown = await Reflect.apply(value, target, input);
        if (breaks) throw new Error("Network connection lost.");
        return answer;
      };
    },
  });
  return { bucket, use };
}

describe("any call that breaks off", () => {
  const OLD: Old[] = [
    { days: 100 },
    { days: 100, status: "draft" },
    { days: 70 },
    { days: 70, checkAt: 1e15 },
    { days: 70 },
  ];

  /** Breaks each call in turn until a run makes fewer; after each, what is there is judged, and a later run finishes it. */
  async function breakEach(attempt: (call: number, committed: boolean) => Promise<{ calls: number }>): Promise<number> {
    for (let number = 1; ; number++) {
      for (const committed of [false, true]) {
        const ids = await withPosts(OLD);
        const stay = [ids[1] ?? "", ids[3] ?? ""];
        const { calls } = await attempt(number, committed);
        await judge(ids, stay);
        await run();
        await run();
        expect((await left()).filter((id) => ids.includes(id))).toEqual(stay);
        await judge(ids, stay);
        if (calls < number) return number;
      }
    }
  }

  it.each(["once", "dies"] as const)(
    "of the database (%s), nothing is lost, and a later sweep finishes it",
    async (how) => {
      const broken = await breakEach(async (number, committed) => {
        const { db, use, died } = breakingDatabase(testEnv.DB, { call: number, committed, how });
        await Promise.race([run({ db }).catch(() => {}), died]);
        return use;
      });
      expect(broken).toBeGreaterThan(5);
    },
  );

  it("of the bucket, nothing is lost, and a later sweep finishes it", async () => {
    const broken = await breakEach(async (number, committed) => {
      const { bucket, use } = breakingBucket(number, committed);
      await run({ bucket }).catch(() => {});
      return use;
    });
    expect(broken).toBeGreaterThan(2);
  });
});

/** A bucket that has `meanwhile` happen once a file is there and nothing is deleted yet. */
function bucketWith(meanwhile: () => Promise<unknown>): R2Bucket {
  let isOver = false;
  return new Proxy(BUCKET, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "put" || typeof value !== "function") return value;
      return async (...input: unknown[]) => {
        const answer: unknown = await Reflect.apply(value, target, input);
        if (!isOver) {
          isOver = true;
          await meanwhile();
        }
        return answer;
      };
    },
  });
}

it("a post that its owner retries while it is archived stays, with its neighbours; these go with the next sweep", async () => {
  const ids = await withPosts([{ days: 70 }, { days: 70, status: "failed", state: "failed" }, { days: 70 }]);
  const retried = ids[1] ?? "";
  const retry = async () => {
    const path = `/v1/posts/${retried}/deliveries/${world.channel.id}/retry`;
    const answer = await call("POST", path, { token: world.key, body: {} });
    expect(answer.status).toBeLessThan(300);
  };
  await run({ bucket: bucketWith(retry) });
  expect(await left()).toEqual(ids);
  await run();
  expect(await left()).toEqual([retried]);
  await judge(ids, [retried]);
});

it("two sweeps at once lose nothing", async () => {
  const ids = await withPosts(Array.from({ length: 30 }, () => ({ days: 70 })));
  // The other one finds more: what it writes is another file.
  const [more = ""] = await withPosts([{ days: 75 }]);
  await run({ bucket: bucketWith(() => run()) });
  expect(await left()).toEqual([]);
  await judge([...ids, more], []);
});

it("an erased workspace takes its archive along", async () => {
  await withPosts([{ days: 70 }]);
  await run();
  expect(await archive()).toHaveLength(1);
  expect((await call("DELETE", "/v1/auth/me", { token: world.session })).status).toBe(204);
  await deleteWorkspaceData(
    compose(testEnv, () => {}),
    world.workspace,
  );
  expect(await archive()).toEqual([]);
});

it("a sweep takes a bounded number, also of long posts, and the next one goes on where it was", async () => {
  const many = await withPosts(Array.from({ length: 450 }, (_, i) => ({ days: 300 - i / 10 })));
  const long: string[] = [];
  for (let i = 0; i < 12; i++) long.push(...(await withPosts([{ days: 100 - i / 10, text: "x".repeat(1024 * 1024) }])));
  const places: ArchivePlaces = { archive: at() };
  const { db, use } = countedDatabase(testEnv.DB);
  await run({ places, db });
  expect(use.roundTrips).toBeLessThanOrEqual(60);
  for (let sweeps = 0; sweeps < 10 && places.archive !== null; sweeps++) await run({ places });
  expect(await left()).toEqual([]);
  const files = await archive();
  for (const { lines } of files) expect(lines.length).toBeLessThanOrEqual(200);
  const withLong = files.filter(({ lines }) => lines.some(({ id }) => long.includes(id)));
  expect(withLong.length).toBeGreaterThanOrEqual(4);
  await judge([...many, ...long], []);
});

it("of workspaces that have nothing old a sweep reads no post, however many are young", async () => {
  await withPosts(Array.from({ length: 1_000 }, () => ({ days: 1 })));
  const { db, use } = countedDatabase(testEnv.DB);
  const before = await testEnv.DB.prepare("SELECT MAX(id) AS id FROM workspaces WHERE id < ?")
    .bind(world.workspace)
    .first("id");
  await run({ db, places: { archive: { workspaceId: String(before), postId: "" } } });
  expect(use.rowsWritten).toBe(0);
  expect(use.rowsRead).toBeLessThan(100);
});

it("the workspace keeps every promise afterwards", async () => {
  await withPosts([{ days: 100 }, { days: 100 }]);
  await run();
  expect(await left()).toEqual([]);
  await testEnv.DB.prepare("INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, ?, 2)")
    .bind(world.workspace, new Date(Date.now() - 100 * DAY).toISOString().slice(0, 7))
    .run();
  expect(await brokenInvariants(world.workspace)).toEqual([]);
});
