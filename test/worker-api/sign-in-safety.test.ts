import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import worker from "../../src/index.ts";
import { limitTries } from "../../src/operations/rate-limit.ts";
import { testEnv } from "../support/env.ts";
import { type Answer, call, signUp, unique } from "../support/world.ts";

let addresses = 0;
/** Makes an address that no other test uses, from the blocks for documentation. */
const makeAddress = () => `203.0.113.${++addresses}`;
const fromAddress = (ip: string) => ({ "cf-connecting-ip": ip });

describe("rate limits", () => {
  const login = (email: string, password: string, ip: string) =>
    call("POST", "/v1/auth/login", { headers: fromAddress(ip), body: { email, password } });

  it("a person can sign in while others try passwords at their account from elsewhere", async () => {
    const { email, password } = await signUp();
    const otherAddress = makeAddress();
    for (let i = 0; i < 6; i++) await login(email, "wrong password", otherAddress);
    expect((await login(email, password, otherAddress)).status).toBe(429);
    expect((await login(email, password, makeAddress())).status).toBe(200);
  });

  it("a device that has signed in before has five tries of its own at its account, whatever others have tried", async () => {
    const { email, password } = await signUp();
    const otherAccount = await signUp();
    const ownAddress = makeAddress();
    const signedIn = await login(email, password, ownAddress);
    const [, device = ""] =
      /(device=[^;]*); .*HttpOnly.*SameSite=Lax/.exec(signedIn.headers.get("set-cookie") ?? "") ?? [];
    const loginAs = (account: string, password: string, cookie: string) =>
      call("POST", "/v1/auth/login", {
        headers: { ...fromAddress(ownAddress), cookie },
        body: { email: account, password },
      });
    // Others have tried the account from very many addresses, and other accounts from the same address.
    const ctx = compose(testEnv, () => {}, { address: ownAddress });
    for (let i = 0; i < 99; i++) await limitTries(ctx, { account: ["login_account", email] });
    for (let i = 0; i < 19; i++) await limitTries(ctx, { address: "login_address" });
    expect((await login(email, "wrong password", makeAddress())).status).toBe(401);
    expect((await login(email, password, makeAddress())).status).toBe(429);
    expect((await loginAs(email, password, device)).status).toBe(200);

    for (const forged of [`${device}x`, "device=v1.test.x.y", "device="]) {
      expect((await loginAs(email, password, forged)).status).toBe(429);
    }
    expect((await loginAs(otherAccount.email, otherAccount.password, device)).status).toBe(429);
    const wrong: number[] = [];
    for (let i = 0; i < 7; i++) wrong.push((await loginAs(email, "wrong password", device)).status);
    expect(wrong).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it("a forgotten password is mailed to its owner, however often others have requested it", async () => {
    const { email, password } = await signUp();
    const requestReset = (ip: string, cookie = "") =>
      call("POST", "/v1/auth/forgot", { headers: { ...fromAddress(ip), cookie }, body: { email } });
    const otherAddress = makeAddress();
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await requestReset(otherAddress)).status);
    expect(statuses).toEqual([202, 202, 202, 429]);
    expect((await requestReset(makeAddress())).status).toBe(202);
    const [, device] =
      /(device=[^;]*)/.exec((await login(email, password, makeAddress())).headers.get("set-cookie") ?? "") ?? [];
    const everywhere = await Promise.all(Array.from({ length: 12 }, (_, i) => requestReset(`192.0.2.${i}`)));
    expect(everywhere.filter(({ status }) => status === 202)).toHaveLength(6);
    expect((await requestReset(otherAddress, device)).status).toBe(202);
  });

  it("five of fifty simultaneous sign-ins with a wrong password from one network are tried, and the others have to wait", async () => {
    const { email } = await signUp();
    const network = (i: number) => `2001:db8:5:0:${i}::1`;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => login(email, "wrong password", network(i))));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(45);
    for (const { headers, body } of limited) {
      expect(body).toMatchObject({ error: "rate_limited", retry_after: Number(headers.get("retry-after")) });
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(3_600);
    }
  });

  it("sign-ins to an unknown account are limited in the same way", async () => {
    const email = `${unique("ghost")}@example.com`;
    const statuses: number[] = [];
    const ip = makeAddress();
    for (let i = 0; i < 7; i++) statuses.push((await login(email, "wrong password", ip)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it("a successful sign-in clears the failed tries, which end no session", async () => {
    const { email, password, session } = await signUp();
    const ip = makeAddress();
    for (let i = 0; i < 4; i++) await login(email, "wrong password", ip);
    expect((await login(email, password, ip)).status).toBe(200);
    for (let i = 0; i < 4; i++) expect((await login(email, "wrong password", ip)).status).toBe(401);
    expect((await call("GET", "/v1/auth/me", { token: session })).status).toBe(200);
  });

  it("one address has twenty sign-ins in five minutes and five sign-ups in an hour, and IPv6 addresses count by /64", async () => {
    const ip = makeAddress();
    const logins = await Promise.all(
      Array.from({ length: 30 }, () => login(`${unique("x")}@example.com`, "wrong password", ip)),
    );
    expect(logins.filter(({ status }) => status === 401)).toHaveLength(20);
    const signUps: Answer[] = [];
    for (let i = 0; i < 6; i++) {
      const body = { email: `${unique("s")}@example.com`, password: "correct horse" };
      signUps.push(await call("POST", "/v1/auth/signup", { headers: fromAddress(`2001:db8:1:2:${i}::1`), body }));
    }
    expect(signUps.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429]);
    const otherBody = { email: `${unique("s")}@example.com`, password: "correct horse" };
    expect(
      (await call("POST", "/v1/auth/signup", { headers: fromAddress("2001:db8:1:3::1"), body: otherBody })).status,
    ).toBe(201);
  });
});

describe("mail", () => {
  const letter = { to: "ada@example.com", subject: "Grüße", text: "text", html: "<p>text</p>" };
  const mailWith = (settings: object) => compose({ ...testEnv, ...settings }, () => {}).mail;

  it("mail is sent over the binding if no SMTP server is set", async () => {
    const mail = mailWith({ SMTP_URL: undefined });
    await expect(mail?.send(letter)).resolves.toBeUndefined();
  });
  it("mail is not available without a sender or without a transport", () => {
    expect(mailWith({ MAIL_FROM: undefined })).toBeNull();
    expect(mailWith({ SMTP_URL: undefined, EMAIL: undefined })).toBeNull();
  });
  it("mail that the server refuses is an error", async () => {
    const wrong = mailWith({ SMTP_URL: testEnv.SMTP_URL?.replace("crier:", "nobody:") });
    await expect(wrong?.send(letter)).rejects.toThrow();
  });
  it("mail that is not configured is answered with 503", async () => {
    const request = new Request<unknown, IncomingRequestCfProperties>("http://crier.test/v1/auth/forgot", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ada@example.com" }),
    });
    const execution = createExecutionContext();
    const response = await worker.fetch(request, { ...testEnv, MAIL_FROM: undefined }, execution);
    await waitOnExecutionContext(execution);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: "mail_not_configured" });
  });
});

describe("passwords", () => {
  it.each(["password", "Password1", "12345678", "iloveyou1"])("the password %s is too common", async (password) => {
    const answer = await call("POST", "/v1/auth/signup", { body: { email: `${unique("c")}@example.com`, password } });
    expect(answer).toMatchObject({ status: 422, body: { error: "password_too_common", field: "/password" } });
  });

  it.each(["        ", "🐎🔋📎✨🐎🔋📎✨", "ü".repeat(256), "correct horse battery staple"])(
    "the password %j is accepted unchanged",
    async (password) => {
      const email = `${unique("p")}@example.com`;
      expect((await call("POST", "/v1/auth/signup", { body: { email, password } })).status).toBe(201);
      expect((await call("POST", "/v1/auth/login", { body: { email, password } })).status).toBe(200);
      expect((await call("POST", "/v1/auth/login", { body: { email, password: `${password} ` } })).status).toBe(401);
    },
  );

  it("a password of 257 characters is refused, never cut", async () => {
    const answer = await call("POST", "/v1/auth/signup", {
      body: { email: `${unique("p")}@example.com`, password: "x".repeat(257) },
    });
    expect(answer).toMatchObject({ status: 422, body: { error: "invalid_field", field: "/password" } });
  });
});
