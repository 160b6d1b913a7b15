import { exports } from "cloudflare:workers";
import { createHmac, scryptSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { call, signUp, unique } from "../support/world.ts";

describe("sign-up and sign-in", () => {
  it("signing up returns a session in the body and as a cookie, lists the workspace and shows no key", async () => {
    const email = `${unique("A")}@Example.com`;
    const answer = await call<{ token: string; user: { email: string }; workspaces: { id: string }[] }>(
      "POST",
      "/v1/auth/signup",
      {
        body: { email, password: "correct horse", workspace: "Press" },
      },
    );
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      token: expect.stringMatching(/^sess_[A-Za-z0-9_-]{43}$/),
      user: { email: email.toLowerCase(), name: null, email_verified: false },
      workspaces: [{ name: "Press", plan: "unlimited", plan_status: "active", timezone: "UTC", role: "owner" }],
    });
    expect(answer.headers.get("set-cookie")).toMatch(/^session=sess_.*HttpOnly.*SameSite=Lax/i);
    expect(JSON.stringify(answer.body)).not.toContain("crier_live_");
    const login = await call<{ token: string }>("POST", "/v1/auth/login", {
      body: { email: email.toUpperCase(), password: "correct horse" },
    });
    expect(login.status).toBe(200);
    expect(login.body.token).not.toBe(answer.body.token);
    const me = await call("GET", "/v1/auth/me", { token: login.body.token });
    expect(me.body).toMatchObject({ user: answer.body.user, workspaces: answer.body.workspaces });
  });

  it("signing up gives the first workspace the requested time zone in its canonical spelling", async () => {
    const body = { email: `${unique("zone")}@example.com`, password: "correct horse", timezone: "america/new_york" };
    const answer = await call("POST", "/v1/auth/signup", { body });
    expect(answer).toMatchObject({ status: 201, body: { workspaces: [{ timezone: "America/New_York" }] } });
  });

  it.each(["Mars/X", "", "+02:00", "x".repeat(101)])(
    "signing up with the time zone %j is refused and creates no account",
    async (timezone) => {
      const body = { email: `${unique("zone")}@example.com`, password: "correct horse" };
      const refused = await call("POST", "/v1/auth/signup", { body: { ...body, timezone } });
      expect(refused).toMatchObject({ status: 422, body: { error: "timezone_unknown", field: "/timezone" } });
      expect((await call("POST", "/v1/auth/signup", { body })).status).toBe(201);
    },
  );

  it("no password, token or key is stored in plain text", async () => {
    const account = await signUp();
    const { results } = await testEnv.DB.prepare(
      "SELECT (SELECT json_group_array(json_array(email, password_hash)) FROM users) || (SELECT json_group_array(token_hash) FROM sessions) || (SELECT json_group_array(json_array(hash, sealed)) FROM workspace_keys) AS everything",
    ).all<{ everything: string }>();
    const everything = results[0]?.everything ?? "";
    expect(everything).toContain(account.email);
    for (const secret of [account.password, account.session, account.key]) expect(everything).not.toContain(secret);
    expect(everything).toContain("$scrypt$");
  });

  it.each([
    [{ email: "no-address", password: "12345678" }, "email_invalid", "/email"],
    [{ email: "a@b.example", password: "1234567" }, "password_too_short", "/password"],
    [{ password: "12345678" }, "missing_field", "/email"],
    [{ email: "a@b.example", password: "12345678", role: "admin" }, "unknown_field", "/role"],
    [{ email: "a@b.example\r\nBcc: x@y.example", password: "12345678" }, "email_invalid", "/email"],
  ])("signing up with %j is refused with %s", async (body, error, field) => {
    const answer = await call("POST", "/v1/auth/signup", { body });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });

  it("an email address that is already used is answered with 409 in any letter case", async () => {
    const { email } = await signUp();
    const answer = await call("POST", "/v1/auth/signup", {
      body: { email: email.toUpperCase(), password: "another one" },
    });
    expect(answer).toMatchObject({ status: 409, body: { error: "email_taken" } });
  });

  it("an unknown email address and a wrong password get the same answer", async () => {
    const { email } = await signUp();
    const wrong = await call("POST", "/v1/auth/login", { body: { email, password: "not it at all" } });
    const unknown = await call("POST", "/v1/auth/login", { body: { email: `x${email}`, password: "not it at all" } });
    expect(wrong.status).toBe(401);
    expect({ ...unknown.body, request_id: null }).toEqual({ ...wrong.body, request_id: null });
  });

  it("signing out ends the session immediately", async () => {
    const { session } = await signUp();
    expect((await call("POST", "/v1/auth/logout", { token: session })).status).toBe(204);
    expect(await call("GET", "/v1/auth/me", { token: session })).toMatchObject({
      status: 401,
      body: { error: "session_expired" },
    });
  });
});

