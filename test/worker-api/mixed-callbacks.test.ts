// Two tabs, two browsers and two networks: the callback of one walk is never taken for that of another.
import { describe, expect, it } from "vitest";
import { as, join } from "../support/members.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { Browser, createLink, listChannels } from "./connecting.ts";
import { browse, enter, expectRefused, hint, person, toCallback } from "./provider-sign-in.ts";

/** Opens a link and consents; returns the callback, which nobody has visited. */
async function consented(browser: Browser, account: Account, platform: string, name = unique("ada")): Promise<string> {
  const { location } = await browser.visit(await createLink(account, { platform }), { method: "POST" });
  const back = await browser.visit(`${location}&${new URLSearchParams({ decision: "allow", account: name })}`);
  return back.location;
}

describe("a callback of a connect link", () => {
  it("of the first of two tabs is refused once the second was opened, which goes on", async () => {
    const account = await signUp();
    const browser = new Browser();
    const first = await consented(browser, account, "pinterest");
    const second = await consented(browser, account, "pinterest");
    expect((await browser.visit(first)).status).toBe(410);
    const page = await browser.visit(second);
    expect(page.status).toBe(200);
    expect((await browser.choose({ ...page, callback: second })).status).toBe(200);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it.each(["x", "youtube"])(
    "with the code of another walk is refused by %s, and connects nothing",
    async (platform) => {
      const [victim, attacker] = [await signUp(), await signUp()];
      const [browser, other] = [new Browser(), new Browser()];
      const own = new URL(await consented(browser, victim, platform));
      const stolen = new URL(await consented(other, attacker, platform));
      own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
      expect((await browser.visit(own.href)).status).toBe(422);
      // Its state is used up, so that no other code can be tried.
      expect((await browser.visit(own.href)).status).toBe(410);
      for (const account of [victim, attacker]) expect(await listChannels(account)).toEqual([]);
    },
  );

  it("at the address of another network is refused, and uses nothing up", async () => {
    const account = await signUp();
    const browser = new Browser();
    const own = await consented(browser, account, "linkedin");
    for (const other of ["x", "pinterest", "youtube", "facebook", "instagram", "threads", "tt", "tiktok", "bluesky"])
      expect((await browser.visit(own.replace("/callback/linkedin", `/callback/${other}`))).status, other).toBe(410);
    const page = await browser.visit(own);
    expect(page.status).toBe(200);
    const elsewhere = own.replace("/callback/linkedin", "/callback/x");
    expect((await browser.choose({ ...page, callback: elsewhere })).status).toBe(410);
    expect(await listChannels(account)).toEqual([]);
    expect((await browser.choose({ ...page, callback: own })).status).toBe(200);
    expect(await listChannels(account)).toMatchObject([{ platform: "linkedin" }]);
  });

  it("is taken once, and so is the choice behind it, however many arrive at the same time", async () => {
    const account = await signUp();
    const browser = new Browser();
    const callback = await consented(browser, account, "pinterest");
    const pages = await Promise.all(Array.from({ length: 5 }, () => browser.visit(callback)));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
    const page = pages.find(({ status }) => status === 200) ?? expect.fail("no page");
    const chosen = await Promise.all(Array.from({ length: 5 }, () => browser.choose({ ...page, callback })));
    expect(chosen.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it("and the choice behind it end with the workspace", async () => {
    for (const isAnswered of [false, true]) {
      const account = await signUp();
      await call("POST", "/v1/workspaces", { token: account.session, body: { name: "another" } });
      const browser = new Browser();
      const callback = await consented(browser, account, "pinterest");
      const page = isAnswered ? await browser.visit(callback) : null;
      const { name } = (await call<{ name: string }>("GET", "/v1/workspace", { token: account.key })).body;
      const path = `/v1/workspaces/${account.workspace}`;
      expect((await call("DELETE", path, { token: account.session, body: { name } })).status).toBe(204);
      const answer = page === null ? await browser.visit(callback) : await browser.choose({ ...page, callback });
      expect(answer.status).toBe(410);
    }
  });

  it("connects to the workspace of the link, whoever is signed in where it is opened", async () => {
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

  it("is still that of its maker after they signed out, and not after they lost the role", async () => {
    const [account, member] = [await signUp(), await signUp()];
    const id = await join(account, member, "owner");
    const start = async () => {
      const made = await call<{ url: string }>("POST", "/v1/channels/connect", {
        ...as(member, account),
        body: { platform: "pinterest" },
      });
      const browser = new Browser();
      const { location } = await browser.visit(made.body.url, { method: "POST" });
      const back = await browser.visit(`${location}&decision=allow&account=${unique("ada")}`);
      return { browser, callback: back.location };
    };
    const [kept, lost] = [await start(), await start()];
    expect((await call("POST", "/v1/auth/logout", { token: member.session })).status).toBe(204);
    expect((await kept.browser.visit(kept.callback)).status).toBe(200);
    const path = `/v1/workspaces/${account.workspace}/members/${id}`;
    expect((await call("PATCH", path, { token: account.session, body: { role: "viewer" } })).status).toBe(200);
    expect((await lost.browser.visit(lost.callback)).status).toBe(410);
  });
});

describe("a callback of the sign-in provider", () => {
  it("of the first of two tabs is refused once the second was begun, which goes on", async () => {
    const cookies: Record<string, string> = {};
    const [one, two] = [person(), person()];
    const first = await toCallback(hint(one), cookies);
    const second = await toCallback(hint(two), cookies);
    expectRefused(await browse(first, cookies), "state_invalid", cookies);
    expect((await browse(second, cookies)).headers.get("location")).toBe("http://crier.test/");
    const me = await call<{ user: { email: string } }>("GET", "/v1/auth/me", { token: cookies.session ?? "" });
    expect(JSON.stringify(me.body)).toContain(two.email);
  });

  it("with the state of a connect link is refused, and a connect link takes none of the provider's", async () => {
    const account = await signUp();
    const browser = new Browser();
    const connect = new URL(await consented(browser, account, "pinterest"));
    const cookies: Record<string, string> = {};
    const provider = new URL(await toCallback(hint(person()), cookies));
    const [ours, theirs] = [connect.searchParams.get("state") ?? "", provider.searchParams.get("state") ?? ""];
    const mixed = new URL(provider);
    mixed.searchParams.set("state", ours);
    expectRefused(await browse(mixed.href, cookies), "state_invalid", cookies);
    const other = new URL(connect);
    other.searchParams.set("state", theirs);
    expect((await browser.visit(other.href)).status).toBe(410);
    expect((await browse(provider.href, cookies)).headers.get("location")).toBe("http://crier.test/");
    expect((await browser.visit(connect.href)).status).toBe(200);
  });

  it("that comes after a sign-out begins a new session, and brings back no old one", async () => {
    const claims = person();
    const { cookies } = await enter(claims);
    const old = cookies.session ?? "";
    const callback = await toCallback(hint(claims), cookies);
    expect((await call("POST", "/v1/auth/logout", { token: old })).status).toBe(204);
    await browse(callback, cookies);
    expect(cookies.session).not.toBe(old);
    expect((await call("GET", "/v1/auth/me", { token: old })).status).toBe(401);
    expect((await call("GET", "/v1/auth/me", { token: cookies.session ?? "" })).status).toBe(200);
  });
});
