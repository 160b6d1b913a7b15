// Each way to prove an identity, and each call that a second factor protects.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import {
  challengeIn,
  type Protected,
  passSignIn,
  protect,
  prove,
  showCode,
  signUpProtected,
} from "../support/factors.ts";
import { lastProofTo, mailsTo, tokenIn } from "../support/mails.ts";
import { authorizePath, open, register, send } from "../support/oauth.ts";
import { type Answer, call, signUp, unique } from "../support/world.ts";
import { getStatus, login, requestReset, signUpVerified } from "./own-account.ts";
import { browse, createPerson, enter } from "./provider-sign-in.ts";

const NEW_PASSWORD = "a better horse battery";
const cookieIn = (answer: Response, name: string) =>
  new RegExp(`(?:^|,\\s*)${name}=([^;]*)`).exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";

const PROTECTED: [string, number, (account: Protected) => Promise<Answer>][] = [
  [
    "a change of the password",
    204,
    ({ session, password }) =>
      call("POST", "/v1/auth/password", { token: session, body: { current: password, password: NEW_PASSWORD } }),
  ],
  [
    "a change of the address",
    202,
    ({ session, password }) =>
      call("POST", "/v1/auth/email", { token: session, body: { email: `${unique("n")}@example.com`, password } }),
  ],
  ["erasing the account", 204, ({ session }) => call("DELETE", "/v1/auth/me", { token: session })],
  [
    "revealing the workspace key",
    200,
    ({ session, workspace }) => call("GET", `/v1/workspaces/${workspace}/key`, { token: session }),
  ],
  [
    "replacing the workspace key",
    200,
    ({ session, workspace }) => call("POST", `/v1/workspaces/${workspace}/key/rotate`, { token: session }),
  ],
  [
    "creating a named key",
    201,
    ({ session, workspace }) =>
      call("POST", `/v1/workspaces/${workspace}/keys`, { token: session, body: { name: "CI", scopes: ["read"] } }),
  ],
];

