// What belongs to the signed-in person: name, password, address, sessions.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import worker from "../../src/index.ts";
import { sendAccountMail } from "../../src/maintenance/send-account-mail.ts";
import { signInWithPassword } from "../../src/store/accounts/passwords.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, proofsTo, tokenIn } from "../support/mails.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { expectNothingLeft, prepareAccount } from "../support/unproven-account.ts";
import { type Account, call, connect, signUp, unique } from "../support/world.ts";

const login = async ({ email, password }: { email: string; password: string }, headers: Record<string, string> = {}) =>
  call<{ token: string }>("POST", "/v1/auth/login", { body: { email, password }, headers });
const statusOf = async (session: string) => (await call("GET", "/v1/auth/me", { token: session })).status;
const me = async (session: string) =>
  (
    await call<{ user: { id: string; email: string; email_verified: boolean } }>("GET", "/v1/auth/me", {
      token: session,
    })
  ).body.user;
const proof = async ({ email }: { email: string }) => tokenIn((await proofsTo(email, 1))[0]);
const verify = (session: string, token: string) => call("POST", "/v1/auth/verify", { token: session, body: { token } });
const proven = async () => {
  const account = await signUp();
  expect((await verify(account.session, await proof(account))).status).toBe(200);
  return account;
};
const forgot = async ({ email }: { email: string }) => {
  expect((await call("POST", "/v1/auth/forgot", { body: { email } })).status).toBe(202);
};
const changeEmail = ({ session, password }: Account, email: string) =>
  call("POST", "/v1/auth/email", { token: session, body: { email, password } });

/** What a deployment without mail answers. */
async function withoutMail(path: string, session: string, body?: object) {
  const execution = createExecutionContext();
  const headers = { authorization: `Bearer ${session}`, "content-type": "application/json" };
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://crier.test${path}`, {
    method: "POST",
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await worker.fetch(request, { ...testEnv, MAIL_FROM: undefined }, execution);
  await waitOnExecutionContext(execution);
  return { status: response.status, body: await response.json() };
}

