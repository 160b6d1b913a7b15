// Answers to callers when the database fails.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { app } from "../../src/http/app.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { PASSING, REFUSED } from "../support/d1-errors.ts";
import { testEnv } from "../support/env.ts";
import { isExtensive } from "../support/sampled.ts";
import { connect, signUp } from "../support/world.ts";

/** Calls the API over a database that fails with `text` for the first `times` calls that match `statement`. */
async function callOver(
  { text, times = Number.POSITIVE_INFINITY, statement = /./ }: { text: string; times?: number; statement?: RegExp },
  path: string,
  init: RequestInit,
) {
  let failed = 0;
  const db = databaseVia(testEnv.DB, async (sql, act) => {
    if (!statement.test(sql) || failed >= times) return act();
    failed++;
    throw new Error(text);
  });
  const execution = createExecutionContext();
  const response = await app.fetch(new Request(`http://crier.test${path}`, init), { ...testEnv, DB: db }, execution);
  const body = await response.json<Record<string, unknown>>();
  await waitOnExecutionContext(execution);
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body, failed };
}

const buildRead = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const buildWrite = (key: string, body: object) => ({
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify(body),
});

/**
 * The classification of each text is tested in Node, too. Here each text takes the time of its retries, so some are
 * left out.
 */
const sampledTexts = Object.values(PASSING).filter((_, i) => isExtensive || i % 8 === 0);

it.each(sampledTexts)("answers 503 with Retry-After to a read if the database fails with %s", async (text) => {
  const { key } = await signUp();
  const answer = await callOver({ text }, "/v1/posts", buildRead(key));
  expect(answer).toMatchObject({ status: 503, body: { error: "database_unavailable" } });
  expect(Number(answer.retryAfter)).toBeGreaterThan(0);
});

it("answers 503 to a post that the database does not accept, and does not store it", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "telegram");
  const init = buildWrite(key, { text: "x", channels: [channel.id], draft: true });
  const answer = await callOver({ text: PASSING.full, statement: /insert into "posts"/ }, "/v1/posts", init);
  expect(answer).toMatchObject({ status: 503, retryAfter: "600", failed: 1, body: { error: "database_unavailable" } });
  const { body } = await callOver({ text: "", times: 0 }, "/v1/posts?status=draft", buildRead(key));
  expect(body).toMatchObject({ posts: [] });
});

it("repeats a read whose answer was lost, and the caller does not notice", async () => {
  const { key } = await signUp();
  const answer = await callOver({ text: PASSING.lost, times: 2 }, "/v1/posts", buildRead(key));
  expect(answer).toMatchObject({ status: 200, failed: 2, body: { posts: [] } });
});

it("repeats a write that a busy database has not started", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "telegram");
  const init = buildWrite(key, { text: "x", channels: [channel.id], draft: true });
  const answer = await callOver({ text: PASSING.busy, times: 2, statement: /insert into "posts"/ }, "/v1/posts", init);
  expect(answer).toMatchObject({ status: 201, failed: 2 });
});

it("answers 500 to a statement that the database rejects, because that is a bug", async () => {
  const { key } = await signUp();
  const answer = await callOver({ text: REFUSED.error }, "/v1/posts", buildRead(key));
  expect(answer).toMatchObject({ status: 500, retryAfter: null, failed: 1, body: { error: "internal_error" } });
});

it("answers 413 to a post that is larger than a row may be, and does not store it", async () => {
  const { key } = await signUp();
  const channel = await connect(key, "telegram");
  const init = buildWrite(key, { text: "x", channels: [channel.id], draft: true });
  const answer = await callOver({ text: REFUSED.tooBig, statement: /insert into "posts"/ }, "/v1/posts", init);
  expect(answer).toMatchObject({ status: 413, body: { error: "too_large_to_store" } });
});
