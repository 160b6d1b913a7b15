// Second factors through the API: setting up, signing in and removing.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import {
  beginApp,
  challengeIn,
  forgetUsedCodes,
  passSignIn,
  protect,
  prove,
  showCode,
  signUpProtected,
} from "../support/factors.ts";
import { call, signUp } from "../support/world.ts";
import { getStatus, login } from "./own-account.ts";

const confirm = (session: string, id: string, code: string) =>
  call<{ recovery_codes: string[] | null }>("POST", `/v1/auth/factors/${id}/confirm`, {
    token: session,
    body: { code },
  });
const listFactors = async (session: string) =>
  (
    await call<{ factors: { id: string; last_used_at: string | null }[]; recovery_codes_left: number }>(
      "GET",
      "/v1/auth/factors",
      { token: session },
    )
  ).body;
const remove = (session: string, id: string, password: string) =>
  call("DELETE", `/v1/auth/factors/${id}`, { token: session, body: { password } });

describe("setting up an authenticator app", () => {
  it("an authenticator app takes effect on confirmation, returns ten recovery codes, and ends the other sessions", async () => {
    const account = await signUp();
    const { session, password, email } = account;
    const otherToken = (await login(account)).body.token;
    const pending = await beginApp(session, password);
    expect(pending).toMatchObject({
      status: 201,
      body: { kind: "totp", name: "Phone", secret: expect.stringMatching(/^[A-Z2-7]{32}$/) },
    });
    expect(decodeURIComponent(String(pending.body.otpauth_url))).toContain(email);
    expect(await listFactors(session)).toEqual({ factors: [], recovery_codes_left: 0, next: null });
    expect((await login(account)).status).toBe(200);

    const wrong = await confirm(session, pending.body.id, "000000");
    expect(wrong).toMatchObject({ status: 401, body: { error: "factor_invalid", field: "/code" } });
    const confirmed = await confirm(session, pending.body.id, await showCode(pending.body));
    expect(confirmed).toMatchObject({ status: 200, body: { factor: { id: pending.body.id, kind: "totp" } } });
    const codes = confirmed.body.recovery_codes ?? [];
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    expect(await listFactors(session)).toMatchObject({ factors: [{ id: pending.body.id }], recovery_codes_left: 10 });
    expect([await getStatus(session), await getStatus(otherToken)]).toEqual([200, 401]);
  });

  it("no secret and no recovery code is stored in plain text", async () => {
    const { factor, recoveryCodes } = await signUpProtected();
    const stored = await testEnv.DB.prepare("SELECT secret FROM factors WHERE id = ?").bind(factor.id).first("secret");
    expect(stored).toMatch(/^v1\./);
    const hashes = await testEnv.DB.prepare("SELECT group_concat(hash) AS all_of_them FROM recovery_codes").first();
    for (const code of recoveryCodes) expect(JSON.stringify(hashes)).not.toContain(code.replaceAll("-", ""));
  });

  it("a new factor requires the password, and an existing factor if there is one", async () => {
    const account = await signUp();
    expect(await beginApp(account.session, "wrong")).toMatchObject({
      status: 422,
      body: { error: "current_password_wrong", field: "/password" },
    });
    const { session, password, factor } = await protect(account);
    const challenge = challengeIn(await beginApp(session, password, "Second phone"));
    expect((await prove(session, challenge, { code: await showCode(factor) })).status).toBe(204);
    const second = await beginApp(session, password, "Second phone");
    expect(second.status).toBe(201);
    const confirmed = await confirm(session, second.body.id, await showCode(second.body));
    expect(confirmed).toMatchObject({ status: 200, body: { recovery_codes: null } });
    expect(await listFactors(session)).toMatchObject({
      factors: [{}, { name: "Second phone" }],
      recovery_codes_left: 10,
    });
  });

  it("a pending factor belongs to one person, is confirmed once, and expires after ten minutes or with a newer attempt", async () => {
    const account = await signUp();
    const stranger = await signUp();
    const first = (await beginApp(account.session, account.password)).body;
    expect((await confirm(stranger.session, first.id, await showCode(first))).status).toBe(404);
    const second = (await beginApp(account.session, account.password)).body;
    expect((await confirm(account.session, first.id, await showCode(first))).status).toBe(404);
    await testEnv.DB.prepare("UPDATE factors SET created_at = created_at - 600001 WHERE id = ?").bind(second.id).run();
    expect((await confirm(account.session, second.id, await showCode(second))).status).toBe(404);
    const third = (await beginApp(account.session, account.password)).body;
    const answers = await Promise.all([
      confirm(account.session, third.id, await showCode(third)),
      confirm(account.session, third.id, await showCode(third)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await confirm(account.session, third.id, await showCode(third))).status).toBe(404);
    expect((await confirm(account.session, "fac_x", "123456")).status).toBe(404);
  });

  it("an account has at most ten factors", async () => {
    const account = await signUp();
    const { session, password, factor } = await protect(account);
    const insert = testEnv.DB.prepare(
      "INSERT INTO factors (id, user_id, kind, name, created_at, confirmed_at) SELECT id || ?, user_id, kind, name, 0, 0 FROM factors WHERE id = ?",
    );
    await testEnv.DB.batch(Array.from({ length: 9 }, (_, i) => insert.bind(String(i), factor.id)));
    const challenge = challengeIn(await beginApp(session, password));
    await prove(session, challenge, { code: await showCode(factor) });
    expect(await beginApp(session, password)).toMatchObject({ status: 422, body: { error: "too_many_factors" } });
  });
});

describe("signing in", () => {
  it("signing in requires the password and then a code, and neither alone starts a session", async () => {
    const account = await signUpProtected();
    const firstStep = await login(account);
    expect(firstStep.headers.get("set-cookie")).toBeNull();
    expect(firstStep.body).toMatchObject({ methods: ["totp", "recovery_code"], expires_at: expect.any(String) });
    const challenge = challengeIn(firstStep);
    for (const token of [challenge, challenge.replace("factor_", "sess_")]) expect(await getStatus(token)).toBe(401);
    expect((await login({ ...account, password: "wrong password" })).body).toMatchObject({
      error: "invalid_credentials",
    });
    expect(await passSignIn(challenge, { code: "000000" })).toMatchObject({
      status: 401,
      body: { error: "factor_invalid" },
    });
    const entered = await passSignIn(challenge, { code: await showCode(account.factor) });
    expect(entered).toMatchObject({ status: 200, body: { user: { email: account.email } } });
    expect(entered.headers.get("set-cookie")).toContain("session=");
    expect(await getStatus(entered.body.token)).toBe(200);
    expect((await listFactors(entered.body.token)).factors[0]?.last_used_at).not.toBeNull();
  });

  it("each code and each challenge is accepted once", async () => {
    const account = await signUpProtected();
    const [first, second] = [challengeIn(await login(account)), challengeIn(await login(account))];
    const code = await showCode(account.factor);
    expect((await passSignIn(first, { code })).status).toBe(200);
    expect((await passSignIn(second, { code })).body).toMatchObject({ error: "factor_invalid" });
    const next = await showCode(account.factor, 1);
    expect((await passSignIn(first, { code: next })).body).toMatchObject({ error: "factor_invalid" });
    expect((await passSignIn(second, { code: next })).status).toBe(200);
    const third = challengeIn(await login(account));
    expect((await passSignIn(third, { code: await showCode(account.factor, -1) })).status).toBe(401);
  });

  it("only one of two simultaneous sign-ins with the same code is accepted", async () => {
    const account = await signUpProtected();
    const challenges = [challengeIn(await login(account)), challengeIn(await login(account))];
    const code = await showCode(account.factor);
    const answers = await Promise.all(challenges.map((challenge) => passSignIn(challenge, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const [recoveryCode] = account.recoveryCodes;
    const laterChallenges = [challengeIn(await login(account)), challengeIn(await login(account))];
    const recovered = await Promise.all(
      laterChallenges.map((challenge) => passSignIn(challenge, { recovery_code: recoveryCode })),
    );
    expect(recovered.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it("each recovery code is accepted once, however it is typed", async () => {
    const account = await signUpProtected();
    const [code = "", secondCode = ""] = account.recoveryCodes;
    const pass = async (recoveryCode: string) =>
      passSignIn(challengeIn(await login(account)), { recovery_code: recoveryCode });
    const entered = await pass(code.toUpperCase().replaceAll("-", " "));
    expect(entered.status).toBe(200);
    expect((await pass(code)).body).toMatchObject({ error: "factor_invalid" });
    expect((await pass(secondCode)).status).toBe(200);
    expect(await listFactors(entered.body.token)).toMatchObject({ recovery_codes_left: 8 });
  });

  it("an expired challenge and a challenge of a session are not accepted at sign-in", async () => {
    const account = await signUpProtected();
    const challenge = challengeIn(await login(account));
    const sessionChallenge = challengeIn(
      await call("GET", `/v1/workspaces/${account.workspace}/key`, { token: account.session }),
    );
    expect((await passSignIn(sessionChallenge, { code: await showCode(account.factor) })).status).toBe(401);
    expect((await prove(account.session, challenge, { code: await showCode(account.factor) })).status).toBe(401);
    await testEnv.DB.prepare("UPDATE factor_challenges SET expires_at = 1").run();
    expect((await passSignIn(challenge, { code: await showCode(account.factor) })).body).toMatchObject({
      error: "factor_invalid",
      message: "The challenge was used before, or has expired.",
    });
  });

  it("guesses of codes are limited, and a recovery code is still accepted", async () => {
    const account = await signUpProtected();
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) {
      const challenge = challengeIn(await login(account));
      statuses.push((await passSignIn(challenge, { code: "000000" })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const challenge = challengeIn(await login(account));
    expect((await passSignIn(challenge, { code: await showCode(account.factor) })).status).toBe(429);
    expect((await passSignIn(challenge, { recovery_code: account.recoveryCodes[0] })).status).toBe(200);
  });

  it("a change of the password cancels sign-ins that wait for a factor", async () => {
    const account = await signUpProtected();
    const waiting = challengeIn(await login(account));
    const change = () =>
      call("POST", "/v1/auth/password", {
        token: account.session,
        body: { current: account.password, password: "a better horse battery" },
      });
    await prove(account.session, challengeIn(await change()), { recovery_code: account.recoveryCodes[0] });
    expect((await change()).status).toBe(204);
    expect((await passSignIn(waiting, { code: await showCode(account.factor) })).status).toBe(401);
  });

  it.each([
    [{}, 422, "invalid_field"],
    [{ code: "123456", recovery_code: "abcd" }, 422, "invalid_field"],
    [{ code: 123456 }, 422, "invalid_field"],
    [{ code: "x".repeat(101) }, 422, "invalid_field"],
    [{ code: "123456", passwort: "x" }, 422, "unknown_field"],
    [{ recovery_code: "" }, 401, "factor_invalid"],
    [{ code: "" }, 401, "factor_invalid"],
  ])("a sign-in with %j is answered with %i %s", async (proof, status, error) => {
    const account = await signUpProtected();
    expect(await passSignIn(challengeIn(await login(account)), proof)).toMatchObject({ status, body: { error } });
  });

  it("an invented challenge is refused", async () => {
    for (const challenge of ["", "factor_", `factor_${"a".repeat(43)}`, "' OR 1=1"]) {
      expect(await passSignIn(challenge, { code: "123456" })).toMatchObject({ status: 401 });
    }
    expect(await call("POST", "/v1/auth/login/factor", { body: { code: "123456" } })).toMatchObject({
      status: 422,
      body: { error: "missing_field", field: "/challenge" },
    });
  });
});

describe("removing a factor", () => {
  it("removing a factor requires the password and a factor, and then the password alone is enough to sign in", async () => {
    const account = await signUpProtected();
    const { session, password, factor } = account;
    expect(await remove(session, factor.id, "wrong")).toMatchObject({ body: { error: "current_password_wrong" } });
    const stranger = await signUpProtected();
    expect((await remove(session, stranger.factor.id, password)).status).toBe(404);
    await prove(session, challengeIn(await remove(session, factor.id, password)), { code: await showCode(factor) });
    expect((await remove(session, factor.id, password)).status).toBe(204);
    expect(await listFactors(session)).toEqual({ factors: [], recovery_codes_left: 0, next: null });
    expect((await login(account)).status).toBe(200);
    expect(challengeIn(await login(stranger))).toMatch(/^factor_/);
  });

  it("removing a factor keeps the recovery codes while another factor exists", async () => {
    const { session, password, factor, recoveryCodes } = await signUpProtected();
    await prove(session, challengeIn(await beginApp(session, password)), { code: await showCode(factor) });
    const second = (await beginApp(session, password)).body;
    await confirm(session, second.id, await showCode(second));
    const challenge = challengeIn(await remove(session, factor.id, password));
    expect((await prove(session, challenge, { recovery_code: recoveryCodes[0] })).status).toBe(204);
    expect((await remove(session, factor.id, password)).status).toBe(204);
    expect(await listFactors(session)).toMatchObject({ factors: [{ id: second.id }], recovery_codes_left: 9 });
  });

  it("new recovery codes replace the old ones", async () => {
    const account = await signUpProtected();
    const { session, password, factor, recoveryCodes } = account;
    const renew = () =>
      call<{ recovery_codes: string[] }>("POST", "/v1/auth/factors/recovery-codes", {
        token: session,
        body: { password },
      });
    await prove(session, challengeIn(await renew()), { code: await showCode(factor) });
    const renewed = await renew();
    expect(renewed.status).toBe(200);
    await forgetUsedCodes(factor);
    const challenge = challengeIn(await login(account));
    expect((await passSignIn(challenge, { recovery_code: recoveryCodes[3] })).status).toBe(401);
    expect((await passSignIn(challenge, { recovery_code: renewed.body.recovery_codes[3] })).status).toBe(200);
    const unprotected = await signUp();
    const body = { password: unprotected.password };
    const path = "/v1/auth/factors/recovery-codes";
    expect((await call("POST", path, { token: unprotected.session, body })).status).toBe(404);
  });
});
