// Connecting an account by a link, walked as a person's browser walks it, through the simulator's consent page.
import { describe, expect, it } from "vitest";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { Browser, channelsOf, linkOf } from "./connecting.ts";

describe("the permissions of an app", () => {
  it("that were not granted are shown on the channel with the features that need them", async () => {
    const account = await signUp();
    const name = unique("ada");
    const link = await linkOf(account, { platform: "threads" });
    await new Browser().connect(link, { decision: "allow", account: name });
    const [channel] = await channelsOf(account);
    expect(channel?.missing_permissions).toContainEqual({
      permission: "threads_delete",
      lost: "Posts cannot be taken down.",
    });
    expect(channel?.missing_permissions.map(({ permission }) => permission)).not.toContain("threads_manage_insights");
  });

  it("that the app lacks fail the consent with the name of the setting", async () => {
    const account = await signUp();
    const return_to = "https://shop.example/accounts?tab=1";
    const browser = new Browser();
    const opened = await browser.visit(await linkOf(account, { platform: "linkedin", return_to }), { method: "POST" });
    const asked = new URL(opened.location);
    asked.searchParams.set("scope", `${asked.searchParams.get("scope")} r_basicprofile`);
    const refused = await browser.visit(`${asked.href}&decision=allow`);
    const back = await browser.visit(refused.location);
    expect(back.location).toBe(`${return_to}&platform=linkedin&error=scope_refused`);
    const again = await linkOf(account, { platform: "linkedin" });
    const reopened = new URL((await browser.visit(again, { method: "POST" })).location);
    reopened.searchParams.set("scope", "openid r_basicprofile");
    const page = await browser.visit((await browser.visit(`${reopened.href}&decision=allow`)).location);
    expect(page.text).toContain("LINKEDIN_SCOPES");
  });
});

describe("the redirect address of tiktok", () => {
  it("has another name, because the portal refuses addresses that contain its own", async () => {
    const account = await signUp();
    const name = unique("ada");
    const done = await new Browser().connect(await linkOf(account, { platform: "tiktok" }), {
      decision: "allow",
      account: name,
    });
    expect(new URL(done.callback).pathname).toBe("/v1/channels/callback/tt");
    expect(done.status).toBe(200);
    expect(await channelsOf(account)).toMatchObject([{ platform: "tiktok", state: "connected" }]);
  });
});

describe("a link", () => {
  it("connects the account that the person consented with, without a session", async () => {
    const account = await signUp();
    const link = await linkOf(account);
    const browser = new Browser();
    const page = await browser.visit(link);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("Continue to Pinterest") });
    const name = unique("ada");
    const done = await browser.connect(link, { decision: "allow", account: name });
    // Which account goes to which workspace, and whose that is.
    for (const said of [name, "Ada&#39;s workspace", account.email]) expect(done.asked.text).toContain(said);
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining(name) });
    expect(await channelsOf(account)).toMatchObject([
      { platform: "pinterest", handle: name, state: "connected", connected_by: "the workspace key" },
    ]);
  });

  it("connects in the name of its creator, also on reconnecting", async () => {
    const account = await signUp();
    const name = unique("ada");
    await new Browser().connect(await linkOf(account), { decision: "allow", account: name });
    const made = await call<{ url: string }>("POST", "/v1/channels/connect", {
      token: account.session,
      headers: { "x-workspace": account.workspace },
      body: { platform: "pinterest" },
    });
    await new Browser().connect(made.body.url, { decision: "allow", account: name });
    expect(await channelsOf(account)).toMatchObject([{ handle: name, connected_by: "Ada" }]);
  });

  it("works once, however often it was previewed before", async () => {
    const account = await signUp();
    const link = await linkOf(account);
    for (let i = 0; i < 3; i++) expect((await new Browser().visit(link)).status).toBe(200);
    const browser = new Browser();
    const done = await browser.connect(link, { decision: "allow", account: unique("a") });
    expect(done.status).toBe(200);
    expect((await browser.visit(done.callback)).status, "the redirect came back before").toBe(410);
    expect((await browser.visit(link, { method: "POST" })).status).toBe(410);
    expect((await browser.visit(link)).status).toBe(410);
    expect(await channelsOf(account)).toHaveLength(1);
  });

  it("is answered only in the browser that opened it", async () => {
    const account = await signUp();
    const opened = await new Browser().visit(await linkOf(account), { method: "POST" });
    const back = await new Browser().visit(`${opened.location}&decision=allow&account=mallory`);
    for (const browser of [new Browser(), await other(account)]) {
      expect((await browser.visit(back.location)).status).toBe(410);
    }
    expect(await channelsOf(account)).toEqual([]);

    async function other(account: Account) {
      const browser = new Browser();
      await browser.visit(await linkOf(account), { method: "POST" });
      return browser;
    }
  });

  it("does nothing with a forged or missing state", async () => {
    const browser = new Browser();
    await browser.visit(await linkOf(await signUp()), { method: "POST" });
    const callback = "http://crier.test/v1/channels/callback/pinterest";
    for (const query of ["", "?code=x", "?state=forged&code=x", "?state=&code=x"])
      expect((await browser.visit(callback + query)).status).toBe(410);
  });

  it("is accepted only from its own page, so that another site cannot connect a visitor's account", async () => {
    const account = await signUp();
    const link = await linkOf(account);
    const browser = new Browser();
    const foreign: Record<string, string>[] = [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }];
    for (const headers of foreign) {
      expect((await browser.visit(link, { method: "POST", headers })).status).toBe(403);
    }
    const asked = await browser.consent(link, { decision: "allow", account: unique("a") });
    expect(await channelsOf(account), "before anybody was asked").toEqual([]);
    expect((await browser.choose(asked, { origin: "https://evil.example" })).status).toBe(403);
    expect(await channelsOf(account)).toEqual([]);
    expect((await browser.choose(asked)).status).toBe(200);
    expect(await channelsOf(account)).toHaveLength(1);
  });

  it("says how many accounts of the consent it cannot offer, and what to do about it", async () => {
    const account = await signUp();
    const answers = { decision: "allow", account: unique("ada"), pages: "700" };
    const asked = await new Browser().consent(await linkOf(account, { platform: "facebook" }), answers);
    expect(asked.status).toBe(200);
    const offered = asked.text.match(/type="checkbox"/g)?.length ?? 0;
    expect(offered).toBeGreaterThan(100);
    expect(asked.text).toContain(`${700 - offered} accounts of this consent cannot be offered here`);
    const few = await new Browser().consent(await linkOf(account, { platform: "facebook" }), {
      ...answers,
      pages: "2",
    });
    expect(few.text).not.toContain("cannot be offered");
  });

  it("connects nothing when the person says no", async () => {
    const account = await signUp();
    const done = await new Browser().consent(await linkOf(account), { decision: "deny" });
    expect(done).toMatchObject({ status: 422, text: expect.stringContaining("did not give consent") });
    expect(await channelsOf(account)).toEqual([]);
  });

  it("connects nothing when required scopes were not granted, and names them", async () => {
    const account = await signUp();
    const answers = { decision: "allow", account: "few", scope_granted: "pins:read" };
    const done = await new Browser().consent(await linkOf(account), answers);
    expect(done).toMatchObject({ status: 422, text: expect.stringContaining("boards:write") });
  });

  it("redirects to its creator's address with the channel or the error", async () => {
    const account = await signUp();
    const return_to = "https://app.example.com/done?tab=1";
    const done = await new Browser().connect(await linkOf(account, { return_to }), {
      decision: "allow",
      account: unique("a"),
    });
    const [channel] = await channelsOf(account);
    expect(done).toMatchObject({ status: 303, location: `${return_to}&platform=pinterest&channel=${channel?.id}` });
    const denied = await new Browser().consent(await linkOf(account, { return_to }), { decision: "deny" });
    expect(denied.location).toBe(`${return_to}&platform=pinterest&error=access_denied`);
  });

  it("keeps the channel and the queue of an account that is reconnected", async () => {
    const account = await signUp();
    const name = unique("again");
    for (let i = 0; i < 2; i++) {
      const done = await new Browser().connect(await linkOf(account), { decision: "allow", account: name });
      expect(done.status).toBe(200);
    }
    expect(await channelsOf(account)).toHaveLength(1);
  });
});

