// The requests and the search of the API reference's script. A browser test covers the rest of the page.
import { createContext, runInContext, Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { PARTS, SCRIPT } from "../../src/http/docs/script.ts";
import { openApi } from "../../src/http/openapi/document.ts";

interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string; required: boolean }[];
  isPublic: boolean;
  body?: string;
}
interface Parts {
  matches(text: string, query: string): boolean;
  readable(text: string): string;
  operationsOf(document: object): Record<string, Operation>;
  requestOf(
    operation: Operation,
    values: Record<string, string>,
    as: { credential: string; workspace: string },
    body?: string,
  ): [url: string, init: RequestInit];
}
const NO_CREDENTIAL = { credential: "", workspace: "" };
const KEY = { credential: "k", workspace: "" };
const { matches, readable, operationsOf, requestOf }: Parts = runInContext(
  `${PARTS}\n({ matches, readable, operationsOf, requestOf })`,
  createContext({ URLSearchParams }),
);
const operations = operationsOf(openApi("http://crier.test", "1"));
const getOperation = (id: string) => operations[id] ?? expect.fail(`no operation ${id}`);

it("the script of the reference page is valid JavaScript that can be embedded in HTML", () => {
  expect(() => new Script(SCRIPT)).not.toThrow();
  expect(SCRIPT).not.toContain("</");
});

describe("a call from the reference page", () => {
  it.each([".", ".."])("the reference page refuses an id of %s, which would change the path", (id) => {
    expect(() => requestOf(getOperation("posts.take-down"), { id: "post_1", channel: id }, KEY)).toThrow(
      `channel cannot be "${id}".`,
    );
  });

  it.each(["//evil.test", "https://evil.test", "\\\\evil.test", "@evil.test", "a/../../x", "a?b#c", "%2e%2e", "a\nb"])(
    "a call from the reference page keeps its path and its origin with an id of %j",
    (id) => {
      for (const [name, { path, method, parameters, isPublic, body }] of Object.entries(operations)) {
        const values = Object.fromEntries(parameters.map((parameter) => [parameter.name, id]));
        const [url, init] = requestOf({ path, method, parameters, isPublic }, values, KEY, body);
        const { origin, pathname } = new URL(url, "http://crier.test");
        expect([origin, pathname.split("/").length], name).toEqual(["http://crier.test", path.split("/").length]);
        expect(init).toMatchObject({ credentials: "omit" });
      }
    },
  );

  it("a call from the reference page has its parameters in path and query, and the typed credential instead of a cookie", () => {
    const values = { id: "post_1/2", "Idempotency-Key": "k" };
    expect(requestOf(getOperation("posts.get"), values, { credential: "crier_live_x", workspace: "ws_1" })).toEqual([
      "/v1/posts/post_1%2F2",
      expect.objectContaining({
        method: "GET",
        headers: { Authorization: "Bearer crier_live_x" },
        credentials: "omit",
      }),
    ]);
    const [url, init] = requestOf(
      getOperation("posts.list"),
      { limit: "2", status: "draft", cursor: "" },
      NO_CREDENTIAL,
    );
    expect([...new URL(url, "http://crier.test").searchParams]).toEqual(
      expect.arrayContaining([
        ["limit", "2"],
        ["status", "draft"],
      ]),
    );
    expect(url).not.toContain("cursor");
    expect(init.headers).toEqual({});
  });

  it("a call from the reference page uses the session if a workspace is chosen and no credential is typed", () => {
    const [, init] = requestOf(getOperation("posts.list"), {}, { credential: "", workspace: "ws_1" });
    expect(init).toMatchObject({ headers: { "X-Workspace": "ws_1" }, credentials: "same-origin" });
    expect(requestOf(getOperation("posts.list"), {}, NO_CREDENTIAL)[1]).toMatchObject({
      headers: {},
      credentials: "omit",
    });
  });

  it("a call from the reference page sends the example's body and idempotency key, and is refused without a required id", () => {
    const create = getOperation("posts.create");
    const body = create.body ?? "";
    expect(JSON.parse(body)).toHaveProperty("channels");
    const [url, init] = requestOf(create, { "Idempotency-Key": "once" }, KEY, body);
    expect(url).toBe("/v1/posts");
    expect(init).toMatchObject({
      method: "POST",
      body,
      headers: { "Idempotency-Key": "once", "Content-Type": "application/json" },
    });
    expect(() => requestOf(getOperation("posts.get"), { id: "" }, KEY)).toThrow("id is missing.");
  });

  it("the reference page has every operation with all its path parameters", () => {
    expect(Object.keys(operations).length).toBeGreaterThan(40);
    for (const [id, { path, parameters }] of Object.entries(operations)) {
      const pathParameters = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect(pathParameters.toSorted(), id).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).toSorted(),
      );
    }
    expect(getOperation("posts.create").isPublic).toBe(false);
  });

  it("the reference page indents JSON answers and shows other answers unchanged", () => {
    expect(readable('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(readable("Service Unavailable")).toBe("Service Unavailable");
  });
});

it("a search in the reference finds operations that have every word, in any order and any case", () => {
  expect(matches("POST /v1/posts Create a post publish_at", "publish POST")).toBe(true);
  expect(matches("POST /v1/posts Create a post", "post webhook")).toBe(false);
  expect(matches("anything", "")).toBe(true);
});