describe("proving the address", () => {
  it("is asked for by mail at sign-up; in a session of that account it ends nothing, and again is no error", async () => {
    const account = await signUp();
    const { email, session, key } = account;
    const other = (await login(account)).body.token;
    const channel = await connect(key, "bluesky");
    const [mail] = await proofsTo(email, 1);
    expect(mail?.text).toContain(`http://crier.test/auth/verify?token=${tokenIn(mail)}\n`);
    expect(await me(session)).toMatchObject({ email_verified: false });
    for (let i = 0; i < 2; i++) {
      expect(await verify(other, tokenIn(mail))).toMatchObject({
        status: 200,
        body: { user: { email, email_verified: true }, workspaces: [{ role: "owner" }] },
      });
    }
    expect([await statusOf(session), await statusOf(other)]).toEqual([200, 200]);
    expect((await call("GET", "/v1/channels", { token: key })).body).toMatchObject({ channels: [{ id: channel.id }] });
  });

  it("takes a session of the very account: in any other the token proves nothing, for nobody", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const token = await proof(account);
    expect(await verify(stranger.session, token)).toMatchObject({
      status: 422,
      body: { error: "verify_link_invalid", field: "/token" },
    });
    expect([await me(stranger.session), await me(account.session)]).toMatchObject([
      { email: stranger.email, email_verified: false },
      { email: account.email, email_verified: false },
    ]);
    expect((await call("POST", "/v1/auth/verify", { token: account.key, body: { token } })).status).toBe(403);
    expect((await call("POST", "/v1/auth/verify", { body: { token } })).status).toBe(401);
  });

  it.each(["", "x", "x".repeat(43), "x".repeat(1_001), 7, null])("refuses the token %j", async (token) => {
    const { session } = await signUp();
    expect(await call("POST", "/v1/auth/verify", { token: session, body: { token } })).toMatchObject({
      status: 422,
      body: { field: "/token" },
    });
  });

  it("ends with the link after three days", async () => {
    const account = await signUp();
    const token = await proof(account);
    await testEnv.DB.prepare("UPDATE address_links SET expires_at = expires_at - 259200001 WHERE email = ?")
      .bind(account.email)
      .run();
    expect(await verify(account.session, token)).toMatchObject({ status: 422, body: { error: "verify_link_invalid" } });
  });

  it("is asked for again by a sign-in once the last link has ended, until it is proven", async () => {
    const account = await signUp();
    const signIn = async () => {
      const { email, password } = account;
      expect((await call("POST", "/v1/auth/login", { body: { email, password } })).status).toBe(200);
    };
    await proofsTo(account.email, 1);
    await signIn();
    await testEnv.DB.prepare("UPDATE address_links SET expires_at = 1 WHERE email = ?").bind(account.email).run();
    await signIn();
    const [, fresh] = await proofsTo(account.email, 2);
    await signIn();
    const { session: token } = account;
    expect(await call("POST", "/v1/auth/verify", { token, body: { token: tokenIn(fresh) } })).toMatchObject({
      status: 200,
    });
    await testEnv.DB.prepare("UPDATE address_links SET expires_at = 1 WHERE email = ?").bind(account.email).run();
    await signIn();
    await proofsTo(account.email, 2);
  });

  it("is asked for again on demand, five times in an hour, and not once it is proven", async () => {
    const account = await signUp();
    await proofsTo(account.email, 1);
    const send = () => call("POST", "/v1/auth/verify/send", { token: account.session });
    expect(await send()).toMatchObject({ status: 202, body: { ok: true } });
    const [first, second] = await proofsTo(account.email, 2);
    expect(await verify(account.session, tokenIn(second))).toMatchObject({ status: 200 });
    expect(await verify(account.session, tokenIn(first))).toMatchObject({ status: 200 });
    const answers = [await send(), await send(), await send(), await send(), await send()];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 429]);
    expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
    const ctx = compose(testEnv, () => {});
    const { id: user } = await me(account.session);
    await sendAccountMail(ctx, { kind: "account_mail", about: "verify", user, email: account.email });
    await proofsTo(account.email, 2);
  });

  it("is guessed at twenty times in a quarter of an hour, and no more", async () => {
    const { session } = await signUp();
    const tries = await Promise.all(Array.from({ length: 25 }, () => verify(session, "x")));
    expect(tries.filter(({ status }) => status === 422)).toHaveLength(20);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  it("without mail is 503 on demand, and signing up works all the same", async () => {
    const { session } = await signUp();
    expect(await withoutMail("/v1/auth/verify/send", session)).toMatchObject({
      status: 503,
      body: { error: "mail_not_configured" },
    });
    const email = `${unique("u")}@example.com`;
    const signedUp = await withoutMail("/v1/auth/signup", "", { email, password: "correct horse battery" });
    expect(signedUp.status).toBe(201);
    await proofsTo(email, 0);
  });

  it("in a session keeps what was made before; by a reset it does not, though the mail was opened", async () => {
    const prepared = await prepareAccount();
    await proofsTo(prepared.attacker.email, 1);
    await forgot(prepared.attacker);
    const token = tokenIn((await mailsTo(prepared.attacker.email, 1))[0]);
    const reset = { token, password: "a new password" };
    const answer = await call<{ token: string }>("POST", "/v1/auth/reset", { body: reset });
    await expectNothingLeft(prepared, answer.body.token);
  });
});

describe("the name", () => {
  it("is changed, and removed", async () => {
    const { session, email } = await signUp();
    const rename = (body: object) => call("PATCH", "/v1/auth/me", { token: session, body });
    expect(await rename({ name: "Ada King" })).toMatchObject({
      status: 200,
      body: { user: { email, name: "Ada King" } },
    });
    expect(await me(session)).toMatchObject({ name: "Ada King" });
    expect(await rename({ name: null })).toMatchObject({ status: 200, body: { user: { name: null } } });
  });

  it.each([
    [{ name: "  " }, "invalid_field", "/name"],
    [{ name: "a\nb" }, "invalid_field", "/name"],
    [{ name: "x".repeat(201) }, "invalid_field", "/name"],
    [{ name: 7 }, "invalid_field", "/name"],
    [{}, "missing_field", "/name"],
    [{ name: "Ada", email: "x@example.com" }, "unknown_field", "/email"],
  ])("%j is refused, and changes nothing", async (body, error, field) => {
    const { session } = await signUp();
    expect(await call("PATCH", "/v1/auth/me", { token: session, body })).toMatchObject({
      status: 422,
      body: { error, field },
    });
    expect(await me(session)).toMatchObject({ name: "Ada" });
  });
});

