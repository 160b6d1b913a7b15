// The account of the signed-in person: its name, password and sessions.

import { describe, expect, it } from "vitest";
import { signInWithPassword } from "../../src/store/accounts/passwords.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { makeEntry } from "../support/audit-entries.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { call, signUp, unique } from "../support/world.ts";
import { changeEmail, getStatus, getUser, login, requestReset, signUpVerified, verifyEmail } from "./own-account.ts";

describe("the name", () => {
  it("the name can be changed and removed", async () => {
    const { session, email } = await signUp();
    const rename = (body: object) => call("PATCH", "/v1/auth/me", { token: session, body });
    expect(await rename({ name: "Ada King" })).toMatchObject({
      status: 200,
      body: { user: { email, name: "Ada King" } },
    });
    expect(await getUser(session)).toMatchObject({ name: "Ada King" });
    expect(await rename({ name: null })).toMatchObject({ status: 200, body: { user: { name: null } } });
  });

  it.each([
    [{ name: "  " }, "invalid_field", "/name"],
    [{ name: "a\nb" }, "invalid_field", "/name"],
    [{ name: "x".repeat(201) }, "invalid_field", "/name"],
    [{ name: 7 }, "invalid_field", "/name"],
    [{}, "missing_field", "/name"],
    [{ name: "Ada", email: "x@example.com" }, "unknown_field", "/email"],
  ])("the name change %j is refused and changes nothing", async (body, error, field) => {
    const { session } = await signUp();
    expect(await call("PATCH", "/v1/auth/me", { token: session, body })).toMatchObject({
      status: 422,
      body: { error, field },
    });
    expect(await getUser(session)).toMatchObject({ name: "Ada" });
  });
});

describe("a new password", () => {
  const change = (session: string, current: string, password: string, headers: Record<string, string> = {}) =>
    call("POST", "/v1/auth/password", { token: session, body: { current, password }, headers });

  it("a new password ends other sessions, client apps, reset links and a pending change of the address", async () => {
    const account = await signUpVerified();
    const { session, password, key } = account;
    const otherSession = (await login(account)).body.token;
    const app = await tokensFor(account, await register());
    await requestReset(account);
    const resetToken = tokenIn((await mailsTo(account.email, 1))[0]);
    const newEmail = `${unique("new")}@example.com`;
    expect((await changeEmail(account, newEmail)).status).toBe(202);
    const changeToken = tokenIn((await mailsTo(newEmail, 1))[0]);

    expect((await change(session, password, "a better horse battery")).status).toBe(204);
    expect([await getStatus(session), await getStatus(otherSession)]).toEqual([200, 401]);
    expect((await login(account)).status).toBe(401);
    expect((await login({ ...account, password: "a better horse battery" })).status).toBe(200);
    const asApp = await call("POST", "/mcp", { token: app.access_token, body: {} });
    expect(asApp.status).toBe(401);
    const reset = { token: resetToken, password: "yet another password" };
    expect(await call("POST", "/v1/auth/reset", { body: reset })).toMatchObject({ status: 422 });
    expect(await verifyEmail(session, changeToken)).toMatchObject({ status: 422 });
    expect((await call("GET", "/v1/workspace", { token: key })).status).toBe(200);
  });

  it("a new password requires the current one, and follows the rules for passwords", async () => {
    const account = await signUp();
    const { session, password } = account;
    const otherSession = (await login(account)).body.token;
    expect(await change(session, "wrong", "a better horse battery")).toMatchObject({
      status: 422,
      body: { error: "current_password_wrong", field: "/current" },
    });
    expect(await change(session, password, "short")).toMatchObject({ body: { error: "password_too_short" } });
    expect(await change(session, password, "password123")).toMatchObject({ body: { error: "password_too_common" } });
    expect([await getStatus(session), await getStatus(otherSession)]).toEqual([200, 200]);
    expect((await login(account)).status).toBe(200);
  });

  it("guesses of the current password are limited as at sign-in, whatever address they come from", async () => {
    const { session, password } = await signUp();
    const from = (i: number) => ({ "cf-connecting-ip": `198.51.100.${i}` });
    const tries: number[] = [];
    for (let i = 1; i <= 6; i++) tries.push((await change(session, "wrong", "a better horse", from(i))).status);
    expect(tries).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await change(session, password, "a better horse", from(7))).status).toBe(429);
    const email = { email: `${unique("x")}@example.com`, password };
    expect((await call("POST", "/v1/auth/email", { token: session, body: email })).status).toBe(429);
  });

  it("an account without a password sets one by the mailed link", async () => {
    const { session, email, password } = await signUp();
    await testEnv.DB.prepare("UPDATE users SET password_hash = NULL WHERE email = ?").bind(email).run();
    expect(await change(session, password, "a better horse battery")).toMatchObject({
      status: 422,
      body: { error: "current_password_wrong", hint: expect.stringContaining("/v1/auth/forgot") },
    });
  });

  it("one of two simultaneous new passwords is stored, and the session that lost the race ends", async () => {
    const account = await signUp();
    const { session, password } = account;
    const otherSession = (await login(account)).body.token;
    const answers = await Promise.all([
      change(session, password, "the first new password"),
      change(otherSession, password, "the second new password"),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 422]);
    const first = answers[0]?.status === 204;
    expect([await getStatus(session), await getStatus(otherSession)]).toEqual(first ? [200, 401] : [401, 200]);
  });

  it("a sign-in with the old password that is under way gets no session, and does not restore the old password", async () => {
    const { email, session, password } = await signUp();
    const hash = () =>
      testEnv.DB.prepare("SELECT password_hash FROM users WHERE email = ?").bind(email).first<string>("password_hash");
    const verified = (await hash()) ?? "";
    const { id: userId } = await getUser(session);
    expect((await change(session, password, "a better horse battery")).status).toBe(204);
    const currentHash = await hash();
    const now = Date.now();
    const row = { tokenHash: unique("h"), userId, createdAt: now, lastSeenAt: now, expiresAt: now + 60_000 };
    const db = openDatabase(testEnv.DB);
    const entry = makeEntry(unique("ws"), "account.signed_in");
    for (const stored of [verified, "$another"]) {
      expect(await signInWithPassword(db, { verified, stored }, row, entry)).toBe(false);
    }
    expect(await hash()).toBe(currentHash);
    expect(
      await testEnv.DB.prepare("SELECT 1 FROM sessions WHERE token_hash = ?").bind(row.tokenHash).first(),
    ).toBeNull();
  });
});

