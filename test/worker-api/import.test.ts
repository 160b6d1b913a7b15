// Posts that are imported from a table: the format of a row, and that no post is created twice.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { app } from "../../src/http/app.ts";
import { breakingDatabase } from "../support/breaking-db.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { call, connect, getPost, signUp } from "../support/world.ts";
import { setApproval } from "./approvals.ts";
import { type Imported, importFile, listPosts, localTimeInDays, openWorkspace } from "./imported.ts";
import { listReceived, registerEndpoint, waitForAttempts } from "./webhook-endpoint.ts";

describe("a CSV file", () => {
  it("a CSV file creates posts with channels by id, handle or platform, files by address, labels, and the caller's own ids", async () => {
    const { key, channel } = await openWorkspace();
    const { id: blueskyId } = await connect(key, "bluesky");
    const file = [
      "text,channels,publish_at,media_urls,alt,labels,external_id",
      `"Hello, world",telegram|${blueskyId},${localTimeInDays(1)},,,winter|sale,A-1`,
      `Look,${channel.handle},${localTimeInDays(2)}Z,https://example.com/a.jpg?x=1|https://example.com/b.png,first|second,,`,
    ].join("\n");
    const dry = await importFile(key, file, { query: "?dry_run=true" });
    expect(dry).toMatchObject({ status: 200, body: { valid: 2, invalid: 0, created: 0 } });
    expect(dry.body.rows.map(({ violations }) => violations)).toEqual([[], []]);
    expect(await listPosts(key)).toEqual([]);
    const result = await importFile(key, file);
    expect(result.body).toMatchObject({
      created: 2,
      rows: [
        {
          line: 2,
          external_id: "A-1",
          post: { text: "Hello, world", channels: [channel.id, blueskyId], labels: ["winter", "sale"] },
        },
        { line: 3, external_id: null, post: { text: "Look", status: "scheduled" } },
      ],
    });
    const second = result.body.rows[1]?.post;
    expect(second?.media).toHaveLength(2);
    const media = await call("GET", `/v1/media/${second?.media[1]}`, { token: key });
    expect(media.body).toMatchObject({
      url: "https://example.com/b.png",
      kind: "image",
      alt: "second",
      state: "registered",
    });
    expect(await getPost(key, result.body.rows[0]?.post?.id ?? "")).toMatchObject({ metadata: { external_id: "A-1" } });
  });

  it("a CSV file may have the format of a spreadsheet: a byte order mark, semicolons, CRLF, quoted line breaks and empty rows", async () => {
    const { key } = await openWorkspace();
    const file = `\ufefftext;channels;draft\r\n"One ""line""\nand; another";telegram;TRUE\r\n;;\r\n\r\n"Two";telegram;true\r\n`;
    const { body } = await importFile(key, file);
    expect(body.rows.map(({ line, post }) => [line, post?.text, post?.status])).toEqual([
      [2, 'One "line"\nand; another', "draft"],
      [6, "Two", "draft"],
    ]);
  });

  it("a CSV file with errors gets all of them by line and column, and creates no post", async () => {
    const { key } = await openWorkspace();
    await connect(key, "bluesky");
    const file = [
      "text,channels,publish_at,labels,media_urls,alt",
      `${"x".repeat(400)},bluesky|nowhere,01/12/2026 09:00,a|a,,`,
      `fine,telegram,${localTimeInDays(1)},,,`,
      ",telegram,46000.375,,,",
      "late,telegram,2020-01-01T09:00,,,",
      "file,telegram,,,http://127.0.0.1/a.jpg|https://example.com/what,one",
      "more,telegram,,,,,,what",
    ].join("\n");
    const { status, body } = await importFile(key, file);
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: 1, invalid: 5, created: 0 });
    const violations = body.rows.map(({ line, violations }) => [
      line,
      violations.map(({ code, column }) => `${code} ${column}`).sort(),
    ]);
    expect(violations).toEqual([
      [2, ["invalid_field labels", "unknown_channel channels"]],
      [3, []],
      [4, ["publish_at_invalid publish_at", "text_required text"]],
      [5, ["publish_at_in_past publish_at"]],
      [6, ["invalid_field alt", "media_format_not_allowed media_urls"]],
      [7, ["invalid_field undefined"]],
    ]);
    expect(body.rows[2]?.violations.find(({ code }) => code === "publish_at_invalid")?.hint).toContain("format Text");
    expect(await listPosts(key)).toEqual([]);
    const partial = await importFile(key, file, { query: "?partial=true" });
    expect(partial.body).toMatchObject({ valid: 1, created: 1 });
    expect((await listPosts(key)).map(({ text }) => text)).toEqual(["fine"]);
  });

  it.each<[string, string, object, object]>([
    ["an unknown column", "text,chanels\nx,telegram", {}, { error: "unknown_field", field: "/chanels" }],
    ["an unclosed quote", 'text,channels\n"x,telegram', {}, { error: "malformed_file" }],
    ["text after a closing quote", 'text,channels\n"x"y,telegram', {}, { error: "malformed_file" }],
    ["no content", "", {}, { error: "malformed_file" }],
    ["a repeated column", "text,text\nx,y", {}, { error: "malformed_file" }],
    ["another type", "text\nx", { type: "application/json" }, { error: "content_type_not_allowed" }],
    ["too many rows", `text,draft\n${"x,true\n".repeat(501)}`, {}, { error: "too_many_rows" }],
  ])("a file with %s is refused as a whole", async (_what, text, options, refused) => {
    const { key } = await signUp();
    expect(await importFile(key, text, options)).toMatchObject({ status: 422, body: refused });
  });

  it("a row with more than 50 addresses gets an error, and none of its files is registered", async () => {
    const { key } = await openWorkspace();
    const urls = Array.from({ length: 51 }, (_, i) => `https://files.example/${i}.jpg`).join("|");
    const { body } = await importFile(key, `text,channels,media_urls\nx,telegram,${urls}`);
    expect(body.rows).toMatchObject([
      { valid: false, violations: [{ code: "invalid_field", field: "/media_urls", column: "media_urls" }] },
    ]);
  });

  it("the 61st import in a minute with one key is refused before parsing, and accepted with another key", async () => {
    const { key } = await openWorkspace();
    const otherAccount = await signUp();
    for (let calls = 0; calls < 60; calls++) expect((await importFile(key, "")).status).toBe(422);
    expect(await importFile(key, "")).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect((await importFile(otherAccount.key, "")).status).toBe(422);
  });

  it("a file that is larger than 1 MiB is answered with 413", async () => {
    const { key } = await signUp();
    expect((await importFile(key, `text\n${"x".repeat(1_048_600)}`)).status).toBe(413);
  });

  it("a file that exceeds the month's quota is refused as a whole with 402", async () => {
    const { key, workspace } = await openWorkspace();
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(workspace).run();
    const rows = Array.from({ length: 31 }, (_, i) => `${i},telegram,${localTimeInDays(1)}`);
    const file = ["text,channels,publish_at", ...rows].join("\n");
    expect(await importFile(key, file, { query: "?partial=true" })).toMatchObject({
      status: 402,
      body: { error: "plan_limit" },
    });
    expect(await listPosts(key)).toEqual([]);
  });
});

