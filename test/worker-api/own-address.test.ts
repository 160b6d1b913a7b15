// The address of the signed-in person: its verification and its change.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import worker from "../../src/index.ts";
import { sendAccountMail } from "../../src/maintenance/send-account-mail.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, proofsTo, tokenIn } from "../support/mails.ts";
import { expectNothingLeft, prepareAccount } from "../support/unproven-account.ts";
import { call, connect, signUp, unique } from "../support/world.ts";
import {
  changeEmail,
  getProof,
  getStatus,
  getUser,
  login,
  requestReset,
  signUpVerified,
  verifyEmail,
} from "./own-account.ts";

/** Calls a deployment without mail. */
async function callWithoutMail(path: string, session: string, body?: object) {
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

describe("verifying the address", () => {
  it("a mail at sign-up asks for verification, which ends no session and can be repeated", async () => {
    const account = await signUp();
    const { email, session, key } = account;
    // A sign-in before the mail was sent would request it again.
    const [mail] = await proofsTo(email, 1);
    const otherSession = (await login(account)).body.token;
    const channel = await connect(key, "bluesky");
    expect(mail?.text).toContain(`http://crier.test/auth/verify?token=${tokenIn(mail)}\n`);
    expect(await getUser(session)).toMatchObject({ email_verified: false });
    for (let i = 0; i < 2; i++) {
      expect(await verifyEmail(otherSession, tokenIn(mail))).toMatchObject({
        status: 200,
        body: { user: { email, email_verified: true }, workspaces: [{ role: "owner" }] },
      });
    }
    expect([await getStatus(session), await getStatus(otherSession)]).toEqual([200, 200]);
    expect((await call("GET", "/v1/channels", { token: key })).body).toMatchObject({ channels: [{ id: channel.id }] });
  });

  it("verification requires a session of the same account, and a token has no effect in any other", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const token = await getProof(account);
    expect(await verifyEmail(stranger.session, token)).toMatchObject({
      status: 422,
      body: { error: "verify_link_invalid", field: "/token" },
    });
    expect([await getUser(stranger.session), await getUser(account.session)]).toMatchObject([
      { email: stranger.email, email_verified: false },
      { email: account.email, email_verified: false },
    ]);
    expect((await call("POST", "/v1/auth/verify", { token: account.key, body: { token } })).status).toBe(403);
    expect((await call("POST", "/v1/auth/verify", { body: { token } })).status).toBe(401);
  });

  it.each(["", "x", "x".repeat(43), "x".repeat(1_001), 7, null])("verification refuses the token %j", async (token) => {
    const { session } = await signUp();
    expect(await call("POST", "/v1/auth/verify", { token: session, body: { token } })).toMatchObject({
      status: 422,
      body: { field: "/token" },
    });
  });

  it("a verification link expires after three days", async () => {
    const account = await signUp();
    const token = await getProof(account);
    await testEnv.DB.prepare("UPDATE address_links SET expires_at = expires_at - 259200001 WHERE email = ?")
      .bind(account.email)
      .run();
    expect(await verifyEmail(account.session, token)).toMatchObject({
      status: 422,
      body: { error: "verify_link_invalid" },
    });
  });

  it("a sign-in sends a new link once the last one has expired, until the address is verified", async () => {
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

  it("a person can request the mail five times in an hour, and gets none once the address is verified", async () => {
    const account = await signUp();
    await proofsTo(account.email, 1);
    const send = () => call("POST", "/v1/auth/verify/send", { token: account.session });
    expect(await send()).toMatchObject({ status: 202, body: { ok: true } });
    const [first, second] = await proofsTo(account.email, 2);
    expect(await verifyEmail(account.session, tokenIn(second))).toMatchObject({ status: 200 });
    expect(await verifyEmail(account.session, tokenIn(first))).toMatchObject({ status: 200 });
    const answers = [await send(), await send(), await send(), await send(), await send()];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 429]);
    expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
    const ctx = compose(testEnv, () => {});
    const { id: user } = await getUser(account.session);
    await sendAccountMail(ctx, { kind: "account_mail", about: "verify", user, email: account.email });
    await proofsTo(account.email, 2);
  });

  it("verification tokens can be guessed twenty times in a quarter of an hour, and no more", async () => {
    const { session } = await signUp();
    const tries = await Promise.all(Array.from({ length: 25 }, () => verifyEmail(session, "x")));
    expect(tries.filter(({ status }) => status === 422)).toHaveLength(20);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  it("a deployment without mail answers a request for it with 503, and still accepts sign-ups", async () => {
    const { session } = await signUp();
    expect(await callWithoutMail("/v1/auth/verify/send", session)).toMatchObject({
      status: 503,
      body: { error: "mail_not_configured" },
    });
    const email = `${unique("u")}@example.com`;
    const signedUp = await callWithoutMail("/v1/auth/signup", "", { email, password: "correct horse battery" });
    expect(signedUp.status).toBe(201);
    await proofsTo(email, 0);
  });

  it("a reset empties an account that was created in advance, even if its verification mail was opened", async () => {
    const prepared = await prepareAccount();
    await proofsTo(prepared.attacker.email, 1);
    await requestReset(prepared.attacker);
    const token = tokenIn((await mailsTo(prepared.attacker.email, 1))[0]);
    const reset = { token, password: "a new password" };
    const answer = await call<{ token: string }>("POST", "/v1/auth/reset", { body: reset });
    await expectNothingLeft(prepared, answer.body.token);
  });
});

describe("changing the address", () => {
  it("a new address is used once its link is opened in a session, and the old address gets a mail and no longer works", async () => {
    const account = await signUpVerified();
    const email = `${unique("New")}@Example.com`;
    const address = email.toLowerCase();
    expect(await changeEmail(account, email)).toMatchObject({ status: 202, body: { ok: true } });
    const [notice] = await mailsTo(account.email, 1);
    expect(notice?.text).toContain(address);
    const token = tokenIn((await mailsTo(address, 1))[0]);
    await requestReset(account);
    const resetToken = tokenIn((await mailsTo(account.email, 2))[1]);
    expect((await login(account)).status).toBe(200);

    expect(await verifyEmail(account.session, token)).toMatchObject({
      status: 200,
      body: { user: { email: address, email_verified: true } },
    });
    expect((await mailsTo(account.email, 3))[2]).toMatchObject({
      subject: "The email address of your Crier account was changed",
    });
    expect((await login(account)).status).toBe(401);
    expect((await login({ ...account, email: address })).status).toBe(200);
    expect(await getStatus(account.session)).toBe(200);
    const reset = { token: resetToken, password: "a new password" };
    expect(await call("POST", "/v1/auth/reset", { body: reset })).toMatchObject({ status: 422 });
    expect(await verifyEmail(account.session, token)).toMatchObject({ status: 200 });
  });

  it("a change to another account's address has the same answer, and only that mailbox learns about it", async () => {
    const [account, otherAccount] = [await signUpVerified(), await signUpVerified()];
    const free = `${unique("free")}@example.com`;
    const answers = [await changeEmail(account, otherAccount.email), await changeEmail(account, free)];
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: { ok: true } },
      { status: 202, body: { ok: true } },
    ]);
    const [mail] = await mailsTo(otherAccount.email, 1);
    expect(mail).toMatchObject({ subject: "This email address already has a Crier account" });
    expect(tokenIn(mail)).toBe("");
    const notices = await mailsTo(account.email, 2);
    expect(notices.map(({ subject }) => subject)).toEqual(
      Array(2).fill("Someone asked to change the email address of your Crier account"),
    );
  });

  it("a change to an address that another account has taken meanwhile is answered with 409 and changes nothing", async () => {
    const account = await signUpVerified();
    const email = `${unique("race")}@example.com`;
    await changeEmail(account, email);
    const token = tokenIn((await mailsTo(email, 1))[0]);
    await call("POST", "/v1/auth/signup", { body: { email, password: "correct horse battery" } });
    expect(await verifyEmail(account.session, token)).toMatchObject({ status: 409, body: { error: "email_taken" } });
    expect(await getUser(account.session)).toMatchObject({ email: account.email, email_verified: true });
  });

  it("only the last requested address can be verified, and an older link does not restore the first one", async () => {
    const account = await signUp();
    const first = await getProof(account);
    const [firstEmail, secondEmail] = [`${unique("one")}@example.com`, `${unique("two")}@example.com`];
    await changeEmail(account, firstEmail);
    const firstToken = tokenIn((await mailsTo(firstEmail, 1))[0]);
    await changeEmail(account, secondEmail);
    const secondToken = tokenIn((await mailsTo(secondEmail, 1))[0]);
    expect(await verifyEmail(account.session, firstToken)).toMatchObject({ status: 422 });
    expect(await verifyEmail(account.session, secondToken)).toMatchObject({
      status: 200,
      body: { user: { email: secondEmail } },
    });
    expect(await verifyEmail(account.session, first)).toMatchObject({ status: 422 });
    expect(await getUser(account.session)).toMatchObject({ email: secondEmail });
    // The first address was never verified, so its reader must not learn the new one.
    const mails = await mailsTo(account.email, 3);
    for (const { text } of mails) expect(text).not.toContain(secondEmail);
  });

  it("the link of a change no longer works after a reset", async () => {
    const account = await signUpVerified();
    const email = `${unique("late")}@example.com`;
    await changeEmail(account, email);
    const token = tokenIn((await mailsTo(email, 1))[0]);
    await requestReset(account);
    const reset = { token: tokenIn((await mailsTo(account.email, 2))[1]), password: "a new password" };
    const { body } = await call<{ token: string }>("POST", "/v1/auth/reset", { body: reset });
    expect(await verifyEmail(body.token, token)).toMatchObject({ status: 422 });
  });

  it.each([
    [{ email: "no-address" }, "email_invalid", "/email"],
    [{ email: "x@example.com\r\nBcc: y@example.com" }, "email_invalid", "/email"],
    [{ password: "wrong" }, "current_password_wrong", "/password"],
    [{ password: undefined }, "missing_field", "/password"],
    [{ more: 1 }, "unknown_field", "/more"],
  ])("the change %j is refused", async (change, error, field) => {
    const { session, password } = await signUp();
    const body = { email: `${unique("x")}@example.com`, password, ...change };
    expect(await call("POST", "/v1/auth/email", { token: session, body })).toMatchObject({
      status: 422,
      body: { error, field },
    });
  });

  it("a change to the same address is refused, a change without mail is answered with 503, and one mailbox gets three mails in an hour", async () => {
    const [account, otherAccount] = [await signUp(), await signUp()];
    expect(await changeEmail(account, account.email.toUpperCase())).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field: "/email" },
    });
    const email = `${unique("x")}@example.com`;
    expect(
      await callWithoutMail("/v1/auth/email", account.session, { email, password: account.password }),
    ).toMatchObject({
      status: 503,
      body: { error: "mail_not_configured" },
    });
    const answers = [];
    for (const requester of [account, otherAccount, account, otherAccount])
      answers.push((await changeEmail(requester, email)).status);
    expect(answers).toEqual([202, 202, 202, 429]);
  });
});
