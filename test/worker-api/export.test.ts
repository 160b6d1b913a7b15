// Everything of a workspace, and its posts as a table.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { readCsv } from "../../src/adapters/csv.ts";
import { compose } from "../../src/compose.ts";
import { app } from "../../src/http/app.ts";
import { cursorAtText } from "../../src/operations/cursor.ts";
import { exportLines } from "../../src/operations/export/workspace.ts";
import { check } from "../support/after.ts";
import { breakingDatabase, databaseVia } from "../support/breaking-db.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { testEnv } from "../support/env.ts";
import {
  call,
  connect,
  finished,
  getPost,
  type PostBody,
  post,
  signUp,
  unique,
  uploadImage,
} from "../support/world.ts";

/** The statement that reads one. */
const PAGE_OF_POSTS = /ROWS BETWEEN/;

interface Line {
  type: string;
  id?: string;
  lines?: number;
}

/** The answer of a call, with its body still to come. */
async function open(path: string, key: string, DB = testEnv.DB) {
  const execution = createExecutionContext();
  const request = new Request(`http://crier.test${path}`, { headers: { authorization: `Bearer ${key}` } });
  const response = await app.fetch(request, { ...testEnv, DB }, execution);
  return { response, over: () => waitOnExecutionContext(execution) };
}

async function textOf(path: string, key: string, DB = testEnv.DB) {
  const { response, over } = await open(path, key, DB);
  const text = await response.text();
  await over();
  return { status: response.status, headers: response.headers, text };
}

async function exportOf(key: string) {
  const { status, headers, text } = await textOf("/v1/export", key);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/x-ndjson");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(text.endsWith("\n")).toBe(true);
  const lines: Line[] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { lines, text };
}

/** The rows of a CSV text by its header. */
function rowsOf(text: string): Record<string, string>[] {
  const read = readCsv(text);
  if ("brokenAt" in read) return expect.fail(`line ${read.brokenAt} is broken`);
  const [header, ...rows] = read.map(({ cells }) => cells);
  return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [header?.[i] ?? "", cell])));
}

