// Workers Free allows one invocation 50 statements and 50 calls, so a request takes at most 40 of each
// (`ACCOUNT_PLAN=free`). The nightly run makes all calls of the API within these limits. This file makes the largest
// ones.
import { expect, it } from "vitest";
import { limitDatabase } from "../../src/adapters/limited-database.ts";
import { asRefusal } from "../../src/adapters/refusal-response.ts";
import { makeId } from "../../src/domain/ids.ts";
import { RequestAllowance } from "../../src/domain/request-allowance.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { workspaces } from "../../src/store/db/schema.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { callOnPlan } from "../support/counted-call.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { isExtensive } from "../support/sampled.ts";
import { connect, post, signUp, uploadImage } from "../support/world.ts";
import { copyPost } from "./exported.ts";

const STATEMENTS_MAX = 40;

it("a post with fifty new files is written with as many statements as a post with one", async () => {
  const account = await signUp();
  const channels = await Promise.all(Array.from({ length: 5 }, () => connect(account.key, "telegram")));
  const files = await Promise.all(Array.from({ length: 50 }, () => uploadImage(account)));
  const ids = files.map(({ id }) => id);
  const overrides = channels.map(({ id }, i) => [id, { media: ids.slice(10 * i, 10 * (i + 1)) }] as const);
  const body = {
    text: "x",
    channels: channels.map(({ id }) => id),
    overrides: Object.fromEntries(overrides),
    publish_at: tomorrow(),
  };
  const answer = await callOnPlan("free", account, "POST", "/v1/posts", { body });
  const single = await callOnPlan("free", account, "POST", "/v1/posts", {
    body: { ...body, overrides: {}, media: [(await uploadImage(account)).id] },
  });
  expect([answer.status, single.status]).toEqual([201, 201]);
  expect(answer.statements).toBe(single.statements);
});

it("an import of 500 posts stays within the limit", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const rows = Array.from({ length: 500 }, (_, i) =>
    JSON.stringify({ text: `post ${i}`, channels: [channel.id], draft: true }),
  );
  const answer = await callOnPlan<{ created: number }>("free", account, "POST", "/v1/posts/import", {
    body: rows.join("\n"),
    type: "application/x-ndjson",
  });
  expect([answer.status, answer.json().created]).toEqual([200, 500]);
  expect(answer.statements).toBeLessThanOrEqual(STATEMENTS_MAX);
});

it("a large workspace is exported in several answers, each with a cursor for the next", async () => {
  const account = await signUp();
  await testEnv.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
     INSERT INTO events (workspace_id, seq, id, event, channel_id, dedupe_key, body, created_at)
     SELECT ?, 1000000 + i, 'evt_' || i, 'delivery.failed', 'ch_1', i, json_object('id', 'evt_' || i, 'event', 'delivery.failed'), 0 FROM n`,
  )
    .bind(account.workspace)
    .run();
  let [cursor, lines, answers] = ["", 0, 0];
  for (let next: string | null = ""; next !== null; answers++) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const answer = await callOnPlan("free", account, "GET", `/v1/export${query}`);
    expect(answer.status).toBe(200);
    expect(answer.statements).toBeLessThanOrEqual(STATEMENTS_MAX);
    const entries = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    lines += entries.filter(({ type }) => type === "event").length;
    next = entries.at(-1).next;
    cursor = next ?? "";
  }
  expect(lines).toBe(25_000);
  expect(answers).toBeGreaterThan(1);
});

it("an edit that always loses its race is refused as a conflict", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
  const racingDatabase = databaseVia(testEnv.DB, async (sql, act) => {
    if (/update "posts" set [^;]*"edited_by" = \?/.test(sql)) {
      await testEnv.DB.prepare("UPDATE posts SET revision = revision + 1 WHERE id = ?").bind(id).run();
    }
    return act();
  });
  const answer = await callOnPlan("free", account, "PATCH", `/v1/posts/${id}`, {
    body: { text: "y" },
    database: racingDatabase,
  });
  expect([answer.status, answer.json().error]).toEqual([409, "edit_conflict"]);
  expect(answer.statements).toBeLessThanOrEqual(STATEMENTS_MAX);
});

it("a statement beyond the limit is rejected before it reaches the database", async () => {
  const allowance = new RequestAllowance({ fetches: 2, statements: 3 });
  await allowance.take("statements", 3);
  await allowance.take("fetches", 2);
  await expect(allowance.take("statements", 1)).rejects.toMatchObject({ code: "too_much_for_free_plan", status: 422 });
});

it("a statement beyond the limit is reported as such, even if the database client wraps the error", async () => {
  const allowance = new RequestAllowance({ fetches: 0, statements: 0 });
  const db = openDatabase(limitDatabase(testEnv.DB, allowance));
  const failed: unknown = await db
    .select()
    .from(workspaces)
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ message: expect.stringContaining("Failed query") });
  expect(asRefusal(failed, "req_1")).toMatchObject({ code: "too_much_for_free_plan", status: 422 });
});

it.runIf(isExtensive)(
  "a table of 4,000 posts is returned completely, and a larger one is refused before its first row",
  async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const write = () => post(account.key, { text: "one of many", channels: [channel.id], publish_at: tomorrow() });
    await copyPost(account.workspace, (await write()).id, 3_999);
    const complete = await callOnPlan("free", account, "GET", "/v1/posts.csv");
    expect(complete.status).toBe(200);
    expect(complete.text.trimEnd().split("\r\n")).toHaveLength(4_001);
    await copyPost(account.workspace, (await write()).id, 5_000);
    const refused = await callOnPlan("free", account, "GET", "/v1/posts.csv");
    expect([refused.status, refused.json()]).toMatchObject([
      422,
      { error: "too_much_for_free_plan", hint: expect.stringContaining("`from` and `to`") },
    ]);
    const draftTable = await callOnPlan("free", account, "GET", "/v1/posts.csv?status=draft");
    expect([draftTable.status, draftTable.text]).toEqual([
      200,
      "id,status,due_at,platform,handle,text,labels,url,error\r\n",
    ]);
  },
);

it("an audit log that is too long for one answer is refused before its first row", async () => {
  const account = await signUp();
  const addEntries = (firstAt: number, rows: number) =>
    testEnv.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO workspace_audit (workspace_id, at, id, act, actor_kind, actor_name, details)
        SELECT ?2, ?3, ?4 || printf('%016d', i), 'slots.changed', 'person', 'Ada', '{}' FROM n`,
    )
      .bind(rows, account.workspace, firstAt, makeId("aud", firstAt, (bytes) => new Uint8Array(bytes)).slice(0, -16))
      .run();
  const [earlier, later] = [Date.parse("2026-10-01T00:00:00Z"), Date.parse("2026-11-01T00:00:00Z")];
  await addEntries(earlier, 999);
  await addEntries(later, 9_000);
  const refused = await callOnPlan("free", account, "GET", "/v1/audit.csv");
  expect([refused.status, refused.json()]).toMatchObject([422, { error: "too_much_for_free_plan" }]);
  const earlierLog = await callOnPlan("free", account, "GET", "/v1/audit.csv?to=2026-10-15T00:00:00Z");
  expect([earlierLog.status, earlierLog.text.trimEnd().split("\r\n").length]).toEqual([200, 1_000]);
});
