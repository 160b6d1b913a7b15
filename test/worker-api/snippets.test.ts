// Texts to insert into posts.
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { call, signUp } from "../support/world.ts";

interface Snippet {
  id: string;
  name: string;
  text: string;
  kind: string;
}

const PATH = "/v1/snippets";
const create = (key: string, body: object) => call<Snippet>("POST", PATH, { token: key, body });
const list = async (key: string, query = "") =>
  (await call<{ snippets: Snippet[]; next: string | null }>("GET", PATH + query, { token: key })).body;

it("a snippet is listed by kind, and can be changed and deleted", async () => {
  const { key } = await signUp();
  const { status, body: text } = await create(key, { name: "Ending", text: "Made\nin London." });
  expect(status).toBe(201);
  expect(text).toEqual({ id: expect.stringMatching(/^snip_/), name: "Ending", text: "Made\nin London.", kind: "text" });
  const { body: tags } = await create(key, { name: "Engines", text: "#engines", kind: "hashtags" });
  expect((await list(key)).snippets).toEqual([tags, text]);
  expect((await list(key, "?kind=text")).snippets).toEqual([text]);
  const changed = await call("PATCH", `${PATH}/${text.id}`, { token: key, body: { text: "Made in Paris." } });
  expect(changed).toMatchObject({ status: 200, body: { ...text, text: "Made in Paris." } });
  expect((await call("PATCH", `${PATH}/${text.id}`, { token: key, body: {} })).body).toEqual(changed.body);
  expect((await call("DELETE", `${PATH}/${text.id}`, { token: key })).status).toBe(204);
  expect((await list(key)).snippets).toEqual([tags]);
  for (const method of ["PATCH", "DELETE"]) {
    const body = method === "PATCH" ? { body: { text: "x" } } : {};
    expect((await call(method, `${PATH}/${text.id}`, { token: key, ...body })).status).toBe(404);
  }
});

it.each([
  ["an empty text", { name: "x", text: "" }],
  ["an unknown kind", { name: "x", text: "x", kind: "emoji" }],
  ["an invisible name", { name: "\u200b", text: "x" }],
])("refuses %s", async (_, body) => {
  const { key } = await signUp();
  expect(await create(key, body)).toMatchObject({ status: 422, body: { error: "invalid_field" } });
});

it("a workspace has at most 500 snippets", async () => {
  const { key } = await signUp();
  const { body } = await create(key, { name: "x", text: "x" });
  await testEnv.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
     INSERT INTO snippets SELECT workspace_id, 'snip_' || i, name, text, kind FROM snippets, n WHERE id = ?`,
  )
    .bind(body.id)
    .run();
  expect(await create(key, { name: "x", text: "x" })).toMatchObject({
    status: 422,
    body: { error: "too_many_entries" },
  });
});
