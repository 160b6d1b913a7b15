// Connecting an account by a link, step by step as a browser does it, through the simulator's consent page.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { type Account, call, connect, signUp, unique } from "../support/world.ts";
import { Browser, createLink, listChannels } from "./connecting.ts";

describe("the permissions of an app", () => {
  it("permissions that were not granted are shown on the channel with the features that need them", async () => {
    const account = await signUp();
    const name = unique("ada");
    const link = await createLink(account, { platform: "threads" });
    await new Browser().connect(link, { decision: "allow", account: name });
    const [channel] = await listChannels(account);
    expect(channel?.missing_permissions).toContainEqual({
      permission: "threads_delete",
      lost: "Posts cannot be taken down.",
    });
    expect(channel?.missing_permissions.map(({ permission }) => permission)).not.toContain("threads_manage_insights");
  });

  it("permissions that the app lacks make the consent fail with the name of the setting", async () => {
    const account = await signUp();
    const return_to = "https://shop.example/accounts?tab=1";
    const browser = new Browser();
    const opened = await browser.visit(await createLink(account, { platform: "linkedin", return_to }), {
      method: "POST",
    });
    const consentUrl = new URL(opened.location);
    consentUrl.searchParams.set("scope", `${consentUrl.searchParams.get("scope")} r_basicprofile`);
    const refused = await browser.visit(`${consentUrl.href}&decision=allow`);
    const back = await browser.visit(refused.location);
    expect(back.location).toBe(`${return_to}&platform=linkedin&error=scope_refused`);
    const again = await createLink(account, { platform: "linkedin" });
    const reopened = new URL((await browser.visit(again, { method: "POST" })).location);
    reopened.searchParams.set("scope", "openid r_basicprofile");
    const page = await browser.visit((await browser.visit(`${reopened.href}&decision=allow`)).location);
    expect(page.text).toContain("LINKEDIN_SCOPES");
  });
});

describe("the redirect address of TikTok", () => {
  it("the redirect address of TikTok has another name, because the portal refuses addresses that contain its own", async () => {
    const account = await signUp();
    const name = unique("ada");
    const result = await new Browser().connect(await createLink(account, { platform: "tiktok" }), {
      decision: "allow",
      account: name,
    });
    expect(new URL(result.callback).pathname).toBe("/v1/channels/callback/tt");
    expect(result.status).toBe(200);
    expect(await listChannels(account)).toMatchObject([{ platform: "tiktok", state: "connected" }]);
  });
});

