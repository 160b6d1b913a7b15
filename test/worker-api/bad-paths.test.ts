// Invalid addresses and headers are answered with 404, with 401, or with 405 and the allowed methods.
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { type Account, call, post, signUp } from "../support/world.ts";

/** A field of the resources that can be changed; the others have a text. */
const PATCHED: [path: string, field: string][] = [
  ["media", "alt"],
  ["portals", "name"],
  ["channel-groups", "name"],
  ["feeds", "name"],
  ["webhooks", "url"],
];

let account: Account;
let draft: string;
beforeAll(async () => {
  account = await signUp();
  draft = (await post(account.key, { draft: true, text: "x" })).id;
});

const allOperations: Operation[] = Object.values(operations);
const withId = allOperations.filter(({ path, auth }) => path.endsWith("/:id") && auth === "key_or_session");

describe("an unknown id", () => {
  const ids = [
    "x",
    "%20",
    "%00",
    "%2e%2e",
    "..%2f..",
    "..%5c..",
    "%2F",
    "%252e%252e",
    "%E0%A4%A",
    "%ff",
    "%F0%9F%98%80",
    "'%20OR%201=1%20--",
    "%22%3B%20DROP%20TABLE%20posts;--",
    "*",
    "%25",
    "_",
    "null",
    "undefined",
    "constructor",
    "__proto__",
    "x".repeat(2_048),
    ...["post", "ch", "med", "ws", "usr"].map((prefix) => `${prefix}_01j00000000000000000000000`),
  ];
  it.each(withId.map(({ method, path }) => [method, path]))(
    "%s %s answers 404 for an unknown id",
    async (method, path) => {
      const [, field = "text"] = PATCHED.find(([name]) => path.includes(name)) ?? [];
      const body = method === "PATCH" ? { [field]: "x" } : undefined;
      for (const id of ids) {
        const answer = await call(method, path.replace(":id", id), { token: account.key, body });
        expect(answer, id).toMatchObject({ status: 404, body: { error: "not_found" } });
      }
    },
  );

  it("an existing id in capitals or with further characters is unknown", async () => {
    for (const id of [draft.toUpperCase(), `${draft}x`, `${draft}%20`, `${draft}%00`, `%20${draft}`, `${draft},x`]) {
      expect((await call("GET", `/v1/posts/${id}`, { token: account.key })).status, id).toBe(404);
    }
    expect((await call("GET", `/v1/posts/${draft}`, { token: account.key })).status).toBe(200);
  });
});

describe("an unknown address", () => {
  it.each([
    "/v1",
    "/v1/",
    "/v2/posts",
    "/v1/posts/",
    "/v1//posts",
    "//v1/posts",
    "/V1/posts",
    "/v1/Posts",
    "/v1/posts.json",
    "/v1/posts;x=1",
    "/v1/posts%2f",
    "/v1/posts%00",
    "/v1/%70osts/..",
    `/v1/posts/x/y`,
    "/v1/media/upload-url/x",
    "/v1/constructor",
    "/v1/__proto__",
    "/.env",
    "/v1/posts/x/deliveries",
  ])("the address %s is answered with 404", async (path) => {
    const answer = await call("GET", path, { token: account.key });
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("the answer for an unknown address does not depend on the caller", async () => {
    const neutral = (answer: { body: object }) => ({ ...answer.body, request_id: "" });
    const answerWithKey = await call("GET", "/v1/nothing", { token: account.key });
    expect(neutral(await call("GET", "/v1/nothing"))).toEqual(neutral(answerWithKey));
  });
});

describe("a method that an address does not accept", () => {
  const paths = Map.groupBy(allOperations, ({ path }) => path);
  it.each(
    [...paths].map(([path, pathOperations]) => [path, pathOperations.map(({ method }) => method).sort()] as const),
  )("%s accepts %j, and answers 405 with these methods to any other method", async (path, allowed) => {
    const otherMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
      (method) => !allowed.some((name) => name === method),
    );
    for (const method of otherMethods) {
      const answer = await call(method, path.replaceAll(/:\w+/g, "x"), { token: account.key });
      expect(answer, method).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
      expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(allowed);
      expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id);
    }
  });

  it("HEAD is answered like GET, without a body", async () => {
    const answer = await exports.default.fetch(
      new Request("http://crier.test/v1/posts", {
        method: "HEAD",
        headers: { authorization: `Bearer ${account.key}` },
      }),
    );
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });
});

