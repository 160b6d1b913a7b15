// Addresses and headers that lead nowhere: 404, 405 with what is allowed, 401, never a guess.
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { type Account, call, post, signUp } from "../support/world.ts";

let account: Account;
let draft: string;
beforeAll(async () => {
  account = await signUp();
  draft = (await post(account.key, { draft: true, text: "x" })).id;
});

const all: Operation[] = Object.values(operations);
const withId = all.filter(({ path, auth }) => path.endsWith("/:id") && auth === "key_or_session");

describe("an id that nothing has is 404, by every call that takes one:", () => {
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
  it.each(withId.map(({ method, path }) => [method, path]))("%s %s", async (method, path) => {
    const body = method === "PATCH" ? { ...(path.includes("media") ? { alt: "x" } : { text: "x" }) } : undefined;
    for (const id of ids) {
      const answer = await call(method, path.replace(":id", id), { token: account.key, body });
      expect(answer, id).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });

  it("also one that exists, in capitals or with something behind it", async () => {
    for (const id of [draft.toUpperCase(), `${draft}x`, `${draft}%20`, `${draft}%00`, `%20${draft}`, `${draft},x`]) {
      expect((await call("GET", `/v1/posts/${id}`, { token: account.key })).status, id).toBe(404);
    }
    expect((await call("GET", `/v1/posts/${draft}`, { token: account.key })).status).toBe(200);
  });
});

describe("an address that nothing has is 404:", () => {
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
  ])("%s", async (path) => {
    const answer = await call("GET", path, { token: account.key });
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("and what it says does not depend on who asks", async () => {
    const neutral = (answer: { body: object }) => ({ ...answer.body, request_id: "" });
    const known = await call("GET", "/v1/nothing", { token: account.key });
    expect(neutral(await call("GET", "/v1/nothing"))).toEqual(neutral(known));
  });
});

describe("a method that an address does not take is 405 and names those that it does:", () => {
  const paths = Map.groupBy(all, ({ path }) => path);
  it.each([...paths].map(([path, taken]) => [path, taken.map(({ method }) => method).sort()] as const))(
    "%s takes %j",
    async (path, allowed) => {
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
        (method) => !allowed.some((name) => name === method),
      );
      for (const method of others) {
        const answer = await call(method, path.replaceAll(/:\w+/g, "x"), { token: account.key });
        expect(answer, method).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
        expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(allowed);
        expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id);
      }
    },
  );

  it("HEAD is GET without a body", async () => {
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
  ])("%j is 401 with WWW-Authenticate", async (authorization) => {
    const answer = await call("GET", "/v1/posts", { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("of two keys is 401: nobody guesses which one is meant", async () => {
    const headers = new Headers({ authorization: `Bearer ${account.key}` });
    headers.append("authorization", `Bearer ${account.key}`);
    const answer = await exports.default.fetch(new Request("http://crier.test/v1/posts", { headers }));
    expect(answer.status).toBe(401);
    await answer.text();
  });

  it("is read in any case of its scheme and with any white space around", async () => {
    for (const authorization of [`bearer ${account.key}`, `BEARER   ${account.key}`, `  Bearer ${account.key}  `]) {
      expect((await call("GET", "/v1/posts", { headers: { authorization } })).status, authorization).toBe(200);
    }
  });

  it("is no key in other cases or with a character less", async () => {
    const { key } = account;
    for (const token of [key.toUpperCase(), key.slice(0, -1), `${key}x`, key.replace("crier", "Crier"), `"${key}"`]) {
      expect((await call("GET", "/v1/posts", { token })).status, token).toBe(401);
    }
  });

  it("is asked for before anything of the request is judged", async () => {
    const answer = await call("POST", "/v1/posts", { body: "[" });
    expect(answer).toMatchObject({ status: 401, body: { error: "unauthorized" } });
  });
});

describe("X-Workspace", () => {
  const list = (headers: Record<string, string>, query = "", token = account.session) =>
    call("GET", `/v1/posts${query}`, { token, headers });

  it("and the parameter must agree, and name one", async () => {
    const { workspace } = account;
    expect((await list({ "x-workspace": workspace }, `?workspace=${workspace}`)).status).toBe(200);
    expect(await list({ "x-workspace": workspace }, "?workspace=ws_x")).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field: "/workspace" },
    });
    expect(await list({})).toMatchObject({ status: 422, body: { error: "workspace_required" } });
    for (const none of ["", "null", "ws_01j00000000000000000000000", "' OR 1=1 --", `${workspace}, ${workspace}`]) {
      expect(await list({ "x-workspace": none }), none).toMatchObject({
        status: 403,
        body: { error: "not_a_member" },
      });
    }
  });

  it("given twice as a parameter is two names", async () => {
    const { workspace } = account;
    const twice = await list({}, `?workspace=${workspace}&workspace=ws_x`);
    expect(twice.status).toBe(422);
  });

  it("of another workspace with a key is 403, of its own is fine", async () => {
    const stranger = await signUp();
    const named = (name: string) => list({ "x-workspace": name }, "", account.key);
    expect(await named(stranger.workspace)).toMatchObject({ status: 403, body: { error: "not_a_member" } });
    expect((await named(account.workspace)).status).toBe(200);
  });
});

describe("a query", () => {
  it("that nobody asked for is left alone, however long and strange", async () => {
    const strange = "__proto__=1&constructor=2&a[b]=c&%00=%00&%ff=%ff&=&&&toString=x";
    expect((await call("GET", `/v1/posts?${strange}`, { token: account.key })).status).toBe(200);
    expect((await call("GET", `/v1/posts?x=${"y".repeat(10_000)}`, { token: account.key })).status).toBe(200);
  });
});