describe("a connect link", () => {
  it("a connect link connects the account that the person consented with, without a session", async () => {
    const account = await signUp();
    const link = await createLink(account);
    const browser = new Browser();
    const page = await browser.visit(link);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("Continue to Pinterest") });
    const name = unique("ada");
    const result = await browser.connect(link, { decision: "allow", account: name });
    // The page names the account, the workspace and its owner.
    for (const text of [name, "Ada&#39;s workspace", account.email]) expect(result.choicePage.text).toContain(text);
    expect(result).toMatchObject({ status: 200, text: expect.stringContaining(name) });
    expect(await listChannels(account)).toMatchObject([
      { platform: "pinterest", handle: name, state: "connected", connected_by: "the workspace key" },
    ]);
  });

  it("a connect link connects the account in the name of the link's creator, also when it is reconnected", async () => {
    const account = await signUp();
    const name = unique("ada");
    await new Browser().connect(await createLink(account), { decision: "allow", account: name });
    const answer = await call<{ url: string }>("POST", "/v1/channels/connect", {
      token: account.session,
      headers: { "x-workspace": account.workspace },
      body: { platform: "pinterest" },
    });
    await new Browser().connect(answer.body.url, { decision: "allow", account: name });
    expect(await listChannels(account)).toMatchObject([{ handle: name, connected_by: "Ada" }]);
  });

  it("a connect link survives a refusal at the network, and a second opening", async () => {
    const account = await signUp();
    const link = await createLink(account);
    const browser = new Browser();
    const denied = await browser.consent(link, { decision: "deny" });
    expect(denied).toMatchObject({ status: 422, text: expect.stringContaining("Open the link again") });
    expect((await browser.visit(link)).status).toBe(200);
    const first = await browser.consent(link, { decision: "allow", account: unique("a") });
    const other = new Browser();
    const second = await other.consent(link, { decision: "allow", account: unique("b") });
    expect((await browser.choose(first)).status, "an opening that another one has replaced").toBe(410);
    expect((await other.choose(second)).status).toBe(200);
    expect((await browser.visit(link)).status).toBe(410);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it("a connect link survives an account that cannot be stored", async () => {
    const account = await signUp();
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
    const link = await createLink(account);
    for (let i = 0; i < 3; i++) await connect(account.key, "telegram");
    const full = await new Browser().connect(link, { decision: "allow", account: unique("a") });
    expect(full.status).toBe(422);
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'pro' WHERE id = ?").bind(account.workspace).run();
    expect((await new Browser().connect(link, { decision: "allow", account: unique("a") })).status).toBe(200);
  });

  it("a connect link can last thirty days and carry a brand, beside the names of the workspace and of Crier", async () => {
    const account = await signUp();
    const answer = await call<{ url: string; expires_at: string }>("POST", "/v1/channels/connect", {
      token: account.key,
      body: {
        platform: "pinterest",
        expires_in: 2_592_000,
        return_to: "http://localhost:3000/done",
        brand: { name: "Ada <& Co.", accent: "#112233" },
      },
    });
    expect(answer.status).toBe(201);
    const life = Date.parse(answer.body.expires_at) - Date.now();
    expect(life).toBeGreaterThan(2_592_000_000 - 60_000);
    expect(life).toBeLessThanOrEqual(2_592_000_000);
    const { text } = await new Browser().visit(answer.body.url);
    for (const shown of ["Ada &lt;&amp; Co.", "#112233", "Ada&#39;s workspace", "belongs to Crier at crier.test"]) {
      expect(text).toContain(shown);
    }
    const done = await new Browser().connect(answer.body.url, { decision: "allow", account: unique("a") });
    expect(done.location).toMatch(/^http:\/\/localhost:3000\/done\?platform=pinterest&channel=ch_/);
  });

  it("a connect link connects once, even if it was previewed before", async () => {
    const account = await signUp();
    const link = await createLink(account);
    for (let i = 0; i < 3; i++) expect((await new Browser().visit(link)).status).toBe(200);
    const browser = new Browser();
    const result = await browser.connect(link, { decision: "allow", account: unique("a") });
    expect(result.status).toBe(200);
    expect((await browser.visit(result.callback)).status, "a repeated redirect").toBe(410);
    expect((await browser.visit(link, { method: "POST" })).status).toBe(410);
    expect((await browser.visit(link)).status).toBe(410);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it("a connect link can be completed only in the browser that opened it", async () => {
    const account = await signUp();
    const opened = await new Browser().visit(await createLink(account), { method: "POST" });
    const back = await new Browser().visit(`${opened.location}&decision=allow&account=mallory`);
    for (const browser of [new Browser(), await openOtherBrowser(account)]) {
      expect((await browser.visit(back.location)).status).toBe(410);
    }
    expect(await listChannels(account)).toEqual([]);

    async function openOtherBrowser(account: Account) {
      const browser = new Browser();
      await browser.visit(await createLink(account), { method: "POST" });
      return browser;
    }
  });

  it("a callback with a forged or missing state has no effect", async () => {
    const browser = new Browser();
    await browser.visit(await createLink(await signUp()), { method: "POST" });
    const callback = "http://crier.test/v1/channels/callback/pinterest";
    for (const query of ["", "?code=x", "?state=forged&code=x", "?state=&code=x"])
      expect((await browser.visit(callback + query)).status).toBe(410);
  });

  it("a connect link is accepted only from its own page, so that another site cannot connect a visitor's account", async () => {
    const account = await signUp();
    const link = await createLink(account);
    const browser = new Browser();
    const foreign: Record<string, string>[] = [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }];
    for (const headers of foreign) {
      expect((await browser.visit(link, { method: "POST", headers })).status).toBe(403);
    }
    const choicePage = await browser.consent(link, { decision: "allow", account: unique("a") });
    expect(await listChannels(account), "before the person has chosen").toEqual([]);
    expect((await browser.choose(choicePage, { origin: "https://evil.example" })).status).toBe(403);
    expect(await listChannels(account)).toEqual([]);
    expect((await browser.choose(choicePage)).status).toBe(200);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it("the page says how many accounts of the consent it cannot offer", async () => {
    const account = await signUp();
    const answers = { decision: "allow", account: unique("ada"), pages: "700" };
    const choicePage = await new Browser().consent(await createLink(account, { platform: "facebook" }), answers);
    expect(choicePage.status).toBe(200);
    const offered = choicePage.text.match(/type="checkbox"/g)?.length ?? 0;
    expect(offered).toBeGreaterThan(100);
    expect(choicePage.text).toContain(`${700 - offered} accounts of this consent cannot be offered here`);
    const few = await new Browser().consent(await createLink(account, { platform: "facebook" }), {
      ...answers,
      pages: "2",
    });
    expect(few.text).not.toContain("cannot be offered");
  });

  it("a denied consent connects no account", async () => {
    const account = await signUp();
    const result = await new Browser().consent(await createLink(account), { decision: "deny" });
    expect(result).toMatchObject({ status: 422, text: expect.stringContaining("did not give consent") });
    expect(await listChannels(account)).toEqual([]);
  });

  it("a consent without a required scope connects no account, and the page names the scope", async () => {
    const account = await signUp();
    const answers = { decision: "allow", account: "few", scope_granted: "pins:read" };
    const result = await new Browser().consent(await createLink(account), answers);
    expect(result).toMatchObject({ status: 422, text: expect.stringContaining("boards:write") });
  });

  it("a connect link redirects to its creator's address with the channel or the error", async () => {
    const account = await signUp();
    const return_to = "https://app.example.com/done?tab=1";
    const result = await new Browser().connect(await createLink(account, { return_to }), {
      decision: "allow",
      account: unique("a"),
    });
    const [channel] = await listChannels(account);
    expect(result).toMatchObject({ status: 303, location: `${return_to}&platform=pinterest&channel=${channel?.id}` });
    const denied = await new Browser().consent(await createLink(account, { return_to }), { decision: "deny" });
    expect(denied.location).toBe(`${return_to}&platform=pinterest&error=access_denied`);
  });

  it("reconnecting an account keeps its channel", async () => {
    const account = await signUp();
    const name = unique("again");
    for (let i = 0; i < 2; i++) {
      const result = await new Browser().connect(await createLink(account), { decision: "allow", account: name });
      expect(result.status).toBe(200);
    }
    expect(await listChannels(account)).toHaveLength(1);
  });
});

describe.each(["x", "pinterest", "instagram", "tiktok", "linkedin", "youtube", "facebook", "threads"])(
  "on %s",
  (platform) => {
    it("a consent connects a working channel, and a repeated consent keeps it", async () => {
      const account = await signUp();
      const name = unique("ada");
      for (let i = 0; i < 2; i++) {
        const link = await createLink(account, { platform });
        const browser = new Browser();
        const result = await browser.connect(link, { decision: "allow", account: name });
        expect(result.status, result.text).toBe(200);
      }
      const [channel, ...otherChannels] = await listChannels(account);
      expect(otherChannels).toEqual([]);
      expect(channel).toMatchObject({ platform, state: "connected", connected: true });
      const { status, body } = await call("POST", "/v1/posts", {
        token: account.key,
        body: { text: "would it go?", channels: [channel?.id], dry_run: true },
      });
      // The network may require options, but the channel itself must have no violation.
      const codes = (body.violations as { code: string }[] | undefined)?.map(({ code }) => code) ?? [];
      expect([200, 422]).toContain(status);
      expect(codes.filter((code) => code.startsWith("channel_"))).toEqual([]);
    });

    it("a denied consent connects no channel", async () => {
      const account = await signUp();
      const result = await new Browser().consent(await createLink(account, { platform }), { decision: "deny" });
      expect(result).toMatchObject({ status: 422, text: expect.stringContaining("did not give consent") });
      expect(await listChannels(account)).toEqual([]);
    });
  },
);

describe("POST /v1/channels/connect", () => {
  it.each([
    [{ platform: "reddit" }, 422, "connector_request_only"],
    [{ platform: "nowhere" }, 422, "unknown_platform"],
    [{ return_to: "javascript:alert(1)" }, 422, "url_not_https"],
    [{ return_to: "https://user:password@example.com/" }, 422, "url_not_https"],
    [{ return_to: "nonsense" }, 422, "invalid_field"],
    [{ return_to: "http://example.com/" }, 422, "url_not_https"],
    [{ return_to: "http://10.0.0.1/" }, 422, "url_not_https"],
    [{ expires_in: 2_592_001 }, 422, "invalid_field"],
    [{ expires_in: 59 }, 422, "invalid_field"],
    [{ brand: { logo_media: "med_x" } }, 422, "unknown_media"],
    [{ brand: { accent: "blue" } }, 422, "invalid_field"],
    [{ returnto: "https://example.com/" }, 422, "unknown_field"],
  ])("refuses the link %j", async (body, status, error) => {
    const { key } = await signUp();
    const answer = await call("POST", "/v1/channels/connect", { token: key, body: { platform: "pinterest", ...body } });
    expect(answer).toMatchObject({ status, body: { error } });
  });
});

it("a form that is longer than any valid form is not read", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = `state=${"x".repeat(1 << 20)}`;
  const url = "http://crier.test/v1/channels/callback/pinterest";
  expect((await new Browser().visit(url, { method: "POST", headers, body })).status).toBe(413);
});
