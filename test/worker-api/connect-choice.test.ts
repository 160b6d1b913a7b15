// The accounts of a consent: the page that lists them, and the creator of a link, who is not asked about a single one.
import { describe, expect, it } from "vitest";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { Browser, createLink, listChannels } from "./connecting.ts";

describe("the choice of accounts", () => {
  it("the choice page has each account ticked, and stays open if it is submitted without one", async () => {
    const account = await signUp();
    const browser = new Browser();
    const answers = { decision: "allow", account: unique("ada"), pages: "2" };
    const choicePage = await browser.consent(await createLink(account, { platform: "facebook" }), answers);
    expect(choicePage.text.match(/type="checkbox"[^>]* checked>/g)).toHaveLength(2);
    const emptyChoice = await browser.submit(choicePage, []);
    expect(emptyChoice).toMatchObject({ status: 422, text: expect.stringContaining("Choose at least one account.") });
    expect(emptyChoice.text.match(/type="checkbox"/g)).toHaveLength(2);
    expect(await listChannels(account)).toEqual([]);
    expect((await browser.choose({ ...emptyChoice, callback: choicePage.callback })).status).toBe(200);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it("still says how many accounts cannot be offered after it was submitted without one", async () => {
    const account = await signUp();
    const browser = new Browser();
    const answers = { decision: "allow", account: unique("ada"), pages: "700" };
    const asked = await browser.consent(await createLink(account, { platform: "facebook" }), answers);
    const leftOut =
      /\d+ accounts of this consent cannot be offered here/.exec(asked.text)?.[0] ?? expect.fail(asked.text);
    expect((await browser.submit(asked, [])).text).toContain(leftOut);
  });
});

describe("a link that its creator opens on a page of Crier", () => {
  const createOwnLink = async ({ session, workspace }: Account) => {
    const answer = await call<{ url: string }>("POST", "/v1/channels/connect", {
      token: session,
      headers: { "x-workspace": workspace },
      body: { platform: "pinterest", return_to: "https://app.example.com/channels" },
    });
    return answer.body.url;
  };
  const fromOurPage = { headers: { "sec-fetch-site": "same-origin" } };
  const allow = (location: string, name: string) =>
    `${location}&${new URLSearchParams({ decision: "allow", account: name })}`;

  it("a link that its creator opens leads to the network at once, and connects the only account without a question", async () => {
    const account = await signUp();
    const browser = new Browser(account.session);
    const opened = await browser.visit(await createOwnLink(account), fromOurPage);
    expect(opened.status).toBe(303);
    const back = await browser.visit(allow(opened.location, unique("ada")));
    const result = await browser.visit(back.location);
    const [channel] = await listChannels(account);
    expect(result).toMatchObject({
      status: 303,
      location: `https://app.example.com/channels?platform=pinterest&channel=${channel?.id}`,
    });
    expect((await browser.visit(back.location)).status, "a repeated redirect").toBe(410);
  });

  it("a link asks first if another user is signed in, or if another site opens it", async () => {
    const account = await signUp();
    const link = await createOwnLink(account);
    const [stranger, creator] = [new Browser((await signUp()).session), new Browser(account.session)];
    expect((await stranger.visit(link, fromOurPage)).text).toContain("Continue to Pinterest");
    for (const site of ["cross-site", "same-site", "none"]) {
      expect((await creator.visit(link, { headers: { "sec-fetch-site": site } })).text).toContain("Continue to");
    }
    const opened = await stranger.visit(link, { method: "POST" });
    const back = await stranger.visit(allow(opened.location, unique("eve")));
    expect((await stranger.visit(back.location)).text).toContain("Connect this account on Pinterest?");
    expect(await listChannels(account)).toEqual([]);
  });
});
