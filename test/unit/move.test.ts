import { getTableConfig } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import { MoveRefused, moveWorkspace } from "../../scripts/move/move.ts";
import { SETTINGS } from "../../scripts/move/settings.ts";
import type { Query } from "../../scripts/query.ts";
import { workspaces } from "../../src/store/db/schema.ts";
import { sqliteDatabase } from "../support/sqlite-database.ts";

const WORKSPACE = "ws_1";
const POSTS = 2_500;
/** The text of every tenth post. It makes some pages hold fewer rows than others. */
const LONG_TEXT = "ü".repeat(9_000);

/** Creates a workspace with its posts in the first of two databases. `onStatement` is called before each statement. */
function setUpMove(onStatement: (sql: string) => void = () => {}) {
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
        onStatement(sql);
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

it("moves every row of a workspace that fills several pages", async () => {
  let pages = 0;
  const { from, to, texts, move } = setUpMove((sql) => {
    if (sql.startsWith("INSERT OR IGNORE INTO posts (")) pages++;
  });
  const original = texts(from);
  await move();
  expect(pages).toBeGreaterThan(2);
  expect(texts(to)).toEqual(original);
  expect(texts(from)).toEqual([]);
});

it("moves the position at which the event feed continues after a restore", async () => {
  const { from, to, move } = setUpMove();
  from.exec("UPDATE workspaces SET feed_from = 1763000000000");
  await move();
  for (const db of [from, to])
    expect({ ...db.prepare("SELECT feed_from FROM workspaces").get() }).toEqual({ feed_from: 1_763_000_000_000 });
});

it("moves the setting that makes posts wait for approval", async () => {
  const { from, to, move } = setUpMove();
  from.exec("UPDATE workspaces SET approval = 'authors'");
  await move();
  expect({ ...to.prepare("SELECT approval FROM workspaces").get() }).toEqual({ approval: "authors" });
});

it("moves the budget, the rechecks and the four-eyes setting", async () => {
  const { from, to, move } = setUpMove();
  from.exec("UPDATE workspaces SET budget = 5000000, rechecks = 'off', four_eyes = 1");
  await move();
  const row = to.prepare("SELECT budget, rechecks, four_eyes FROM workspaces").get();
  expect({ ...row }).toEqual({ budget: 5_000_000, rechecks: "off", four_eyes: 1 });
});

it("every column of a workspace is either copied or listed as not copied", () => {
  const counters = ["staged_bytes", "drafts", "draft_bytes", "feed_from"];
  const accountColumns = [
    "id",
    "created_at",
    "home",
    "emptied_at",
    "external_id",
    "external_owner",
    "metadata",
    "require_factor",
    "media_fit",
    "brand",
  ];
  const columns = getTableConfig(workspaces).columns.map(({ name }) => name);
  expect([...SETTINGS, ...counters, ...accountColumns].sort()).toEqual(columns.sort());
});

it.each([
  ["before an interrupted move is resumed", "copy of posts"],
  ["while the rows are copied", "the comparison"],
  ["during the switch to the new database", "the switch"],
])("moves settings that change %s", async (_when, phase) => {
  let hasBrokenOff = false;
  let isChanged = false;
  const isComparing = (sql: string) => sql.startsWith("DELETE FROM published_counts");
  const { from, to, move } = setUpMove((sql) => {
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
  ["has a different text in its last page", "UPDATE posts SET text = 'other' WHERE id = 'post_999'"],
  ["lacks a row", "DELETE FROM posts WHERE id = 'post_2400'"],
  [
    "has an additional last row",
    `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, timezone, created_at, updated_at)
      VALUES ('${WORKSPACE}', 'post_z', 'draft', '', '[]', '[]', '{}', '{}', 'UTC', 0, 0)`,
  ],
])("refuses a copy that %s, and keeps the workspace in its database", async (_difference, change) => {
  let isChanged = false;
  const { from, to, texts, move } = setUpMove((sql) => {
    // This table is copied last; the comparison follows.
    if (isChanged || !sql.startsWith("DELETE FROM published_counts")) return;
    isChanged = true;
    for (const act of ["update", "delete", "insert"]) to.exec(`DROP TRIGGER moving_posts_${act}`);
    to.exec(change);
  });
  await expect(move()).rejects.toThrow(new MoveRefused("The copy of posts differs from the original."));
  expect(from.prepare("SELECT home FROM workspaces").get()).toEqual({ home: 0 });
  expect(texts(from)).toHaveLength(POSTS);
});