describe("a protected call in a session", () => {
  it.each(PROTECTED)("a factor is required for %s, and each proof is valid for one call", async (_act, status, act) => {
    const account = await signUpProtected();
    const refused = await act(account);
    const challenge = challengeIn(refused);
    expect(refused.headers.get("clear-site-data")).toBeNull();
    expect((await prove(account.session, challenge, { code: "000000" })).body).toMatchObject({
      error: "factor_invalid",
    });
    expect(challengeIn(await act(account))).not.toBe(challenge);
    expect((await prove(account.session, challenge, { code: await showCode(account.factor) })).status).toBe(204);
    expect((await act(account)).status).toBe(status);
    if (status !== 204) expect(await act(account)).toMatchObject({ status: 401, body: { error: "factor_required" } });
  });

  it("a wrong password or an invalid call does not use up the proof of a factor", async () => {
    const account = await signUpProtected();
    const { session, password, workspace } = account;
    const change = (current: string) =>
      call("POST", "/v1/auth/password", { token: session, body: { current, password: NEW_PASSWORD } });
    await prove(session, challengeIn(await change(password)), { code: await showCode(account.factor) });
    expect((await change("wrong")).body).toMatchObject({ error: "current_password_wrong" });
    const key = { token: session, body: { name: "CI", scopes: ["read"], channels: ["ch_unknown"] } };
    expect((await call("POST", `/v1/workspaces/${workspace}/keys`, key)).status).toBe(422);
    expect((await change(password)).status).toBe(204);
  });

  it("a proof is valid only in its own session and for five minutes", async () => {
    const account = await signUpProtected();
    const { workspace, session, factor, recoveryCodes } = account;
    const otherSession = await passSignIn(challengeIn(await login(account)), { code: await showCode(factor) });
    const reveal = (token: string) => call("GET", `/v1/workspaces/${workspace}/key`, { token });
    const challenge = challengeIn(await reveal(session));
    const proof = { recovery_code: recoveryCodes[0] };
    expect((await prove(otherSession.body.token, challenge, proof)).status).toBe(401);
    // The sign-in of the other session was a proof for one call.
    expect((await reveal(otherSession.body.token)).status).toBe(200);
    expect((await prove(session, challenge, proof)).status).toBe(204);
    expect((await reveal(otherSession.body.token)).status).toBe(401);
    await testEnv.DB.prepare("UPDATE sessions SET factor_shown_at = factor_shown_at - 300001").run();
    const late = challengeIn(await reveal(session));
    const proofs = await Promise.all([1, 2].map(() => prove(session, late, { recovery_code: recoveryCodes[1] })));
    expect(proofs.map(({ status }) => status).sort()).toEqual([204, 401]);
    const revealed = await Promise.all([reveal(session), reveal(session)]);
    expect(revealed.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it("an account without a factor needs no proof", async () => {
    const { session, workspace } = await signUp();
    expect((await call("GET", `/v1/workspaces/${workspace}/key`, { token: session })).status).toBe(200);
    expect(await prove(session, "factor_x", { code: "123456" })).toMatchObject({ status: 401 });
  });

  it("a workspace key cannot use the factors of a person", async () => {
    const { key } = await signUpProtected();
    expect((await call("GET", "/v1/workspace", { token: key })).status).toBe(200);
    for (const path of ["/v1/auth/factors", "/v1/auth/factors/prove", "/v1/auth/factors/recovery-codes"]) {
      const method = path.endsWith("factors") ? "GET" : "POST";
      expect(await call(method, path, { token: key, body: method === "GET" ? undefined : {} })).toMatchObject({
        status: 403,
        body: { error: "key_not_allowed" },
      });
    }
  });
});

describe("a reset by mail", () => {
  const reset = async ({ email }: Protected, count = 1) =>
    call("POST", "/v1/auth/reset", {
      body: { token: tokenIn((await mailsTo(email, count)).at(-1)), password: NEW_PASSWORD },
    });

  it("a reset sets the password, and sign-in still requires the factor", async () => {
    const account = await protect(await signUpVerified());
    await requestReset(account);
    const answer = await reset(account);
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.body).toMatchObject({ message: "The new password is set. To sign in, show your second factor." });
    expect(await getStatus(account.session)).toBe(401);
    expect((await login(account)).body).toMatchObject({ error: "invalid_credentials" });
    challengeIn(await login({ ...account, password: NEW_PASSWORD }));
    const entered = await passSignIn(challengeIn(answer), { recovery_code: account.recoveryCodes[0] });
    expect(await getStatus(entered.body.token)).toBe(200);
  });

  it("a reset gives a planted account to the owner of its address, without its creator's factor", async () => {
    const planted = await signUpProtected();
    const waiting = challengeIn(await login(planted));
    await requestReset(planted);
    expect((await reset(planted)).status).toBe(200);
    expect((await login({ ...planted, password: NEW_PASSWORD })).status).toBe(200);
    expect((await passSignIn(waiting, { code: await showCode(planted.factor) })).status).toBe(401);
    const remainingCodes = await testEnv.DB.prepare(
      "SELECT COUNT(*) AS count FROM recovery_codes WHERE user_id = (SELECT id FROM users WHERE email = ?)",
    )
      .bind(planted.email)
      .first("count");
    expect(remainingCodes).toBe(0);
  });
});

describe("sign-in through a provider", () => {
  it("sign-in through a provider requires the account's own factor, whatever the provider requested", async () => {
    const claims = createPerson();
    const { cookies: first } = await enter(claims);
    await requestReset(claims);
    const token = tokenIn((await mailsTo(claims.email, 1))[0]);
    const set = await call<{ token: string; workspaces: { id: string }[] }>("POST", "/v1/auth/reset", {
      body: { token, password: NEW_PASSWORD },
    });
    const account = await protect({
      email: claims.email,
      password: NEW_PASSWORD,
      session: set.body.token,
      workspace: set.body.workspaces[0]?.id ?? "",
      key: "",
    });
    expect(await getStatus(first.session ?? "")).toBe(401);
    const { response, cookies } = await enter(claims);
    expect(response.headers.get("location")).toBe("/auth/factor?continue=%2F");
    expect(cookies).not.toHaveProperty("session");
    expect(cookies).not.toHaveProperty("oauth");
    const page = await browse("http://crier.test/auth/factor?continue=%2F", cookies);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("recovery codes")]);
    const passed = await passSignIn(cookies.factor ?? "", { code: await showCode(account.factor) });
    expect(await getStatus(passed.body.token)).toBe(200);
  });

  it("sign-in through a provider gives a planted account to the owner of its address, without its creator's factor", async () => {
    const planted = await signUpProtected();
    const { cookies } = await enter({ email: planted.email, email_verified: true });
    expect(await getStatus(cookies.session ?? "")).toBe(200);
  });
});

