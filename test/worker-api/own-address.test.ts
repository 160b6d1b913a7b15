// The signed-in person's address: proven, and changed for another.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import worker from "../../src/index.ts";
import { sendAccountMail } from "../../src/maintenance/send-account-mail.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, proofsTo, tokenIn } from "../support/mails.ts";
import { expectNothingLeft, prepareAccount } from "../support/unproven-account.ts";
import { call, connect, signUp, unique } from "../support/world.ts";
import { changeEmail, forgot, login, me, proof, proven, statusOf, verify } from "./own-account.ts";

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
    // A sign-in before the mail has gone would ask for it again.
    const [mail] = await proofsTo(email, 1);
    const other = (await login(account)).body.token;
    const channel = await connect(key, "bluesky");
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
    expect((await mailsTo(account.email, 3))[2]).toMatchObject({
      subject: "The email address of your Crier account was changed",
    });
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
    expect(mail).toMatchObject({ subject: "This email address already has a Crier account" });
    expect(tokenIn(mail)).toBe("");
    const asked = await mailsTo(account.email, 2);
    expect(asked.map(({ subject }) => subject)).toEqual(
      Array(2).fill("Someone asked to change the email address of your Crier account"),
    );
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
