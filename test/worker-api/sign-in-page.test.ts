// Signing in, up and out in a browser, and a forgotten password, with forms that work without scripts.
import { describe, expect, it } from "vitest";
import { askExisting } from "../support/deployment.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { open, send } from "../support/oauth.ts";
import { call, signUp, unique } from "../support/world.ts";

const PASSWORD = "correct horse battery";
const readPage = async (answer: Response) => ({ status: answer.status, text: await answer.text() });
const sessionIn = (answer: Response) =>
  /(?:^|,\s*)session=([^;]*)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";
const getEmail = async (session: string) =>
  (await call<{ user: { email: string } }>("GET", "/v1/auth/me", { token: session })).body.user?.email;
const consentIn = (text: string) => /name="consent" value="([^"]+)"/.exec(text)?.[1] ?? "";

describe("/auth", () => {
  it("signing in leads to the start page or to the requested page", async () => {
    const { email, password } = await signUp();
    const entered = await send("/auth", null, { email, password });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
    expect(await getEmail(sessionIn(entered))).toBe(email);
    const signInFor = async (address: string) =>
      (await send(`/auth?continue=${encodeURIComponent(address)}`, null, { email, password })).headers.get("location");
    for (const page of ["/compose?post=post_1", "/calendar", "/posts/post_1", "/settings/keys", "/oauth/authorize?a=b"])
      expect(await signInFor(page)).toBe(page);
    for (const otherAddress of [
      "https://evil.example/",
      "//evil.example/calendar",
      "/\\evil.example",
      "/calendar/../../v1/auth/me",
      "/calendar\\evil",
      "/v1/posts",
      "/calendarevil",
      "calendar",
      "/calendar?day=1\r\nset-cookie: a=b",
      "/oauth/authorize?a=\nb",
      "",
    ])
      expect(await signInFor(otherAddress)).toBe("/");
  });

  it("a failed sign-in shows the error, and keeps the address that was typed", async () => {
    const { email } = await signUp();
    const wrong = await readPage(await send("/auth", null, { email, password: "wrong" }));
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain("The email or the password is wrong.");
    expect(wrong.text).toContain(`value="${email}"`);
    expect(wrong.text).not.toContain('value="wrong"');
    const refused = await readPage(await open("/auth?error=email_not_verified", null));
    expect(refused.text).toContain("The provider has not verified your email address.");
    expect((await readPage(await open("/auth?error=<script>", null))).text).not.toContain('role="alert"');
  });

  it("a page of another site can sign no person in or out", async () => {
    const { email, password, session } = await signUp();
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }] as Record<
      string,
      string
    >[]) {
      const forged = await send("/auth", null, { email, password }, headers);
      expect([forged.status, forged.headers.get("set-cookie")]).toEqual([403, null]);
      expect((await send("/auth", session, { step: "switch" }, headers)).status).toBe(403);
      expect((await send("/auth/sign-up", null, { email: "a@b.example", password }, headers)).status).toBe(403);
      expect((await send("/auth/forgot", null, { email }, headers)).status).toBe(403);
      expect((await send("/auth/reset?token=x", null, { password }, headers)).status).toBe(403);
    }
    expect((await send("/auth", session, { step: "switch", consent: "guessed" })).status).toBe(403);
    expect(await getEmail(session)).toBe(email);
  });

  it("the page names the person who is signed in, and signs them out", async () => {
    const { email, session } = await signUp();
    const { text } = await readPage(await open("/auth?continue=/calendar", session));
    expect(text).toContain(email);
    expect(text).toContain('href="/calendar"');
    const signedOut = await send("/auth?continue=/calendar", session, {
      step: "switch",
      consent: consentIn(text),
    });
    expect([signedOut.status, signedOut.headers.get("location")]).toEqual([303, "/auth?continue=/calendar"]);
    expect(signedOut.headers.get("clear-site-data")).toBe('"storage"');
    expect((await call("GET", "/v1/auth/me", { token: session })).status).toBe(401);
  });
});

