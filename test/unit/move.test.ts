// A workspace with more rows than one answer holds is moved whole, and a copy that differs anywhere is noticed.
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import { MoveRefused, moveWorkspace } from "../../scripts/move/move.ts";
import { SETTINGS } from "../../scripts/move/settings.ts";
import type { Query } from "../../scripts/query.ts";
import { workspaces } from "../../src/store/db/schema.ts";
import { sqliteDatabase } from "../support/sqlite-database.ts";

const WORKSPACE = "ws_1";
const POSTS = 2_500;
/** Of every tenth post, so that some pages end before they have as many rows as others. */
const LONG_TEXT = "ü".repeat(9_000);

/** A workspace with its posts in the first of two databases; `before` is told each statement. */
function world(before: (sql: string) => void = () => {}) {
  const databases = [sqliteDatabase(), sqliteDatabase()].map(({ raw }) => raw);
  const [from, to] = databases;
  if (from === undefined || to === undefined) throw new Error("there are two");
  from.prepare("INSERT INTO workspaces (id, name, plan, created_at) VALUES (?, 'Ada', 'unlimited', 0)").run(WORKSPACE);
  const post = from.prepare(
    `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, due_at, timezone, created_at, updated_at)
      VALUES (?, ?, 'published', ?, '[]', '[]', '{}', '{}', ?, 'UTC', 0, 0)`,
  );
  from.exec("BEGIN");
  for (let i = 0; i < POSTS; i++) post.run(WORKSPACE, `post_${i}`, i % 10 === 0 ? LONG_TEXT : `text ${i}`, i);
  from.exec("COMMIT");
  const queries = databases.map(
    (raw): Query =>
      async (sql, ...parameters) => {
        before(sql);
        return raw.prepare(sql).all(...parameters);
      },
  );
  const texts = (raw: typeof from) => raw.prepare("SELECT id, text, due_at FROM posts ORDER BY id").all();
  return {
    from,
    to,
    texts,
    move: () =>
      moveWorkspace({ workspace: WORKSPACE, databases: queries, target: 1, tell() {}, async letReadsEnd() {} }),
  };
}

it("moves every row, however many pages they fill", async () => {
  let pages = 0;
  const { from, to, texts, move } = world((sql) => {
    if (sql.startsWith("INSERT OR IGNORE INTO posts (")) pages++;
  });
  const wanted = texts(from);
  await move();
  expect(pages).toBeGreaterThan(2);
  expect(texts(to)).toEqual(wanted);
  expect(texts(from)).toEqual([]);
});

it("takes along where the event feed goes on after a restore", async () => {
  const { from, to, move } = world();
  from.exec("UPDATE workspaces SET feed_from = 1763000000000");
  await move();
  for (const db of [from, to])
    expect({ ...db.prepare("SELECT feed_from FROM workspaces").get() }).toEqual({ feed_from: 1_763_000_000_000 });
});

it("takes along whose posts wait for approval, so that no post of theirs goes out meanwhile", async () => {
  const { from, to, move } = world();
  from.exec("UPDATE workspaces SET approval = 'authors'");
  await move();
  expect({ ...to.prepare("SELECT approval FROM workspaces").get() }).toEqual({ approval: "authors" });
});

it("takes along what a month may cost and how often live posts are looked at again", async () => {
  const { from, to, move } = world();
  from.exec("UPDATE workspaces SET budget = 5000000, rechecks = 'off', four_eyes = 1");
  await move();
  const row = to.prepare("SELECT budget, rechecks, four_eyes FROM workspaces").get();
  expect({ ...row }).toEqual({ budget: 5_000_000, rechecks: "off", four_eyes: 1 });
});

it("knows of every column of a workspace whether it is copied", () => {
  const counters = ["staged_bytes", "drafts", "draft_bytes", "feed_from"];
  const ofAccounts = ["id", "created_at", "home", "emptied_at", "require_factor", "media_fit"];
  const columns = getTableConfig(workspaces).columns.map(({ name }) => name);
  expect([...SETTINGS, ...counters, ...ofAccounts].sort()).toEqual(columns.sort());
});

it.each([
  ["before a move that broke off is taken up", "copy of posts"],
  ["while its rows are copied", "the comparison"],
  ["while it goes over", "the switch"],
])("takes along settings that change %s", async (_when, phase) => {
  let hasBrokenOff = false;
  let isChanged = false;
  const isComparing = (sql: string) => sql.startsWith("DELETE FROM published_counts");
  const { from, to, move } = world((sql) => {
    if (phase === "copy of posts" && !hasBrokenOff && sql.startsWith("INSERT OR IGNORE INTO posts (")) {
      hasBrokenOff = true;
      throw new Error("broken off");
    }
    const isSwitching = sql.startsWith("UPDATE workspaces SET home");
    if (isChanged || !(phase === "the comparison" ? isComparing(sql) : phase === "the switch" && isSwitching)) return;
    isChanged = true;
    from.exec("UPDATE workspaces SET approval = 'all', plan = 'free'");
  });
  if (phase === "copy of posts") {
    await expect(move()).rejects.toThrow("broken off");
    from.exec("UPDATE workspaces SET approval = 'all', plan = 'free'");
  }
  await move();
  expect({ ...to.prepare("SELECT approval, plan FROM workspaces").get() }).toEqual({ approval: "all", plan: "free" });
});

it.each([
  ["has another text in its last page", "UPDATE posts SET text = 'other' WHERE id = 'post_999'"],
  ["lacks a row", "DELETE FROM posts WHERE id = 'post_2400'"],
  [
    "has a row more behind all others",
    `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, timezone, created_at, updated_at)
      VALUES ('${WORKSPACE}', 'post_z', 'draft', '', '[]', '[]', '{}', '{}', 'UTC', 0, 0)`,
  ],
])("refuses a copy that %s, and the workspace stays where it is", async (_what, change) => {
  let isChanged = false;
  const { from, to, texts, move } = world((sql) => {
    // The last table that is copied: what comes then is the comparison.
    if (isChanged || !sql.startsWith("DELETE FROM published_counts")) return;
    isChanged = true;
    for (const act of ["update", "delete", "insert"]) to.exec(`DROP TRIGGER moving_posts_${act}`);
    to.exec(change);
  });
  await expect(move()).rejects.toThrow(new MoveRefused("The copy of posts differs from the original."));
  expect(from.prepare("SELECT home FROM workspaces").get()).toEqual({ home: 0 });
  expect(texts(from)).toHaveLength(POSTS);
});