describe.each(["x", "pinterest", "instagram", "tiktok", "linkedin", "youtube", "facebook", "threads"])(
  "on %s",
  (platform) => {
    it("a consent connects a working channel, and a repeated consent keeps it", async () => {
      const account = await signUp();
      const name = unique("ada");
      for (let i = 0; i < 2; i++) {
        const link = await linkOf(account, { platform });
        const browser = new Browser();
        const done = await browser.connect(link, { decision: "allow", account: name });
        expect(done.status, done.text).toBe(200);
      }
      const [channel, ...others] = await channelsOf(account);
      expect(others).toEqual([]);
      expect(channel).toMatchObject({ platform, state: "connected", connected: true });
      const { status, body } = await call("POST", "/v1/posts", {
        token: account.key,
        body: { text: "would it go?", channels: [channel?.id], dry_run: true },
      });
      // What a network cannot do without is asked for; that the channel is connected is not in question.
      const codes = (body.violations as { code: string }[] | undefined)?.map(({ code }) => code) ?? [];
      expect([200, 422]).toContain(status);
      expect(codes.filter((code) => code.startsWith("channel_"))).toEqual([]);
    });

    it("connects nothing when the person says no", async () => {
      const account = await signUp();
      const done = await new Browser().consent(await linkOf(account, { platform }), { decision: "deny" });
      expect(done).toMatchObject({ status: 422, text: expect.stringContaining("did not give consent") });
      expect(await channelsOf(account)).toEqual([]);
    });
  },
);

describe("POST /v1/channels/connect refuses", () => {
  it.each([
    [{ platform: "bluesky" }, 422, "invalid_field"],
    [{ platform: "reddit" }, 422, "connector_request_only"],
    [{ platform: "nowhere" }, 422, "unknown_platform"],
    [{ return_to: "javascript:alert(1)" }, 422, "url_not_https"],
    [{ return_to: "https://user:password@example.com/" }, 422, "url_not_https"],
    [{ return_to: "nonsense" }, 422, "invalid_field"],
    [{ returnto: "https://example.com/" }, 422, "unknown_field"],
  ])("%j", async (body, status, error) => {
    const { key } = await signUp();
    const answer = await call("POST", "/v1/channels/connect", { token: key, body: { platform: "pinterest", ...body } });
    expect(answer).toMatchObject({ status, body: { error } });
  });
});

it("a form that is longer than any of ours is not read", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = `state=${"x".repeat(1 << 20)}`;
  const url = "http://crier.test/v1/channels/callback/pinterest";
  expect((await new Browser().visit(url, { method: "POST", headers, body })).status).toBe(413);
});