describe("an import that is sent again with the same key", () => {
  const file = (count: number, text = "post") =>
    [
      "text,channels,publish_at",
      ...Array.from({ length: count }, (_, i) => `${text} ${i},telegram,${localTimeInDays(3)}`),
    ].join("\n");

  it("a repeated import creates nothing twice and returns the existing posts", async () => {
    const { key } = await openWorkspace();
    const first = await importFile(key, file(50), { idempotencyKey: "one" });
    const again = await importFile(key, file(50), { idempotencyKey: "one" });
    expect(again).toMatchObject({ status: 200, body: { created: 50, valid: 50 } });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.rows.map(({ post }) => post?.id)).toEqual(first.body.rows.map(({ post }) => post?.id));
    expect(await listPosts(key)).toHaveLength(50);
    expect(await importFile(key, file(50, "other"), { idempotencyKey: "one" })).toMatchObject({
      status: 422,
      body: { error: "idempotency_key_reused" },
    });
    expect((await importFile(key, file(2), { idempotencyKey: "on" })).body.created).toBe(2);
  });

  it("a repeated import continues after an interruption and creates each row once, even if it is sent twice at once", async () => {
    const { key, workspace } = await openWorkspace();
    const countPosts = () =>
      testEnv.DB.prepare("SELECT COUNT(*) AS n FROM posts WHERE workspace_id = ?").bind(workspace).first("n");
    const text = file(300);
    const { db: dying } = breakingDatabase(testEnv.DB, {
      call: 2,
      of: /insert into "posts"/,
      committed: false,
      how: "once",
    });
    const request = new Request("http://crier.test/v1/posts/import", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv", "idempotency-key": "broken" },
      body: text,
    });
    const execution = createExecutionContext();
    const broken = await app.fetch(request, { ...testEnv, DB: dying }, execution);
    await waitOnExecutionContext(execution);
    expect(broken.status).toBeGreaterThanOrEqual(500);
    expect(await countPosts()).toBe(250);
    const [second, third] = await Promise.all([
      importFile(key, text, { idempotencyKey: "broken" }),
      importFile(key, text, { idempotencyKey: "broken" }),
    ]);
    expect([second, third].map(({ status, body }) => [status, body.created])).toEqual([
      [200, 300],
      [200, 300],
    ]);
    const last = await importFile(key, text, { idempotencyKey: "broken" });
    expect(last.body.created).toBe(300);
    expect(await countPosts()).toBe(300);
    expect(new Set(last.body.rows.map(({ post }) => post?.id)).size).toBe(300);
  });
});

