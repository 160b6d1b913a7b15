// Two tabs, two browsers and two networks: the callback of one sign-in is never accepted for another.
import { describe, expect, it } from "vitest";
import { asMember, join } from "../support/members.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { Browser, createLink, listChannels } from "./connecting.ts";
import { browse, createPerson, encodeHint, enter, expectRefused, reachCallback } from "./provider-sign-in.ts";

/** Opens a link and consents. Returns the address of the callback, which has not been visited yet. */
async function consentTo(browser: Browser, account: Account, platform: string, name = unique("ada")): Promise<string> {
  const { location } = await browser.visit(await createLink(account, { platform }), { method: "POST" });
  const back = await browser.visit(`${location}&${new URLSearchParams({ decision: "allow", account: name })}`);
  return back.location;
}

describe("a callback of a connect link", () => {
  it("the callback of the first of two tabs is refused once the second was opened, and the second works", async () => {
    const account = await signUp();
    const browser = new Browser();
    const first = await consentTo(browser, account, "pinterest");
    const second = await consentTo(browser, account, "pinterest");
    expect((await browser.visit(first)).status).toBe(410);
    const page = await browser.visit(second);
    expect(page.status).toBe(200);
    expect((await browser.choose({ ...page, callback: second })).status).toBe(200);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it.each(["x", "youtube"])(
    "a callback with the code of another consent is refused by %s and connects nothing",
    async (platform) => {
      const [victim, attacker] = [await signUp(), await signUp()];
      const [browser, otherBrowser] = [new Browser(), new Browser()];
      const ownCallback = new URL(await consentTo(browser, victim, platform));
      const stolen = new URL(await consentTo(otherBrowser, attacker, platform));
      ownCallback.searchParams.set("code", stolen.searchParams.get("code") ?? "");
      expect((await browser.visit(ownCallback.href)).status).toBe(422);
      // Its state is used up, so no other code can be tried.
      expect((await browser.visit(ownCallback.href)).status).toBe(410);
      for (const account of [victim, attacker]) expect(await listChannels(account)).toEqual([]);
    },
  );

  it("a callback at the address of another network is refused, and stays valid at its own", async () => {
    const account = await signUp();
    const browser = new Browser();
    const callback = await consentTo(browser, account, "linkedin");
    for (const platform of ["x", "pinterest", "youtube", "facebook", "instagram", "threads", "tt", "tiktok", "bluesky"])
      expect(
        (await browser.visit(callback.replace("/callback/linkedin", `/callback/${platform}`))).status,
        platform,
      ).toBe(410);
    const page = await browser.visit(callback);
    expect(page.status).toBe(200);
    const otherAddress = callback.replace("/callback/linkedin", "/callback/x");
    expect((await browser.choose({ ...page, callback: otherAddress })).status).toBe(410);
    expect(await listChannels(account)).toEqual([]);
    expect((await browser.choose({ ...page, callback })).status).toBe(200);
    expect(await listChannels(account)).toMatchObject([{ platform: "linkedin" }]);
  });

  it("a callback and the choice after it are each accepted once, even if many arrive at the same time", async () => {
    const account = await signUp();
    const browser = new Browser();
    const callback = await consentTo(browser, account, "pinterest");
    const pages = await Promise.all(Array.from({ length: 5 }, () => browser.visit(callback)));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
    const page = pages.find(({ status }) => status === 200) ?? expect.fail("no page");
    const chosen = await Promise.all(Array.from({ length: 5 }, () => browser.choose({ ...page, callback })));
    expect(chosen.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it("a callback and the choice after it end with the workspace", async () => {
    for (const isAnswered of [false, true]) {
      const account = await signUp();
      await call("POST", "/v1/workspaces", { token: account.session, body: { name: "another" } });
      const browser = new Browser();
      const callback = await consentTo(browser, account, "pinterest");
      const page = isAnswered ? await browser.visit(callback) : null;
      const { name } = (await call<{ name: string }>("GET", "/v1/workspace", { token: account.key })).body;
      const path = `/v1/workspaces/${account.workspace}`;
      expect((await call("DELETE", path, { token: account.session, body: { name } })).status).toBe(204);
      const answer = page === null ? await browser.visit(callback) : await browser.choose({ ...page, callback });
      expect(answer.status).toBe(410);
    }
  });

  it("a callback connects to the workspace of the link, whoever is signed in in the browser", async () => {
    const [inviting, visiting] = [await signUp(), await signUp()];
    const browser = new Browser();
    const link = await createLink(inviting);
    const headers = { cookie: `session=${visiting.session}`, authorization: `Bearer ${visiting.session}` };
    const { location } = await browser.visit(link, { method: "POST", headers });
    const back = await browser.visit(`${location}&decision=allow&account=${unique("ada")}`);
    const page = await browser.visit(back.location);
    expect(page.text).toContain(inviting.email);
    expect((await browser.choose({ ...page, callback: back.location })).status).toBe(200);
    expect(await listChannels(inviting)).toHaveLength(1);
    expect(await listChannels(visiting)).toEqual([]);
  });

  it("a callback is valid after the creator of its link has signed out, but not after they have lost their role", async () => {
    const [account, member] = [await signUp(), await signUp()];
    const id = await join(account, member, "owner");
    const start = async () => {
      const answer = await call<{ url: string }>("POST", "/v1/channels/connect", {
        ...asMember(member, account),
        body: { platform: "pinterest" },
      });
      const browser = new Browser();
      const { location } = await browser.visit(answer.body.url, { method: "POST" });
      const back = await browser.visit(`${location}&decision=allow&account=${unique("ada")}`);
      return { browser, callback: back.location };
    };
    const [valid, lost] = [await start(), await start()];
    expect((await call("POST", "/v1/auth/logout", { token: member.session })).status).toBe(204);
    expect((await valid.browser.visit(valid.callback)).status).toBe(200);
    const path = `/v1/workspaces/${account.workspace}/members/${id}`;
    expect((await call("PATCH", path, { token: account.session, body: { role: "viewer" } })).status).toBe(200);
    expect((await lost.browser.visit(lost.callback)).status).toBe(410);
  });
});

describe("a callback of the sign-in provider", () => {
  it("the callback of the first of two tabs is refused once the second sign-in has begun, and the second works", async () => {
    const cookies: Record<string, string> = {};
    const [firstPerson, secondPerson] = [createPerson(), createPerson()];
    const first = await reachCallback(encodeHint(firstPerson), cookies);
    const second = await reachCallback(encodeHint(secondPerson), cookies);
    expectRefused(await browse(first, cookies), "state_invalid", cookies);
    expect((await browse(second, cookies)).headers.get("location")).toBe("http://crier.test/");
    const me = await call<{ user: { email: string } }>("GET", "/v1/auth/me", { token: cookies.session ?? "" });
    expect(JSON.stringify(me.body)).toContain(secondPerson.email);
  });

  it("a callback with the state of a connect link is refused, and a connect link refuses the provider's state", async () => {
    const account = await signUp();
    const browser = new Browser();
    const connect = new URL(await consentTo(browser, account, "pinterest"));
    const cookies: Record<string, string> = {};
    const provider = new URL(await reachCallback(encodeHint(createPerson()), cookies));
    const [ours, theirs] = [connect.searchParams.get("state") ?? "", provider.searchParams.get("state") ?? ""];
    const mixed = new URL(provider);
    mixed.searchParams.set("state", ours);
    expectRefused(await browse(mixed.href, cookies), "state_invalid", cookies);
    const mixedConnect = new URL(connect);
    mixedConnect.searchParams.set("state", theirs);
    expect((await browser.visit(mixedConnect.href)).status).toBe(410);
    expect((await browse(provider.href, cookies)).headers.get("location")).toBe("http://crier.test/");
    expect((await browser.visit(connect.href)).status).toBe(200);
  });

  it("a callback after a sign-out begins a new session and does not restore the old one", async () => {
    const claims = createPerson();
    const { cookies } = await enter(claims);
    const old = cookies.session ?? "";
    const callback = await reachCallback(encodeHint(claims), cookies);
    expect((await call("POST", "/v1/auth/logout", { token: old })).status).toBe(204);
    await browse(callback, cookies);
    expect(cookies.session).not.toBe(old);
    expect((await call("GET", "/v1/auth/me", { token: old })).status).toBe(401);
    expect((await call("GET", "/v1/auth/me", { token: cookies.session ?? "" })).status).toBe(200);
  });
});