describe("sessions", () => {
  interface SessionPage {
    sessions: { id: string; user_agent: string | null; current: boolean; created_at: string; last_used_at: string }[];
    next: string | null;
  }
  const list = async (session: string, query = "") =>
    (await call<SessionPage>("GET", `/v1/auth/sessions${query}`, { token: session })).body;
  const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

  it("sessions are listed newest first, with their browser and without their secrets", async () => {
    const account = await signUp();
    const { token } = (await login(account, { "user-agent": FIREFOX })).body;
    const { sessions, next } = await list(token);
    expect(next).toBeNull();
    expect(sessions).toMatchObject([
      { id: expect.stringMatching(/^ses_[0-9a-z]{26}$/), user_agent: "Firefox on Linux", current: true },
      { current: false },
    ]);
    expect(JSON.stringify(sessions)).not.toMatch(/sess_/);
    const [newest] = (await list(token, "?limit=1")).sessions;
    expect(newest?.id).toBe(sessions[0]?.id);
    const page = await list(token, "?limit=1");
    expect((await list(token, `?cursor=${page.next}`)).sessions.map(({ id }) => id)).toEqual([sessions[1]?.id]);
    expect(await call("GET", "/v1/auth/sessions?cursor=%21", { token })).toMatchObject({
      status: 422,
      body: { error: "unreadable_cursor" },
    });
  });

  it("sessions from each kind of sign-in are listed, and expired ones are not", async () => {
    const account = await signUp();
    await requestReset(account);
    const reset = { token: tokenIn((await mailsTo(account.email, 1))[0]), password: "a new password" };
    const headers = { "user-agent": "curl/8.5.0" };
    const { token } = (await call<{ token: string }>("POST", "/v1/auth/reset", { body: reset, headers })).body;
    expect((await list(token)).sessions).toMatchObject([{ user_agent: "curl/8.5.0", current: true }]);
    const idle = (await login({ ...account, password: "a new password" })).body.token;
    expect((await list(idle)).sessions).toHaveLength(2);
    await testEnv.DB.prepare(
      "UPDATE sessions SET last_seen_at = 0 WHERE user_agent = 'curl/8.5.0' AND user_id = (SELECT id FROM users WHERE email = ?)",
    )
      .bind(account.email)
      .run();
    expect((await list(idle)).sessions).toMatchObject([{ current: true }]);
  });

  it("sessions are ended one by one and only by their owner, also the current one", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const otherSession = (await login(account)).body.token;
    const { sessions } = await list(otherSession);
    const end = (session: string, id: string) => call("DELETE", `/v1/auth/sessions/${id}`, { token: session });
    const [current, first] = sessions.map(({ id }) => id);
    expect(await end(stranger.session, first ?? "")).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await end(otherSession, first ?? "")).status).toBe(204);
    expect([await getStatus(account.session), await getStatus(otherSession)]).toEqual([401, 200]);
    expect((await end(otherSession, first ?? "")).status).toBe(404);
    expect((await end(otherSession, "ses_x")).status).toBe(404);
    expect((await end(otherSession, current ?? "")).status).toBe(204);
    expect(await getStatus(otherSession)).toBe(401);
  });

  it("sessions that an older version began have an id too, and can be ended", async () => {
    const account = await signUp();
    const { id: userId } = await getUser(account.session);
    const hash = "ab".repeat(32);
    const now = Date.now();
    await testEnv.DB.prepare(
      "INSERT INTO sessions (token_hash, user_id, created_at, last_seen_at, expires_at) VALUES (?, ?, ?3, ?3, ?3 + 60000)",
    )
      .bind(hash, userId, now)
      .run();
    const old = (await list(account.session)).sessions.find(({ current }) => !current);
    expect(old).toMatchObject({ user_agent: null });
    expect((await call("DELETE", `/v1/auth/sessions/${old?.id}`, { token: account.session })).status).toBe(204);
    expect((await list(account.session)).sessions).toHaveLength(1);
  });
});