describe("sessions and stored passwords", () => {
  it("a session ends after 14 idle days, and after 30 days at the latest", async () => {
    const [idle, old, fresh] = [await signUp(), await signUp(), await signUp()];
    const age = (column: string, days: number, { email }: { email: string }) =>
      testEnv.DB.prepare(
        `UPDATE sessions SET ${column} = ${column} - ? WHERE user_id = (SELECT id FROM users WHERE email = ?)`,
      )
        .bind(days * 86_400_000, email)
        .run();
    await age("last_seen_at", 14, idle);
    await age("expires_at", 30, old);
    await age("last_seen_at", 13.9, fresh);
    const status = async ({ session }: { session: string }) =>
      (await call("GET", "/v1/auth/me", { token: session })).status;
    expect([await status(idle), await status(old), await status(fresh)]).toEqual([401, 401, 200]);
  });

  it("a user has at most fifty sessions, and the oldest end first", async () => {
    const { email, session } = await signUp();
    await testEnv.DB.prepare(
      `INSERT INTO sessions (token_hash, user_id, created_at, last_seen_at, expires_at) SELECT 'old' || value || ?1, users.id, 5 + value, ?2, ?3 FROM users, json_each(?4) WHERE email = ?1`,
    )
      .bind(email, Date.now(), Date.now() + 86_400_000, JSON.stringify([...Array(60).keys()]))
      .run();
    expect((await call("POST", "/v1/auth/login", { body: { email, password: "correct horse battery" } })).status).toBe(
      200,
    );
    const remaining = await testEnv.DB.prepare(
      "SELECT COUNT(*) AS n FROM sessions WHERE user_id = (SELECT id FROM users WHERE email = ?)",
    )
      .bind(email)
      .first("n");
    expect(remaining).toBe(50);
    expect((await call("GET", "/v1/auth/me", { token: session })).status).toBe(200);
  });

  it("a password hash with outdated parameters is replaced at the next sign-in", async () => {
    const { email, password } = await signUp();
    const pepper = createHmac("sha256", testEnv.PASSWORD_PEPPER ?? "")
      .update(password)
      .digest();
    const salt = Buffer.alloc(16, 7);
    const weak = scryptSync(pepper, salt, 32, { N: 2 ** 12, r: 8, p: 1 })
      .toString("base64")
      .replaceAll("=", "");
    const readHash = () =>
      testEnv.DB.prepare("SELECT password_hash FROM users WHERE email = ?").bind(email).first<string>("password_hash");
    await testEnv.DB.prepare("UPDATE users SET password_hash = ? WHERE email = ?")
      .bind(`$scrypt$ln=12,r=8,p=1$${salt.toString("base64").replaceAll("=", "")}$${weak}`, email)
      .run();
    const login = () => call("POST", "/v1/auth/login", { body: { email, password } });
    expect((await login()).status).toBe(200);
    expect(await readHash()).not.toMatch(/^\$scrypt\$ln=12,/);
    expect((await login()).status).toBe(200);
  });

  it.each([
    ["ada+tag@example.com", 201],
    ["ADA.Lovelace@EXAMPLE.com", 201],
    [" spaces@example.com ", 201],
    [`${"a".repeat(64)}@${"b".repeat(60)}.example.com`, 201],
    [`${"a".repeat(250)}@example.com`, 422],
    ["ada@example", 422],
    ["ada@example.com.", 422],
    ["ada@@example.com", 422],
    ["ada@bücher.example", 422],
    ["", 422],
  ])("signing up with the email address %j is answered with %i", async (typed, status) => {
    const email =
      status === 201
        ? typed.replace("@", `${unique("x")}@`.toLowerCase()).replace("a".repeat(64), "a".repeat(40))
        : typed;
    const answer = await call("POST", "/v1/auth/signup", { body: { email, password: "correct horse" } });
    expect(answer.status).toBe(status);
    if (status === 422) expect(answer.body).toMatchObject({ error: "email_invalid", field: "/email" });
  });
});