describe("the pages of the second factor", () => {
  const answer = (path: string, challenge: string, code: string) =>
    send(path, null, { code }, { "sec-fetch-site": "same-origin", cookie: `factor=${challenge}` });

  it("the page asks for the code after the password, and continues to the requested page", async () => {
    const { email, password, factor, recoveryCodes } = await signUpProtected();
    const enterPassword = () => send("/auth?continue=/calendar", null, { email, password });
    const response = await enterPassword();
    const path = "/auth/factor?continue=%2Fcalendar";
    expect([response.status, response.headers.get("location"), cookieIn(response, "session")]).toEqual([303, path, ""]);
    const challenge = cookieIn(response, "factor");
    const page = await open(path, null);
    expect([page.status, page.headers.get("location")]).toEqual([303, "/auth?continue=%2Fcalendar"]);
    const wrong = await answer(path, challenge, "000000");
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining('role="alert"')]);
    const entered = await answer(path, challenge, await showCode(factor));
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/calendar"]);
    expect(await getStatus(cookieIn(entered, "session"))).toBe(200);
    expect(cookieIn(entered, "factor")).toBe("");
    const recovered = await answer(path, cookieIn(await enterPassword(), "factor"), recoveryCodes[0] ?? "");
    expect(await getStatus(cookieIn(recovered, "session"))).toBe(200);
  });

  it("the page accepts no code from another site, and never redirects to another site", async () => {
    const account = await signUpProtected();
    const challenge = challengeIn(await login(account));
    const code = await showCode(account.factor);
    const forged = { "sec-fetch-site": "cross-site", cookie: `factor=${challenge}` };
    expect((await send("/auth/factor", null, { code }, forged)).status).toBe(403);
    const entered = await answer("/auth/factor?continue=https://evil.example", challenge, code);
    expect(entered.headers.get("location")).toBe("/");
  });

  it("the page continues to an application's request or a verification link", async () => {
    const account = await signUp();
    const proof = tokenIn(await lastProofTo(account.email));
    const { email, password } = await protect(account);
    const fields = { step: "sign-in", email, password };
    for (const path of [await authorizePath(await register()), `/auth/verify?token=${proof}`]) {
      const response = await send(path, null, fields);
      expect([response.status, response.headers.get("location")]).toEqual([
        303,
        `/auth/factor?continue=${encodeURIComponent(path)}`,
      ]);
    }
  });

  it("the page asks for the code after a reset", async () => {
    const account = await protect(await signUpVerified());
    await requestReset(account);
    const path = `/auth/reset?token=${tokenIn((await mailsTo(account.email, 1))[0])}`;
    const set = await send(path, null, { password: NEW_PASSWORD });
    expect([set.status, set.headers.get("location")]).toEqual([303, "/auth/factor?continue=%2F"]);
    const entered = await answer("/auth/factor", cookieIn(set, "factor"), await showCode(account.factor));
    expect(await getStatus(cookieIn(entered, "session"))).toBe(200);
  });
});
