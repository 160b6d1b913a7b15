// A call and its simultaneous repeat, when only one of them finds room.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { formatMonth } from "../../src/domain/instant.ts";
import { app } from "../../src/http/app.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, type PostBody, signUp } from "../support/world.ts";
import { importFile } from "./imported.ts";

/** A workspace with room for one more post this month. */
async function openAlmostFull() {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  await testEnv.DB.batch([
    testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace),
    testEnv.DB.prepare("INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, ?, 29)").bind(
      account.workspace,
      formatMonth(Date.now()),
    ),
  ]);
  return { ...account, channel };
}

/** Makes a call whose post is written only after `first` has finished. */
async function callAfter(path: string, headers: Record<string, string>, body: string, first: () => Promise<unknown>) {
  let isSecond = false;
  const db = databaseVia(testEnv.DB, async (sql, act) => {
    if (!isSecond && /insert into "posts"/i.test(sql)) {
      isSecond = true;
      await first();
    }
    return act();
  });
  const execution = createExecutionContext();
  const request = new Request(`http://crier.test${path}`, { method: "POST", headers, body });
  const response = await app.fetch(request, { ...testEnv, DB: db }, execution);
  const answer = { status: response.status, body: await response.json() };
  await waitOnExecutionContext(execution);
  expect(isSecond).toBe(true);
  return answer;
}

it("a repeat is answered with the post that took the month's last place under its key", async () => {
  const { key, channel } = await openAlmostFull();
  const body = { text: "once", channels: [channel.id], publish_at: tomorrow() };
  const headers = { "idempotency-key": "once" };
  let winner: PostBody | undefined;
  const answer = await callAfter(
    "/v1/posts",
    { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
    JSON.stringify(body),
    async () => {
      const first = await call<PostBody>("POST", "/v1/posts", { token: key, body, headers });
      expect(first.status).toBe(201);
      winner = first.body;
    },
  );
  expect(answer).toMatchObject({ status: 200, body: { id: winner?.id } });
});

it("a repeated import is answered with the posts that took the month's last places under its key", async () => {
  const { key } = await openAlmostFull();
  const text = `text,channels,publish_at\nonce,telegram,${tomorrow().slice(0, 16)}`;
  const answer = await callAfter(
    "/v1/posts/import",
    { "idempotency-key": "once", authorization: `Bearer ${key}`, "content-type": "text/csv" },
    text,
    async () => {
      expect((await importFile(key, text, { idempotencyKey: "once" })).body).toMatchObject({ created: 1 });
    },
  );
  expect(answer).toMatchObject({
    status: 200,
    body: { rows: [{ valid: true, violations: [], post: { text: "once" } }] },
  });
});

/** A workspace that has room for many posts. */
async function openRoomy() {
  const account = await signUp();
  return { ...account, channel: await connect(account.key, "telegram") };
}

it.each([
  ["there is room for both", openRoomy],
  ["the winner took the month's last place", openAlmostFull],
])("a different body under the same key is not answered with the winner's post when %s", async (_when, workspace) => {
  const { key, channel } = await workspace();
  const body = { text: "once", channels: [channel.id], publish_at: tomorrow() };
  const headers = { "idempotency-key": "once" };
  const answer = await callAfter(
    "/v1/posts",
    { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
    JSON.stringify({ ...body, text: "something else" }),
    async () => {
      expect((await call<PostBody>("POST", "/v1/posts", { token: key, body, headers })).status).toBe(201);
    },
  );
  expect(answer).toMatchObject({ status: 422, body: { error: "idempotency_key_reused", field: "Idempotency-Key" } });
});