describe("a new password", () => {
  const change = (session: string, current: string, password: string, headers: Record<string, string> = {}) =>
    call("POST", "/v1/auth/password", { token: session, body: { current, password }, headers });

  it("ends what the old one opened: other sessions, client apps, reset links, a change of the address", async () => {
    const account = await proven();
    const { session, password, key } = account;
    const other = (await login(account)).body.token;
    const app = await tokensFor(account, await register());
    await forgot(account);
    const resetToken = tokenIn((await mailsTo(account.email, 1))[0]);
    const newEmail = `${unique("new")}@example.com`;
    expect((await changeEmail(account, newEmail)).status).toBe(202);
    const changeToken = tokenIn((await mailsTo(newEmail, 1))[0]);

    expect((await change(session, password, "a better horse battery")).status).toBe(204);
    expect([await statusOf(session), await statusOf(other)]).toEqual([200, 401]);
    expect((await login(account)).status).toBe(401);
    expect((await login({ ...account, password: "a better horse battery" })).status).toBe(200);
    const asApp = await call("POST", "/mcp", { token: app.access_token, body: {} });
    expect(asApp.status).toBe(401);
    const reset = { token: resetToken, password: "yet another password" };
    expect(await call("POST", "/v1/auth/reset", { body: reset })).toMatchObject({ status: 422 });
    expect(await verify(session, changeToken)).toMatchObject({ status: 422 });
    expect((await call("GET", "/v1/workspace", { token: key })).status).toBe(200);
  });

  it("needs the current one, and is no better than any other new one", async () => {
    const account = await signUp();
    const { session, password } = account;
    const other = (await login(account)).body.token;
    expect(await change(session, "wrong", "a better horse battery")).toMatchObject({
      status: 422,
      body: { error: "current_password_wrong", field: "/current" },
    });
    expect(await change(session, password, "short")).toMatchObject({ body: { error: "password_too_short" } });
    expect(await change(session, password, "password123")).toMatchObject({ body: { error: "password_too_common" } });
    expect([await statusOf(session), await statusOf(other)]).toEqual([200, 200]);
    expect((await login(account)).status).toBe(200);
  });

  it("is guessed at as seldom as at signing in, whatever address the guesses come from", async () => {
    const { session, password } = await signUp();
    const from = (i: number) => ({ "cf-connecting-ip": `198.51.100.${i}` });
    const tries: number[] = [];
    for (let i = 1; i <= 6; i++) tries.push((await change(session, "wrong", "a better horse", from(i))).status);
    expect(tries).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await change(session, password, "a better horse", from(7))).status).toBe(429);
    const email = { email: `${unique("x")}@example.com`, password };
    expect((await call("POST", "/v1/auth/email", { token: session, body: email })).status).toBe(429);
  });

  it("of an account that has none is set by the mailed link", async () => {
    const { session, email, password } = await signUp();
    await testEnv.DB.prepare("UPDATE users SET password_hash = NULL WHERE email = ?").bind(email).run();
    expect(await change(session, password, "a better horse battery")).toMatchObject({
      status: 422,
      body: { error: "current_password_wrong", hint: expect.stringContaining("/v1/auth/forgot") },
    });
  });

  it("and another at once: one stands, and no session of the one that lost", async () => {
    const account = await signUp();
    const { session, password } = account;
    const other = (await login(account)).body.token;
    const answers = await Promise.all([
      change(session, password, "the first new password"),
      change(other, password, "the second new password"),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 422]);
    const first = answers[0]?.status === 204;
    expect([await statusOf(session), await statusOf(other)]).toEqual(first ? [200, 401] : [401, 200]);
  });

  it("leaves no way in to a sign-in with the old one that is under way, nor does that bring it back", async () => {
    const { email, session, password } = await signUp();
    const hash = () =>
      testEnv.DB.prepare("SELECT password_hash FROM users WHERE email = ?").bind(email).first<string>("password_hash");
    const verified = (await hash()) ?? "";
    const { id: userId } = await me(session);
    expect((await change(session, password, "a better horse battery")).status).toBe(204);
    const stands = await hash();
    const now = Date.now();
    const row = { tokenHash: unique("h"), userId, createdAt: now, lastSeenAt: now, expiresAt: now + 60_000 };
    const db = openDatabase(testEnv.DB);
    for (const stored of [verified, "$another"]) {
      expect(await signInWithPassword(db, { verified, stored }, row)).toBe(false);
    }
    expect(await hash()).toBe(stands);
    expect(
      await testEnv.DB.prepare("SELECT 1 FROM sessions WHERE token_hash = ?").bind(row.tokenHash).first(),
    ).toBeNull();
  });
});