/** A post of the workspace, so many times more, as the database has it. */
async function copyPost(workspace: string, id: string, times: number) {
  for (const table of ["posts", "deliveries"]) {
    const { results } = await testEnv.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{
      name: string;
    }>();
    const own = table === "posts" ? "id" : "post_id";
    const names = results.map(({ name }) => name);
    const values = names.map((name) => (name === own ? `substr(${own}, 1, 24) || printf('%07d', i)` : name));
    await testEnv.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
        INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, n WHERE workspace_id = ? AND ${own} = ?`,
    )
      .bind(workspace, id)
      .run();
  }
}

describe("an export", () => {
  it("has each resource as its own call answers it, drafts and figures too, and says at its end that it is whole", async () => {
    const account = await signUp();
    const { key } = account;
    const channel = await connect(key, "bluesky");
    const { id: image } = await uploadImage(account);
    const live = await post(key, { text: "live", channels: [channel.id], media: [image] });
    await finished(key, live.id);
    await check(key, live.id);
    const draft = await post(key, { text: "draft", draft: true, labels: ["winter"] });
    await call("POST", "/v1/connector-requests", { token: key, body: { platform: "reddit" } });
    await call("PUT", "/v1/slots", { token: key, body: { slots: [{ weekday: 1, time: "09:30", channels: null }] } });
    await call("POST", "/v1/webhooks", { token: key, body: { url: "https://hooks.example.com/crier" } });
    const { lines, text } = await exportOf(key);
    expect(lines.map(({ type }) => type)).toEqual([
      ...["workspace", "channel", "connector_request", "webhook", "slots", "media", "post", "post", "event", "end"],
    ]);
    expect(lines.at(-1)).toEqual({ type: "end", lines: lines.length - 1, next: null });

    const asked = async (path: string) => (await call<Record<string, unknown>>("GET", path, { token: key })).body;
    const first = async (path: string, name: string) => {
      const list = (await asked(path))[name];
      return Array.isArray(list) ? list[0] : undefined;
    };
    expect(lines.slice(0, 9)).toEqual([
      { type: "workspace", ...(await asked("/v1/workspace")) },
      { type: "channel", ...(await first("/v1/channels", "channels")) },
      { type: "connector_request", ...(await first("/v1/connector-requests", "connector_requests")) },
      { type: "webhook", ...(await first("/v1/webhooks", "webhooks")) },
      { type: "slots", ...(await asked("/v1/slots")) },
      { type: "media", ...(await asked(`/v1/media/${image}`)) },
      { type: "post", ...(await getPost(key, draft.id)) },
      { type: "post", ...(await getPost(key, live.id)) },
      { type: "event", ...(await first("/v1/events", "events")) },
    ]);
    expect(JSON.stringify(lines[7])).toContain('"likes":{"value"');
    for (const secret of [key, "whsec_", "app_password", "access_token", "sess_"]) expect(text).not.toContain(secret);
  });

  it("is imported into an empty workspace that has the same accounts", async () => {
    const mine = await signUp();
    const account = unique("acct");
    const channel = await connect(mine.key, "telegram", account);
    const file = await call<{ id: string }>("POST", "/v1/media", {
      token: mine.key,
      body: { url: "https://example.com/a.jpg", kind: "image", alt: "A gradient" },
    });
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const body = { text: "later", channels: [channel.id], media: [file.body.id], publish_at: at, labels: ["winter"] };
    await post(mine.key, body);
    await post(mine.key, { text: "a thought", draft: true });
    const { text } = await exportOf(mine.key);

    const other = await signUp();
    const { handle } = await connect(other.key, "telegram", account);
    expect(handle).toBe(channel.handle);
    const imported = await call<{ created: number; invalid: number; rows: { violations: unknown[] }[] }>(
      "POST",
      "/v1/posts/import",
      { token: other.key, body: text, headers: { "content-type": "application/x-ndjson" } },
    );
    expect(imported.body.rows.flatMap(({ violations }) => violations)).toEqual([]);
    expect(imported).toMatchObject({ status: 200, body: { created: 2, invalid: 0 } });
    const again = (await exportOf(other.key)).lines.filter((line): line is Line & PostBody => line.type === "post");
    expect(again.map((one) => [one.text, one.status, one.publish_at, one.labels])).toEqual(
      expect.arrayContaining([
        ["later", "scheduled", at, ["winter"]],
        ["a thought", "draft", null, []],
      ]),
    );
  });

  it("reads a page at a time: the rows of a post cost the same however many there are", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 2_600);
    const { db, use } = countedDatabase(testEnv.DB);
    const { text } = await textOf("/v1/export", key, db);
    const posts = text.split("\n").filter((line) => line.startsWith('{"type":"post"'));
    expect(posts).toHaveLength(2_601);
    expect(new Set(posts.map((line) => JSON.parse(line).id)).size).toBe(2_601);
    expect(use.rowsRead / 2_601).toBeLessThan(10);
    expect(use.rowsWritten).toBe(0);
    expect(use.roundTrips).toBeLessThan(30);

    const table = countedDatabase(testEnv.DB);
    const csv = await textOf("/v1/posts.csv", key, table.db);
    expect(rowsOf(csv.text)).toHaveLength(2_601);
    expect(table.use.rowsRead / 2_601).toBeLessThan(10);
  });

  it("that is very large ends with a cursor, and each answer goes on behind the one before: nothing is lost and nothing twice", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 1_200);
    const { lines: all } = await exportOf(key);
    const ctx = compose(testEnv, () => {}, null, null);
    const found: (Line & { next?: string | null })[] = [];
    let cursor: string | undefined;
    for (let answers = 1; ; answers++) {
      let text = "";
      for await (const piece of exportLines(ctx, workspace, cursor, 1)) text += piece;
      const lines: typeof found = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const end = lines.pop();
      expect(end).toMatchObject({ type: "end", lines: lines.length });
      found.push(...lines);
      // What is made meanwhile stands before the place, and moves nothing.
      if (answers === 2) await post(key, { text: "new", draft: true });
      if (end?.next == null) {
        expect(answers).toBe(6);
        break;
      }
      cursor = end.next;
    }
    expect(found).toEqual(all.slice(0, -1));

    const rest = await textOf(`/v1/export?cursor=${cursor}`, key);
    expect(rest.text).toBe('{"type":"end","lines":0,"next":null}\n');
    for (const strange of [
      "",
      "x",
      cursorAtText("export", "event x"),
      cursorAtText("export", "gone 1"),
      cursorAtText("due", "post 1"),
    ]) {
      expect(await call("GET", `/v1/export?cursor=${strange}`, { token: key })).toMatchObject({
        status: 422,
        body: { error: "unreadable_cursor" },
      });
    }
  });

  it("that breaks off has no last line, and its caller sees that the connection broke", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 1_200);
    let pages = 0;
    const DB = databaseVia(testEnv.DB, async (sql, act) => {
      if (PAGE_OF_POSTS.test(sql) && ++pages > 1) throw new Error("D1_ERROR: too busy: SQLITE_BUSY");
      return act();
    });
    const { response } = await open("/v1/export", key, DB);
    expect(response.status).toBe(200);
    const decoder = new TextDecoder();
    let text = "";
    const read = async () => {
      for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
    };
    await expect(read()).rejects.toThrow();
    expect(text).toContain('{"type":"post"');
    expect(text).not.toContain('"type":"end"');
  });

  it("goes on when the answer to one page was lost", async () => {
    const { key } = await signUp();
    await post(key, { text: "draft", draft: true });
    const { db } = breakingDatabase(testEnv.DB, { call: 1, of: PAGE_OF_POSTS, committed: false, how: "once" });
    const { text } = await textOf("/v1/export", key, db);
    expect(text.trimEnd().split("\n").at(-1)).toBe('{"type":"end","lines":3,"next":null}');
  });

  it("that fails before its first line is refused as any call, and one is nothing for a key of some channels", async () => {
    const { key, session, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { response, over } = await open("/v1/export", `${key}x`);
    expect(response.status).toBe(401);
    await over();
    const made = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/keys`, {
      token: session,
      body: { name: "one", scopes: ["read"], channels: [channel.id] },
    });
    const refused = await call("GET", "/v1/export", { token: made.body.key });
    expect(refused).toMatchObject({ status: 403, body: { error: "scope_missing" } });
  });
});