describe("/auth/sign-up", () => {
  it("signing up creates an account with its workspace, and shows errors", async () => {
    const email = `${unique("new")}@example.com`;
    const fields = { name: "Ada", email, password: PASSWORD, workspace: "Engines" };
    const short = await readPage(await send("/auth/sign-up", null, { ...fields, password: "short" }));
    expect(short.status).toBe(422);
    expect(short.text).toContain('role="alert"');
    for (const value of ["Ada", email, "Engines"]) expect(short.text).toContain(`value="${value}"`);
    expect(short.text).not.toContain('value="short"');
    const entered = await send("/auth/sign-up?continue=/channels", null, fields);
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/channels"]);
    const me = await call("GET", "/v1/auth/me", { token: sessionIn(entered) });
    expect(me.body).toMatchObject({ user: { email, name: "Ada" }, workspaces: [{ name: "Engines" }] });
    expect((await send("/auth/sign-up", null, fields)).status).toBe(422);
  });

  it.each([
    ["the browser's time zone if its script has filled it in", "America/New_York", "America/New_York"],
    ["UTC without scripts", "", "UTC"],
    ["UTC if the browser names an unknown zone, because a person could not correct that", "Etc/Unknown", "UTC"],
  ])("signing up sets the workspace's time zone: %s", async (_, filledIn, timezone) => {
    const fields = { email: `${unique("zone")}@example.com`, password: PASSWORD, timezone: filledIn };
    const entered = await send("/auth/sign-up", null, fields);
    expect(entered.status).toBe(303);
    const me = await call("GET", "/v1/auth/me", { token: sessionIn(entered) });
    expect(me.body).toMatchObject({ workspaces: [{ timezone }] });
  });
});

describe("a forgotten password", () => {
  it("a forgotten password is requested, mailed and replaced, which signs the person in", async () => {
    const { email, session } = await signUp();
    expect(await readPage(await send("/auth/forgot", null, { email }))).toMatchObject({
      status: 200,
      text: expect.stringContaining("is on its way"),
    });
    const path = `/auth/reset?token=${tokenIn((await mailsTo(email, 1))[0])}`;
    expect((await open(path, null)).status).toBe(200);
    expect(await readPage(await send(path, null, { password: "short" }))).toMatchObject({
      status: 422,
      text: expect.stringContaining('role="alert"'),
    });
    const set = await send(path, null, { password: PASSWORD });
    expect([set.status, set.headers.get("location")]).toEqual([303, "/"]);
    expect(await getEmail(sessionIn(set))).toBe(email);
    expect((await call("GET", "/v1/auth/me", { token: session })).status).toBe(401);
    expect((await send(path, null, { password: PASSWORD })).status).toBe(422);
  });

  it("a request for a new password says so if no mail can be sent", async () => {
    const answer = await askExisting({ ...testEnv, MAIL_FROM: "" }, "http://crier.test/auth/forgot", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      body: "email=ada@example.com",
    });
    expect(await readPage(answer)).toMatchObject({ status: 503, text: expect.stringContaining("send email") });
  });
});

it("signing out and erasing clear the browser's storage, and a session that ends by itself does not", async () => {
  const { session } = await signUp();
  const clears = async (method: string, path: string, token: string) =>
    (await call(method, path, { token })).headers.get("clear-site-data");
  expect(await clears("GET", "/v1/auth/me", "sess_gone")).toBeNull();
  expect(await clears("POST", "/v1/auth/logout", session)).toBe('"storage"');
  expect(await clears("DELETE", "/v1/auth/me", (await signUp()).session)).toBe('"storage"');
});

it("each page links to the others, and none loads a script or needs one", async () => {
  for (const path of ["/", "/auth", "/auth/sign-up", "/auth/forgot", "/auth/reset?token=x"]) {
    const { status, text } = await readPage(await open(path, null));
    expect(status, path).toBe(200);
    expect(text).not.toContain("<script src");
    // The only inline script fills in a field that may stay empty.
    const scripts = text.match(/<script nonce="[^"]+">/g) ?? [];
    expect(scripts, path).toHaveLength(["/auth", "/auth/sign-up"].includes(path) ? 1 : 0);
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link);
    expect(links).toEqual(expect.arrayContaining(["/", "/docs", "/favicon.ico"]));
    for (const link of links) expect((await open(link, null)).status, `${path} -> ${link}`).toBe(200);
  }
  expect((await readPage(await open("/", null))).text).toMatch(/href="\/auth".*href="\/auth\/sign-up"/s);
});

it("the start page signs anyone in to the demo if there is one, and only then", async () => {
  const { email, password } = await signUp();
  const ask = async (settings: object) => (await askExisting({ ...testEnv, ...settings }, "http://crier.test/")).text();
  const text = await ask({ DEMO_EMAIL: email, DEMO_PASSWORD: password });
  const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
  const fields = Object.fromEntries(
    [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  expect(await getEmail(sessionIn(await send(action, null, fields)))).toBe(email);
  expect(await ask({})).not.toContain("demo");
});
