// The page of the mailed link works without scripts, and verifies the address only in a session of the link's account.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { lastProofTo, tokenIn } from "../support/mails.ts";
import { fetchCrier, open, send } from "../support/oauth.ts";
import { type Account, call, signUp } from "../support/world.ts";

const getPath = async ({ email }: Account) => `/auth/verify?token=${tokenIn(await lastProofTo(email))}`;
const isVerified = async ({ email }: Account) =>
  (await testEnv.DB.prepare("SELECT email_verified_at FROM users WHERE email = ?")
    .bind(email)
    .first("email_verified_at")) !== null;
const readPage = async (answer: Response) => ({ status: answer.status, text: await answer.text() });
const sessionIn = (answer: Response) =>
  /(?:^|,\s*)session=([^;]*)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";

describe("the verification link", () => {
  it("the page asks for a confirmation in a session of its account, and opening it verifies nothing yet", async () => {
    const account = await signUp();
    const path = await getPath(account);
    const page = await readPage(await open(path, account.session));
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(account.email) });
    expect(page.text).not.toContain('name="password"');
    expect(await isVerified(account)).toBe(false);
    expect(await readPage(await send(path, account.session, {}))).toMatchObject({
      status: 200,
      text: expect.stringContaining("Email address confirmed"),
    });
    expect(await isVerified(account)).toBe(true);
    expect((await call("GET", "/v1/auth/me", { token: account.session })).status).toBe(200);
  });

  it("the page asks a signed-out person to sign in first, and leads on from there", async () => {
    const account = await signUp();
    const path = await getPath(account);
    const page = await readPage(await open(path, null));
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('name="password"') });
    const { email, password } = account;
    const wrong = await readPage(await send(path, null, { step: "sign-in", email, password: "wrong" }));
    expect(wrong).toMatchObject({ status: 401, text: expect.stringContaining("The email or the password is wrong.") });
    expect(wrong.text).toContain(`value="${email}"`);
    const entered = await send(path, null, { step: "sign-in", email, password });
    expect(entered).toMatchObject({ status: 303 });
    expect(entered.headers.get("location")).toBe(path);
    expect((await readPage(await open(path, sessionIn(entered)))).text).toContain("Confirm</button>");
  });

  it("the page names the account of another session, and asks for the right one", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const path = await getPath(account);
    const page = await readPage(await open(path, stranger.session));
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`signed in as ${stranger.email}`) });
    expect(page.text).toContain('name="password"');
    expect(page.text).not.toContain(account.email);
    await send(path, stranger.session, {});
    expect([await isVerified(account), await isVerified(stranger)]).toEqual([false, false]);
  });

  it("the page accepts no form of another site", async () => {
    const account = await signUp();
    const path = await getPath(account);
    const forged: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      {},
    ];
    for (const headers of forged) expect((await send(path, account.session, {}, headers)).status).toBe(403);
    expect(await isVerified(account)).toBe(false);
  });

  it("a link that does not work says so", async () => {
    const { session } = await signUp();
    for (const query of ["", "?token=", "?token=x", `?token=${"x".repeat(5_000)}`]) {
      expect(await readPage(await open(`/auth/verify${query}`, session))).toMatchObject({
        status: 410,
        text: expect.stringContaining("This link does not work"),
      });
    }
    expect((await send("/auth/verify?token=x", session, {})).status).toBe(410);
  });

  it("the link is hidden from the sites that the browser opens next, and from caches", async () => {
    const account = await signUp();
    const page = await fetchCrier(await getPath(account));
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});