describe("another address", () => {
  it("is the account's once its link is used in a session; the old one gets a mail, and opens nothing any more", async () => {
    const account = await proven();
    const email = `${unique("New")}@Example.com`;
    const address = email.toLowerCase();
    expect(await changeEmail(account, email)).toMatchObject({ status: 202, body: { ok: true } });
    const [asked] = await mailsTo(account.email, 1);
    expect(asked?.text).toContain(address);
    const token = tokenIn((await mailsTo(address, 1))[0]);
    await forgot(account);
    const resetToken = tokenIn((await mailsTo(account.email, 2))[1]);
    expect((await login(account)).status).toBe(200);

    expect(await verify(account.session, token)).toMatchObject({
      status: 200,
      body: { user: { email: address, email_verified: true } },
    });
    expect((await mailsTo(account.email, 3))[2]).toMatchObject({ subject: "Your Crier account has another address" });
    expect((await login(account)).status).toBe(401);
    expect((await login({ ...account, email: address })).status).toBe(200);
    expect(await statusOf(account.session)).toBe(200);
    const reset = { token: resetToken, password: "a new password" };
    expect(await call("POST", "/v1/auth/reset", { body: reset })).toMatchObject({ status: 422 });
    expect(await verify(account.session, token)).toMatchObject({ status: 200 });
  });

  it("that another account has is answered alike, and mailed to nobody but that mailbox", async () => {
    const [account, other] = [await proven(), await proven()];
    const free = `${unique("free")}@example.com`;
    const answers = [await changeEmail(account, other.email), await changeEmail(account, free)];
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: { ok: true } },
      { status: 202, body: { ok: true } },
    ]);
    const [mail] = await mailsTo(other.email, 1);
    expect(mail).toMatchObject({ subject: "This address has a Crier account already" });
    expect(tokenIn(mail)).toBe("");
    const asked = await mailsTo(account.email, 2);
    expect(asked.map(({ subject }) => subject)).toEqual(Array(2).fill("Your Crier account is to have another address"));
  });

  it("that another account took meanwhile is 409 to the reader of its mailbox, and changes nothing", async () => {
    const account = await proven();
    const email = `${unique("race")}@example.com`;
    await changeEmail(account, email);
    const token = tokenIn((await mailsTo(email, 1))[0]);
    await call("POST", "/v1/auth/signup", { body: { email, password: "correct horse battery" } });
    expect(await verify(account.session, token)).toMatchObject({ status: 409, body: { error: "email_taken" } });
    expect(await me(account.session)).toMatchObject({ email: account.email, email_verified: true });
  });

  it("asked for twice is the last one; what was proven before does not bring an old one back", async () => {
    const account = await signUp();
    const first = await proof(account);
    const [one, two] = [`${unique("one")}@example.com`, `${unique("two")}@example.com`];
    await changeEmail(account, one);
    const toOne = tokenIn((await mailsTo(one, 1))[0]);
    await changeEmail(account, two);
    const toTwo = tokenIn((await mailsTo(two, 1))[0]);
    expect(await verify(account.session, toOne)).toMatchObject({ status: 422 });
    expect(await verify(account.session, toTwo)).toMatchObject({ status: 200, body: { user: { email: two } } });
    expect(await verify(account.session, first)).toMatchObject({ status: 422 });
    expect(await me(account.session)).toMatchObject({ email: two });
    // Nobody has proven the first address: whoever reads it is not told the new one.
    const mails = await mailsTo(account.email, 3);
    for (const { text } of mails) expect(text).not.toContain(two);
  });

  it("is not taken over by a mailed link that a reset has overtaken", async () => {
    const account = await proven();
    const email = `${unique("late")}@example.com`;
    await changeEmail(account, email);
    const token = tokenIn((await mailsTo(email, 1))[0]);
    await forgot(account);
    const reset = { token: tokenIn((await mailsTo(account.email, 2))[1]), password: "a new password" };
    const { body } = await call<{ token: string }>("POST", "/v1/auth/reset", { body: reset });
    expect(await verify(body.token, token)).toMatchObject({ status: 422 });
  });

  it.each([
    [{ email: "no-address" }, "email_invalid", "/email"],
    [{ email: "x@example.com\r\nBcc: y@example.com" }, "email_invalid", "/email"],
    [{ password: "wrong" }, "current_password_wrong", "/password"],
    [{ password: undefined }, "missing_field", "/password"],
    [{ more: 1 }, "unknown_field", "/more"],
  ])("%j is refused", async (change, error, field) => {
    const { session, password } = await signUp();
    const body = { email: `${unique("x")}@example.com`, password, ...change };
    expect(await call("POST", "/v1/auth/email", { token: session, body })).toMatchObject({
      status: 422,
      body: { error, field },
    });
  });

  it("that is the same is refused, without mail it is 503, and one mailbox gets three mails in an hour", async () => {
    const [account, other] = [await signUp(), await signUp()];
    expect(await changeEmail(account, account.email.toUpperCase())).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field: "/email" },
    });
    const email = `${unique("x")}@example.com`;
    expect(await withoutMail("/v1/auth/email", account.session, { email, password: account.password })).toMatchObject({
      status: 503,
      body: { error: "mail_not_configured" },
    });
    const answers = [];
    for (const by of [account, other, account, other]) answers.push((await changeEmail(by, email)).status);
    expect(answers).toEqual([202, 202, 202, 429]);
  });
});