describe("credentials", () => {
  const LIST = "/v1/channels";

  it("no credential, a broken or unknown key and an invented session are answered with 401", async () => {
    const { key } = await signUp();
    const flipped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
    for (const token of [null, flipped, "crier_live_x", "sess_x", `sess_${"A".repeat(43)}`, "something"]) {
      const answer = await call("GET", LIST, { token });
      expect(answer.status, String(token)).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("a key works only in its own workspace", async () => {
    const [mine, stranger] = [await signUp(), await signUp()];
    expect((await call("GET", LIST, { token: mine.key })).status).toBe(200);
    expect((await call("GET", LIST, { token: mine.key, headers: { "x-workspace": mine.workspace } })).status).toBe(200);
    expect((await call("GET", LIST, { token: mine.key, headers: { "x-workspace": stranger.workspace } })).status).toBe(
      403,
    );
    expect((await call("GET", `${LIST}?workspace=${stranger.workspace}`, { token: mine.key })).status).toBe(403);
  });

  it("a session must name exactly one workspace of its user", async () => {
    const [mine, stranger] = [await signUp(), await signUp()];
    const header = { "x-workspace": mine.workspace };
    expect(await call("GET", LIST, { token: mine.session })).toMatchObject({
      status: 422,
      body: { error: "workspace_required" },
    });
    expect((await call("GET", LIST, { token: mine.session, headers: header })).status).toBe(200);
    expect((await call("GET", `${LIST}?workspace=${mine.workspace}`, { token: mine.session })).status).toBe(200);
    const foreign = await call("GET", LIST, { token: mine.session, headers: { "x-workspace": stranger.workspace } });
    expect(foreign).toMatchObject({ status: 403, body: { error: "not_a_member" } });
    const contradiction = await call("GET", `${LIST}?workspace=${stranger.workspace}`, {
      token: mine.session,
      headers: header,
    });
    expect(contradiction).toMatchObject({ status: 422, body: { error: "invalid_field" } });
  });

  it("a key is refused on a session route, and a stranger cannot read another workspace's key", async () => {
    const [mine, stranger] = [await signUp(), await signUp()];
    const path = `/v1/workspaces/${mine.workspace}/key`;
    expect(await call("GET", path, { token: mine.key })).toMatchObject({
      status: 403,
      body: { error: "key_not_allowed" },
    });
    expect(await call("GET", path, { token: stranger.session })).toMatchObject({
      status: 403,
      body: { error: "not_a_member" },
    });
    expect((await call("GET", path, { token: mine.session })).headers.get("cache-control")).toBe("no-store");
  });

  it("a cookie is accepted as a credential, but not for changes from another origin", async () => {
    const { session, workspace } = await signUp();
    const cookie = { cookie: `session=${session}`, "x-workspace": workspace };
    expect((await call("GET", LIST, { headers: cookie })).status).toBe(200);
    const body = { platform: "telegram", handle: "@x" };
    const foreign: Record<string, string>[] = [
      {},
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ];
    for (const extra of foreign) {
      const answer = await call("POST", LIST, { headers: { ...cookie, ...extra }, body });
      expect(answer, JSON.stringify(extra)).toMatchObject({ status: 403, body: { error: "csrf_refused" } });
    }
    const csv = (type: string) =>
      exports.default.fetch("http://crier.test/v1/posts/import?dry_run=true", {
        method: "POST",
        headers: { ...cookie, "sec-fetch-site": "same-origin", "content-type": type },
        body: "text,channels\n",
      });
    // A form on any page could send text/plain, so that stays refused. Only our own page can send text/csv.
    expect((await csv("text/plain")).status).toBe(403);
    expect((await csv("text/csv")).status).toBe(200);
    expect((await call("POST", LIST, { headers: { ...cookie, "sec-fetch-site": "same-origin" }, body })).status).toBe(
      201,
    );
    expect((await call("POST", LIST, { headers: { ...cookie, origin: "http://crier.test" }, body })).status).toBe(200);
  });
});
