import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { compose } from "../../src/compose.ts";
import { cursorAtText } from "../../src/operations/cursor.ts";
import { exportLines } from "../../src/operations/export/workspace.ts";
import { check } from "../support/after.ts";
import { breakingDatabase, databaseVia } from "../support/breaking-db.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { testEnv } from "../support/env.ts";
import { hostFeed } from "../support/feeds.ts";
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
import { copyPost, fetchText, type Line, open, parseLines, parseRows, readExport } from "./exported.ts";
import { requestApproval } from "./reviewed-post.ts";

/** Matches the statement that reads a page of posts. */
const PAGE_OF_POSTS = /ROWS BETWEEN/;

describe("an export", () => {
  it("an export has each resource as its own call returns it, with drafts and metrics, and its last line confirms that it is complete", async () => {
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
    await call("POST", "/v1/channel-groups", { token: key, body: { name: "All", channels: [channel.id] } });
    await call("POST", "/v1/snippets", { token: key, body: { name: "Ending", text: "Made in London." } });
    await call("POST", "/v1/feeds", { token: key, body: { url: await hostFeed([]), channels: [channel.id] } });
    await call("POST", `/v1/posts/${draft.id}/comments`, { token: key, body: { text: "Is this right?" } });
    const portal = { name: "Northwind", channels: [channel.id], brand: { name: "Ada & Co.", logo_media: image } };
    const { url } = (await call<{ url: string }>("POST", "/v1/portals", { token: key, body: portal })).body;
    const { lines, text } = await readExport(key);
    expect(lines.map(({ type }) => type)).toEqual([
      ...[
        "workspace",
        "channel",
        "connector_request",
        "webhook",
        "slots",
        "channel_group",
        "snippet",
        "feed",
        "portal",
        "media",
      ],
      ...["post", "post", "comment", "event", "end"],
    ]);
    expect(lines.at(-1)).toEqual({ type: "end", lines: lines.length - 1, next: null });

    const fetchBody = async (path: string) => (await call<Record<string, unknown>>("GET", path, { token: key })).body;
    const first = async (path: string, name: string) => {
      const list = (await fetchBody(path))[name];
      return Array.isArray(list) ? list[0] : undefined;
    };
    // Whether a portal is active depends on its creator's rights at the moment of the call.
    const { is_active: _, ...storedPortal } = await first("/v1/portals", "portals");
    expect(lines.slice(0, 14)).toEqual([
      { type: "workspace", ...(await fetchBody("/v1/workspace")) },
      { type: "channel", ...(await first("/v1/channels", "channels")) },
      { type: "connector_request", ...(await first("/v1/connector-requests", "connector_requests")) },
      { type: "webhook", ...(await first("/v1/webhooks", "webhooks")) },
      { type: "slots", ...(await fetchBody("/v1/slots")) },
      { type: "channel_group", ...(await first("/v1/channel-groups", "channel_groups")) },
      { type: "snippet", ...(await first("/v1/snippets", "snippets")) },
      { type: "feed", ...(await first("/v1/feeds", "feeds")) },
      { type: "portal", ...storedPortal },
      { type: "media", ...(await fetchBody(`/v1/media/${image}`)) },
      { type: "post", ...(await getPost(key, draft.id)) },
      { type: "post", ...(await getPost(key, live.id)) },
      { type: "comment", post: draft.id, ...(await first(`/v1/posts/${draft.id}/comments`, "comments")) },
      { type: "event", ...(await first("/v1/events", "events")) },
    ]);
    expect(JSON.stringify(lines[11])).toContain('"likes":{"value"');
    const token = url.split("/").at(-1) ?? "";
    for (const secret of [key, token, await sha256Hex(token), "whsec_", "app_password", "access_token", "sess_"])
      expect(text).not.toContain(secret);
  });

  it("an export has the decisions in portals, also in answers of one page each, for callers who may list portals", async () => {
    const { owner, channel, waitingPost } = await requestApproval();
    const portal = { name: "Northwind", channels: [channel.id] };
    const made = await call<{ id: string; url: string }>("POST", "/v1/portals", { token: owner.key, body: portal });
    const token = made.body.url.split("/").at(-1) ?? "";
    const { rev, content_tag } = await getPost(owner.key, waitingPost.id);
    const decision = { post: waitingPost.id, rev, content_tag, decision: "decline", reason: "Not before Monday." };
    const decided = await call("POST", `/v1/portal/${token}/decisions`, {
      body: { name: "Clara", decisions: [decision] },
    });
    expect(decided.status).toBe(200);
    const exported = {
      type: "portal_decision",
      portal: made.body.id,
      ...decision,
      by: "Clara",
      at: expect.any(String),
    };
    const findDecisions = (lines: Line[]) => lines.filter(({ type }) => type === "portal_decision");
    expect(findDecisions((await readExport(owner.key)).lines)).toEqual([exported]);
    const ctx = compose(testEnv, () => {});
    const whole = { workspaceId: owner.workspace, managesWebhooks: true, readsPortals: true, readsAudit: false };
    const lines: Line[] = [];
    for (let cursor: string | undefined; ; ) {
      for await (const text of exportLines(ctx, whole, cursor, 1)) lines.push(...parseLines(text));
      const end = lines.at(-1);
      if (end?.next == null) break;
      cursor = end.next;
    }
    expect(findDecisions(lines)).toEqual([exported]);
    const readOnly = await call<{ key: string }>("POST", `/v1/workspaces/${owner.workspace}/keys`, {
      token: owner.session,
      body: { name: "Reader", scopes: ["read"] },
    });
    const { text } = await fetchText("/v1/export", readOnly.body.key);
    expect(parseLines(text).filter(({ type }) => type.startsWith("portal"))).toEqual([]);
  });

  it("an export can be imported into an empty workspace with the same accounts", async () => {
    const mine = await signUp();
    const account = unique("acct");
    const channel = await connect(mine.key, "telegram", account);
    const file = await call<{ id: string }>("POST", "/v1/media", {
      token: mine.key,
      body: { url: "https://example.com/a.jpg", kind: "image", alt: "A gradient" },
    });
    const publishAt = new Date(Date.now() + 86_400_000).toISOString();
    const body = {
      text: "later",
      channels: [channel.id],
      media: [file.body.id],
      publish_at: publishAt,
      labels: ["winter"],
    };
    await post(mine.key, body);
    await post(mine.key, { text: "a thought", draft: true });
    const { text } = await readExport(mine.key);

    const recipient = await signUp();
    const { handle } = await connect(recipient.key, "telegram", account);
    expect(handle).toBe(channel.handle);
    const imported = await call<{ created: number; invalid: number; rows: { violations: unknown[] }[] }>(
      "POST",
      "/v1/posts/import",
      { token: recipient.key, body: text, headers: { "content-type": "application/x-ndjson" } },
    );
    expect(imported.body.rows.flatMap(({ violations }) => violations)).toEqual([]);
    expect(imported).toMatchObject({ status: 200, body: { created: 2, invalid: 0 } });
    const reexported = (await readExport(recipient.key)).lines.filter(
      (line): line is Line & PostBody => line.type === "post",
    );
    expect(reexported.map((entry) => [entry.text, entry.status, entry.publish_at, entry.labels])).toEqual(
      expect.arrayContaining([
        ["later", "scheduled", publishAt, ["winter"]],
        ["a thought", "draft", null, []],
      ]),
    );
  });

  it("an export reads a page at a time, so the rows that are read for a post do not depend on the number of posts", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 2_600);
    const { db, use } = countedDatabase(testEnv.DB);
    const { text } = await fetchText("/v1/export", key, db);
    const posts = text.split("\n").filter((line) => line.startsWith('{"type":"post"'));
    expect(posts).toHaveLength(2_601);
    expect(new Set(posts.map((line) => JSON.parse(line).id)).size).toBe(2_601);
    expect(use.rowsRead / 2_601).toBeLessThan(10);
    expect(use.rowsWritten).toBe(0);
    expect(use.roundTrips).toBeLessThan(30);

    const table = countedDatabase(testEnv.DB);
    const csv = await fetchText("/v1/posts.csv", key, table.db);
    expect(parseRows(csv.text)).toHaveLength(2_601);
    expect(table.use.rowsRead / 2_601).toBeLessThan(10);
  });

  it("a very large export is split by cursors without losing or repeating a line", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 1_200);
    const { lines: allLines } = await readExport(key);
    const ctx = compose(testEnv, () => {});
    const exported = { workspaceId: workspace, managesWebhooks: true, readsPortals: true, readsAudit: false };
    const foundLines: (Line & { next?: string | null })[] = [];
    let cursor: string | undefined;
    for (let answers = 1; ; answers++) {
      let text = "";
      for await (const piece of exportLines(ctx, exported, cursor, 1)) text += piece;
      const lines: typeof foundLines = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const end = lines.pop();
      expect(end).toMatchObject({ type: "end", lines: lines.length });
      foundLines.push(...lines);
      // A new post comes before the cursor, so it does not move the following pages.
      if (answers === 2) await post(key, { text: "new", draft: true });
      if (end?.next == null) {
        expect(answers).toBe(6);
        break;
      }
      cursor = end.next;
    }
    expect(foundLines).toEqual(allLines.slice(0, -1));

    const remainder = await fetchText(`/v1/export?cursor=${cursor}`, key);
    expect(remainder.text).toBe('{"type":"end","lines":0,"next":null}\n');
    for (const invalidCursor of [
      "",
      "x",
      cursorAtText("export", "event x"),
      cursorAtText("export", "portal_decision ptl_x"),
      cursorAtText("export", "gone 1"),
      cursorAtText("due", "post 1"),
    ]) {
      expect(await call("GET", `/v1/export?cursor=${invalidCursor}`, { token: key })).toMatchObject({
        status: 422,
        body: { error: "unreadable_cursor" },
      });
    }
  });

  it("an interrupted export has no last line and ends with a broken connection", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 1_200);
    let pages = 0;
    const DB = databaseVia(testEnv.DB, async (sql, act) => {
      if (PAGE_OF_POSTS.test(sql) && ++pages > 1) throw new Error("D1_ERROR: no such table: posts: SQLITE_ERROR");
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

  it("an export continues after the answer to one page was lost", async () => {
    const { key } = await signUp();
    await post(key, { text: "draft", draft: true });
    const { db } = breakingDatabase(testEnv.DB, { call: 1, of: PAGE_OF_POSTS, committed: false, how: "once" });
    const { text } = await fetchText("/v1/export", key, db);
    expect(text.trimEnd().split("\n").at(-1)).toBe('{"type":"end","lines":3,"next":null}');
  });

  it("an export with an invalid key, or with a key for some channels, is refused like any other call", async () => {
    const { key, session, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { response, finish } = await open("/v1/export", `${key}x`);
    expect(response.status).toBe(401);
    await finish();
    const keyAnswer = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/keys`, {
      token: session,
      body: { name: "one", scopes: ["read"], channels: [channel.id] },
    });
    const refused = await call("GET", "/v1/export", { token: keyAnswer.body.key });
    expect(refused).toMatchObject({ status: 403, body: { error: "scope_missing" } });
  });
});