describe("sessions", () => {
  interface Listed {
    sessions: { id: string; user_agent: string | null; current: boolean; created_at: string; last_used_at: string }[];
    next: string | null;
  }
  const list = async (session: string, query = "") =>
    (await call<Listed>("GET", `/v1/auth/sessions${query}`, { token: session })).body;
  const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

  it("are listed newest first, with what they were begun with, and none of their secrets", async () => {
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

  it("of whichever way in are listed; those that are over are not", async () => {
    const account = await signUp();
    await forgot(account);
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

  it("are ended one by one, by their owner alone, also the current one", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const other = (await login(account)).body.token;
    const { sessions } = await list(other);
    const end = (session: string, id: string) => call("DELETE", `/v1/auth/sessions/${id}`, { token: session });
    const [current, first] = sessions.map(({ id }) => id);
    expect(await end(stranger.session, first ?? "")).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await end(other, first ?? "")).status).toBe(204);
    expect([await statusOf(account.session), await statusOf(other)]).toEqual([401, 200]);
    expect((await end(other, first ?? "")).status).toBe(404);
    expect((await end(other, "ses_x")).status).toBe(404);
    expect((await end(other, current ?? "")).status).toBe(204);
    expect(await statusOf(other)).toBe(401);
  });

  it("that an older version has begun have an id too, and can be ended", async () => {
    const account = await signUp();
    const { id: userId } = await me(account.session);
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
