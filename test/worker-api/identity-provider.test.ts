// Sign-in through a provider.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { readDevice } from "../../src/operations/accounts/device.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo } from "../support/mails.ts";
import { expectNothingLeft, prepareAccount } from "../support/unproven-account.ts";
import { call, signUp, unique } from "../support/world.ts";
import { browse, CALLBACK, createPerson, encodeHint, enter, reachCallback, START } from "./provider-sign-in.ts";

describe("sign-in through a provider", () => {
  it("a sign-in through a provider creates an account with a workspace, and the next one finds it again", async () => {
    const claims = createPerson();
    const { response, cookies } = await enter(claims);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("http://crier.test/");
    const me = await call("GET", "/v1/auth/me", { token: cookies.session });
    expect(me.body).toMatchObject({
      user: { email: claims.email, name: "Grace", email_verified: true },
      workspaces: [{ role: "owner" }],
    });
    expect(cookies).not.toHaveProperty("oauth");
    const again = await enter(claims);
    expect((await call("GET", "/v1/auth/me", { token: again.cookies.session })).body).toEqual(me.body);
  });

  it.each([
    ["America/New_York", "America/New_York"],
    ["Mars/X", "UTC"],
  ])("a sign-in that was started in the zone %s gives the first workspace the time zone %s", async (zone, timezone) => {
    const cookies: Record<string, string> = {};
    const callback = await reachCallback(
      encodeHint(createPerson()),
      cookies,
      `${START}?timezone=${encodeURIComponent(zone)}`,
    );
    await browse(callback, cookies);
    const me = await call("GET", "/v1/auth/me", { token: cookies.session });
    expect(me.body).toMatchObject({ workspaces: [{ timezone }] });
    expect(cookies).not.toHaveProperty("timezone");
  });

  it("a sign-in through a provider returns to an application's request and never to another address", async () => {
    const returnTo = async (address: string) => {
      const cookies: Record<string, string> = {};
      const start = `${START}?continue=${encodeURIComponent(address)}`;
      const response = await browse(await reachCallback(encodeHint(createPerson()), cookies, start), cookies);
      expect(cookies).not.toHaveProperty("return_to");
      return response.headers.get("location");
    };
    const request = "/oauth/authorize?client_id=https%3A%2F%2Fa.example%2Fc&state=a%20b%C3%A9";
    expect(await returnTo(request)).toBe(`http://crier.test${request}`);
    for (const otherAddress of [
      "https://evil.example",
      "//evil.example",
      "/oauth/authorize/../../x",
      "/oauth/authorize@evil.example",
      `/oauth/authorize?${"x".repeat(3_000)}`,
      "/v1/auth/me",
    ])
      expect(await returnTo(otherAddress), otherAddress).toBe("http://crier.test/");
  });

  it("five simultaneous sign-ins of a new person create one account", async () => {
    const claims = createPerson();
    const walks = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const cookies: Record<string, string> = {};
        return { cookies, url: await reachCallback(encodeHint(claims), cookies) };
      }),
    );
    const answers = await Promise.all(walks.map(({ url, cookies }) => browse(url, cookies)));
    expect(answers.map((answer) => answer.headers.get("location"))).toEqual(Array(5).fill("http://crier.test/"));
    const users = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM users WHERE email = ?")
      .bind(claims.email)
      .first("n");
    expect(users).toBe(1);
  });

  it("a sign-in through a provider gives the browser a device proof for the account's address, like a password sign-in", async () => {
    const claims = createPerson();
    const { cookies } = await enter(claims);
    const ctx = compose(testEnv, () => {});
    expect(await readDevice(ctx, claims.email, cookies.device)).not.toBeNull();
    // The provider has since given the person another address, and the account keeps its own.
    const email = `${unique("stored")}@example.com`;
    await testEnv.DB.prepare("UPDATE users SET email = ? WHERE email = ?").bind(email, claims.email).run();
    const again = await enter(claims);
    expect(await readDevice(ctx, email, again.cookies.device)).not.toBeNull();
    expect(await readDevice(ctx, claims.email, again.cookies.device)).toBeNull();
  });

  it("sign-in through a provider is offered only if it is configured", async () => {
    const methods = await call("GET", "/v1/auth/methods");
    expect(methods.body).toEqual({
      password: true,
      sign_up: "open",
      providers: [{ id: "google", name: "Google", start_url: START }],
    });
    const without = { OIDC_CLIENT_SECRET: undefined };
    expect(await (await browse("http://crier.test/v1/auth/methods", {}, without)).json()).toEqual({
      password: true,
      sign_up: "open",
      providers: [],
    });
    for (const url of [START, `${CALLBACK}?state=x`]) {
      const response = await browse(url, {}, without);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: "sign_in_not_configured" });
    }
    expect((await browse("http://crier.test/v1/oauth/other/start", {})).status).toBe(404);
  });

  it("a sign-in through a provider joins an account with a verified address, and the account keeps its password", async () => {
    const account = await signUp();
    await testEnv.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(account.email).run();
    const { cookies } = await enter({ email: account.email, email_verified: true });
    expect((await call("GET", "/v1/auth/me", { token: cookies.session })).body).toMatchObject({
      workspaces: [{ id: account.workspace }],
    });
    expect(
      (await call("POST", "/v1/auth/login", { body: account && { email: account.email, password: account.password } }))
        .status,
    ).toBe(200);
  });

  it("an account that someone else created in advance is emptied for the owner of its address, who gets an email", async () => {
    const prepared = await prepareAccount();
    const { email } = prepared.attacker;
    const { cookies } = await enter({ email, email_verified: true });
    await expectNothingLeft(prepared, cookies.session ?? "");
    expect((await mailsTo(email, 1))[0]).toMatchObject({ subject: "Your Crier account is now yours alone" });
  });
});
