// The registration of clients, and how long they are kept.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { OAUTH_UNUSED_CLIENTS_MAX } from "../../src/domain/limits.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { testEnv } from "../support/env.ts";
import { codeFor, isRegistered, REDIRECT, register } from "../support/oauth.ts";
import { call, signUp, unique } from "../support/world.ts";

const DAY_MS = 86_400_000;
const sweepNow = () => sweep(compose(testEnv, () => {}));

describe("registration", () => {
  it("a registration returns an id and the registered values, without the values that are not supported", async () => {
    const answer = await call("POST", "/oauth/register", {
      body: {
        client_name: "Assistant",
        client_uri: "https://assistant.example",
        redirect_uris: [REDIRECT, "assistant://callback", "http://127.0.0.1:8080/cb"],
        grant_types: ["authorization_code", "refresh_token", "implicit"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        scope: "everything",
        logo_uri: "https://assistant.example/logo.png",
        software_id: 5,
      },
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        client_id: expect.stringMatching(/^client_/),
        client_name: "Assistant",
        client_uri: "https://assistant.example",
        redirect_uris: [REDIRECT, "http://127.0.0.1:8080/cb"],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        scope: "mcp",
      },
    });
    expect(answer.body).not.toHaveProperty("client_secret");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each([
    [{ redirect_uris: undefined }, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris: "https://a.example" }, "invalid_redirect_uri"],
    [{ redirect_uris: [5] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://a.example/cb"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["data:text/html,x"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["https://a.example/cb#fragment"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["https://user@a.example/cb"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["/relative"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [`https://a.example/${"x".repeat(2_048)}`] }, "invalid_redirect_uri"],
    [{ redirect_uris: Array(21).fill(REDIRECT) }, "invalid_redirect_uri"],
    [{ client_name: "x".repeat(101) }, "invalid_client_metadata"],
    [{ client_name: "Good\u202eemaN" }, "invalid_client_metadata"],
    [{ client_name: "Zero\u200bwidth" }, "invalid_client_metadata"],
    [{ client_name: "Two\nlines" }, "invalid_client_metadata"],
    [{ client_name: "  " }, "invalid_client_metadata"],
    [{ client_name: 5 }, "invalid_client_metadata"],
    [{ grant_types: ["client_credentials"] }, "invalid_client_metadata"],
    [{ response_types: ["token"] }, "invalid_client_metadata"],
    [{ token_endpoint_auth_method: "private_key_jwt" }, "invalid_client_metadata"],
  ])("a registration with %j is refused with %s", async (changes, error) => {
    const body = { redirect_uris: [REDIRECT], client_name: "A", token_endpoint_auth_method: "none", ...changes };
    expect(await call("POST", "/oauth/register", { body })).toMatchObject({
      status: 400,
      body: { error, error_description: expect.any(String) },
    });
  });

  it("a registration whose body is not a JSON object is refused", async () => {
    for (const body of ["", "null", "[]", "{", '"x"'])
      expect(await call("POST", "/oauth/register", { body }), body).toMatchObject({
        status: 400,
        body: { error: "invalid_client_metadata" },
      });
  });

  it("the registrations of one network address are limited", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 70 }, async () => {
        const headers = { "cf-connecting-ip": "203.0.113.78" };
        return (await call("POST", "/oauth/register", { headers, body: { redirect_uris: [REDIRECT] } })).status;
      }),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });
});

describe("an unused client", () => {
  const age = (id: string, column: "created_at" | "used_at", ms: number) =>
    testEnv.DB.prepare(`UPDATE oauth_clients SET ${column} = ? WHERE id = ?`)
      .bind(Date.now() - ms, id)
      .run();

  it("a client is deleted after ninety days without use, and not before", async () => {
    const account = await signUp();
    const [unused, young, used, old] = [await register(), await register(), await register(), await register()];
    await codeFor(account, used);
    await codeFor(account, old);
    await age(unused.id, "created_at", 90 * DAY_MS + 1_000);
    await age(young.id, "created_at", 89 * DAY_MS);
    await age(used.id, "created_at", 200 * DAY_MS);
    await age(old.id, "used_at", 90 * DAY_MS + 1_000);
    await sweepNow();
    expect([
      await isRegistered(unused.id),
      await isRegistered(young.id),
      await isRegistered(used.id),
      await isRegistered(old.id),
    ]).toEqual([false, true, true, false]);
  });

  it("the oldest unused client makes room once there are very many, and a client with a grant does not", async () => {
    const account = await signUp();
    const [oldest, used] = [await register(), await register()];
    await codeFor(account, used);
    await age(oldest.id, "created_at", 2 * DAY_MS);
    await age(used.id, "created_at", 3 * DAY_MS);
    const prefix = unique("crowd");
    await testEnv.DB.prepare(
      `INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       SELECT ?2 || i, 'crowd', '[]', 'none', ?3 FROM n`,
    )
      .bind(OAUTH_UNUSED_CLIENTS_MAX, prefix, Date.now() - DAY_MS)
      .run();
    const newest = await register();
    expect([await isRegistered(oldest.id), await isRegistered(used.id), await isRegistered(newest.id)]).toEqual([
      false,
      true,
      true,
    ]);
    const count = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM oauth_clients WHERE used_at IS NULL").first("n");
    expect(count).toBe(OAUTH_UNUSED_CLIENTS_MAX);
    await testEnv.DB.prepare("DELETE FROM oauth_clients WHERE id LIKE ? || '%'").bind(prefix).run();
  });
});
