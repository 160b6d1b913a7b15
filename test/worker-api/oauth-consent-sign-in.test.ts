// Signing in on the page of a consent, from which the person returns to the request of the application.
import { describe, expect, it } from "vitest";
import { allow, authorizePath, consentOn, open, register, send } from "../support/oauth.ts";
import { call, signUp } from "../support/world.ts";

describe("a person who is not signed in", () => {
  const sessionIn = (answer: Response) => /(?:^|,\s*)session=([^;]*)/.exec(answer.headers.get("set-cookie") ?? "")?.[1];

  it("a person signs in on the page and returns to the same request", async () => {
    const account = await signUp();
    const path = await authorizePath(await register());
    const page = await open(path, null);
    expect(await page.text()).toContain('name="password"');
    const { email, password } = account;
    const answer = await send(path, null, { step: "sign-in", email, password });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(path);
    const session = sessionIn(answer) ?? "";
    expect((await allow({ ...account, session }, path)).searchParams.get("code")).not.toBeNull();
  });

  it("a person sees the error, and has to wait after too many tries as at any sign-in", async () => {
    const { email } = await signUp();
    const path = await authorizePath(await register());
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      const answer = await send(path, null, { step: "sign-in", email, password: "wrong <b>" });
      statuses.push(answer.status);
      const html = await answer.text();
      expect(html).toContain(i < 5 ? "The email or the password is wrong." : "Too many requests.");
      expect(html).toContain(`value="${email}"`);
      expect(html).not.toContain("wrong <b>");
      expect(sessionIn(answer)).toBeUndefined();
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it("a person cannot be signed in by another site", async () => {
    const { email, password } = await signUp();
    const path = await authorizePath(await register());
    const answer = await send(path, null, { step: "sign-in", email, password }, { "sec-fetch-site": "cross-site" });
    expect(answer.status).toBe(403);
    expect(sessionIn(answer)).toBeUndefined();
  });

  it("a person can switch to another account", async () => {
    const account = await signUp();
    const path = await authorizePath(await register());
    const consent = await consentOn(path, account.session);
    const answer = await send(path, account.session, { consent, step: "switch" });
    expect(answer.headers.get("location")).toBe(path);
    expect(sessionIn(answer)).toBe("");
    expect((await call("GET", "/v1/auth/me", { token: account.session })).status).toBe(401);
  });

  it("a person can sign in through the provider, which leads back to the request", async () => {
    const path = await authorizePath(await register());
    const html = await (await open(path, null)).text();
    const link = /href="(http:\/\/crier\.test\/v1\/oauth\/google\/start\?continue=[^"]+)"/.exec(html)?.[1] ?? "";
    expect(new URL(link).searchParams.get("continue")).toBe(path);
  });
});