it("an import of 500 rows and 1 MiB is checked in at most two round trips and written in at most twenty", async () => {
  const { key } = await openWorkspace();
  const text = "word ".repeat(405).trim();
  const file = `text,channels,publish_at\n${Array.from({ length: 500 }, (_, i) => `${i} ${text},telegram,${localTimeInDays(5)}`).join("\n")}`;
  expect(file.length).toBeGreaterThan(1_000_000);
  const send = async (query: string) => {
    let statements = 0;
    const { db, use } = countedDatabase(testEnv.DB, { onStatement: () => statements++ });
    const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv", "idempotency-key": "many" };
    const request = new Request(`http://crier.test/v1/posts/import${query}`, { method: "POST", headers, body: file });
    const execution = createExecutionContext();
    const response = await app.fetch(request, { ...testEnv, DB: db }, execution);
    const body = await response.json<Imported>();
    await waitOnExecutionContext(execution);
    return { body, use, statements };
  };
  const dry = await send("?dry_run=true");
  expect(dry.body).toMatchObject({ valid: 500, invalid: 0 });
  expect(dry.use.roundTrips).toBeLessThanOrEqual(2);
  const result = await send("");
  expect(result.body.created).toBe(500);
  expect(result.use.roundTrips).toBeLessThanOrEqual(20);
  expect(result.statements).toBeLessThanOrEqual(40);
});

it.each([
  ["scheduled", "false"],
  ["drafts", "true"],
])("an import of 500 rows with a file each, %s, is written by at most 25 statements", async (_, draft) => {
  const { key, workspace } = await openWorkspace();
  const row = (i: number) => `${i},telegram,${localTimeInDays(5)},https://files.example/${i}.jpg,${draft}`;
  const body = `text,channels,publish_at,media_urls,draft\n${Array.from({ length: 500 }, (_, i) => row(i)).join("\n")}`;
  const writes: string[] = [];
  const { db } = countedDatabase(testEnv.DB, {
    onStatement: (sql) => void (/^\s*(insert|update|delete)/i.test(sql) && writes.push(sql)),
  });
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv" };
  const request = new Request("http://crier.test/v1/posts/import", { method: "POST", headers, body });
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...testEnv, DB: db }, execution);
  expect(await response.json()).toMatchObject({ created: 500 });
  await waitOnExecutionContext(execution);
  expect(writes.length).toBeLessThanOrEqual(25);
  const count = (table: string) =>
    testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`).bind(workspace).first("n");
  expect([await count("posts"), await count("media"), await count("media_uses")]).toEqual([500, 500, 500]);
  expect(await brokenInvariants(workspace)).toEqual([]);
});

it("imported rows that wait for approval are announced once each, in order, to the subscribed endpoint", async () => {
  const account = await openWorkspace();
  expect((await setApproval(account, "all")).status).toBe(200);
  const endpoint = await registerEndpoint(account, ["post.approval_requested"]);
  const { body } = await importFile(
    account.key,
    `text,channels,publish_at\na,telegram,${localTimeInDays(5)}\nb,telegram,${localTimeInDays(6)}`,
  );
  const ids = body.rows.map(({ post }) => post?.id);
  expect(body.rows.map(({ post }) => post?.status)).toEqual(["awaiting_approval", "awaiting_approval"]);
  const { results } = await testEnv.DB.prepare(
    "SELECT event, post_id FROM events WHERE workspace_id = ? AND post_id IS NOT NULL ORDER BY seq",
  )
    .bind(account.workspace)
    .all();
  expect(results).toEqual(ids.map((post) => ({ event: "post.approval_requested", post_id: post })));
  await waitForAttempts(endpoint, 2);
  expect((await listReceived(endpoint)).map(({ body }) => JSON.parse(body).post).sort()).toEqual(ids.toSorted());
  expect(await brokenInvariants(account.workspace)).toEqual([]);
});