describe("Authorization", () => {
  it.each([
    "",
    " ",
    "Bearer",
    "Bearer ",
    "Bearer  ",
    "Basic eDp5",
    "Bearer x y",
    "Bearer null",
    "Bearer crier_live_",
    `Bearer crier_live_${"0".repeat(49)}`,
    `Bearer crier_live_${"0".repeat(10_000)}`,
    "Bearer sess_",
    `Bearer sess_${"A".repeat(43)}`,
    "Digest username=x",
    "bearer,bearer",
  ])("the Authorization header %j is answered with 401 and WWW-Authenticate", async (authorization) => {
    const answer = await call("GET", "/v1/posts", { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("two Authorization headers are answered with 401, because either key could be meant", async () => {
    const headers = new Headers({ authorization: `Bearer ${account.key}` });
    headers.append("authorization", `Bearer ${account.key}`);
    const answer = await exports.default.fetch(new Request("http://crier.test/v1/posts", { headers }));
    expect(answer.status).toBe(401);
    await answer.text();
  });

  it("the Authorization header is read in any letter case of its scheme and with any white space", async () => {
    for (const authorization of [`bearer ${account.key}`, `BEARER   ${account.key}`, `  Bearer ${account.key}  `]) {
      expect((await call("GET", "/v1/posts", { headers: { authorization } })).status, authorization).toBe(200);
    }
  });

  it("a key in another letter case, or with a character more or less, is rejected", async () => {
    const { key } = account;
    for (const token of [key.toUpperCase(), key.slice(0, -1), `${key}x`, key.replace("crier", "Crier"), `"${key}"`]) {
      expect((await call("GET", "/v1/posts", { token })).status, token).toBe(401);
    }
  });

  it("the credential is checked before the body", async () => {
    const answer = await call("POST", "/v1/posts", { body: "[" });
    expect(answer).toMatchObject({ status: 401, body: { error: "unauthorized" } });
  });
});

describe("X-Workspace", () => {
  const list = (headers: Record<string, string>, query = "", token = account.session) =>
    call("GET", `/v1/posts${query}`, { token, headers });

  it("the header and the parameter must name the same existing workspace", async () => {
    const { workspace } = account;
    expect((await list({ "x-workspace": workspace }, `?workspace=${workspace}`)).status).toBe(200);
    expect(await list({ "x-workspace": workspace }, "?workspace=ws_x")).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field: "/workspace" },
    });
    expect(await list({})).toMatchObject({ status: 422, body: { error: "workspace_required" } });
    for (const invalidName of [
      "",
      "null",
      "ws_01j00000000000000000000000",
      "' OR 1=1 --",
      `${workspace}, ${workspace}`,
    ]) {
      expect(await list({ "x-workspace": invalidName }), invalidName).toMatchObject({
        status: 403,
        body: { error: "not_a_member" },
      });
    }
  });

  it("two different workspaces in the parameter are rejected", async () => {
    const { workspace } = account;
    const twice = await list({}, `?workspace=${workspace}&workspace=ws_x`);
    expect(twice.status).toBe(422);
  });

  it("a key is refused with the name of another workspace and accepted with its own", async () => {
    const stranger = await signUp();
    const listIn = (name: string) => list({ "x-workspace": name }, "", account.key);
    expect(await listIn(stranger.workspace)).toMatchObject({ status: 403, body: { error: "not_a_member" } });
    expect((await listIn(account.workspace)).status).toBe(200);
  });
});

describe("a query", () => {
  it("unknown parameters are ignored, however long and strange they are", async () => {
    const strange = "__proto__=1&constructor=2&a[b]=c&%00=%00&%ff=%ff&=&&&toString=x";
    expect((await call("GET", `/v1/posts?${strange}`, { token: account.key })).status).toBe(200);
    expect((await call("GET", `/v1/posts?x=${"y".repeat(10_000)}`, { token: account.key })).status).toBe(200);
  });
});