describe("the table of posts", () => {
  const COLUMNS = "id,status,due_at,platform,handle,text,labels,url,error";

  it("has a row for each delivery, with the text of that channel exactly as it was written", async () => {
    const { key } = await signUp();
    const [one, other] = [await connect(key, "bluesky"), await connect(key, "telegram")];
    const text = '=1+1, "quoted"\r\nand a second line';
    const { id } = await post(key, {
      text,
      channels: [one.id, other.id],
      overrides: { [other.id]: { text: "@there" } },
      labels: ["winter", "sale"],
    });
    const { due_at, deliveries } = await finished(key, id);
    const { status, headers, text: csv } = await textOf("/v1/posts.csv", key);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/csv; charset=utf-8/);
    expect(csv.startsWith(`${COLUMNS}\r\n`)).toBe(true);
    const post_ = { id, status: "published", due_at, labels: "winter|sale", error: "" };
    expect(rowsOf(csv)).toEqual([
      { ...post_, platform: "bluesky", handle: one.handle, text, url: deliveries[0]?.url },
      { ...post_, platform: "telegram", handle: other.handle, text: "@there", url: deliveries[1]?.url ?? "" },
    ]);
    const escaped = rowsOf((await textOf("/v1/posts.csv?escape_formulas=true", key)).text);
    expect(escaped.map((row) => row.text)).toEqual([`'${text}`, "'@there"]);
  });

  it("takes the list's filters, and goes on to their last page", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 450);
    const draft = await post(key, { text: "=draft", draft: true, labels: ["winter"] });
    const rows = async (query: string) => rowsOf((await textOf(`/v1/posts.csv${query}`, key)).text);
    expect(await rows("")).toHaveLength(451);
    expect(new Set((await rows("?order=due&status=published")).map((row) => row.id)).size).toBe(451);
    expect(await rows("?status=draft")).toEqual([
      {
        id: draft.id,
        status: "draft",
        due_at: "",
        platform: "",
        handle: "",
        text: "=draft",
        labels: "winter",
        url: "",
        error: "",
      },
    ]);
    expect(await rows("?q=nowhere")).toEqual([]);
    expect(await call("GET", "/v1/posts.csv?status=gone", { token: key })).toMatchObject({
      status: 422,
      body: { error: "unknown_status" },
    });
    expect(await call("GET", "/v1/posts.csv?from=later", { token: key })).toMatchObject({
      status: 422,
      body: { field: "/from" },
    });
  });
});
