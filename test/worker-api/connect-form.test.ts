// Connect links for networks without a consent page: the link's own page asks for what the network needs.
import { describe, expect, it } from "vitest";
import { CREDENTIALS } from "../support/credentials.ts";
import { testEnv } from "../support/env.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { Browser, listChannels } from "./connecting.ts";

const createLink = (account: Account, body: object) =>
  call<{ url: string; error: string; field: string }>("POST", "/v1/channels/connect", { token: account.key, body });
async function linkFor(account: Account, platform: string, body: object = {}): Promise<string> {
  const answer = await createLink(account, { platform, expires_in: 2_592_000, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.url;
}
const enter = (browser: Browser, link: string, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  browser.visit(link, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString(),
  });
/** What the link's maker gives for a network that would otherwise lead to its own consent. */
const presetFor = ({ identifier }: Record<string, unknown>) =>
  identifier === undefined ? {} : { credentials: { identifier } };
const credentialsFor = (platform: string): Record<string, unknown> => ({
  ...CREDENTIALS[platform]?.(unique("a")).credentials,
});

describe.each(["bluesky", "telegram"])("a connect link for %s", (platform) => {
  it("asks for what the network needs, connects the account once, and then no longer works", async () => {
    const account = await signUp();
    const credentials = credentialsFor(platform);
    const brand = { name: "Ada & Co.", accent: "#0b57d0" };
    const link = await linkFor(account, platform, { brand, ...presetFor(credentials) });
    const browser = new Browser();
    const page = await browser.visit(link);
    expect(page.status).toBe(200);
    for (const name of Object.keys(credentials).filter((name) => name !== "identifier"))
      expect(page.text).toContain(`name="${name}"`);
    expect(page.text).toContain("Ada &amp; Co. publishes with Crier.");
    const done = await enter(browser, link, credentials);
    expect(done.status, done.text).toBe(200);
    expect(done.text).toContain("Connected");
    expect(await listChannels(account)).toMatchObject([{ platform, state: "connected" }]);
    expect((await browser.visit(link)).status).toBe(410);
    expect((await enter(browser, link, credentials)).status).toBe(410);
  });

  it("survives a refusal, says why, and repeats no secret", async () => {
    const account = await signUp();
    const credentials = credentialsFor(platform);
    const link = await linkFor(account, platform, presetFor(credentials));
    const browser = new Browser();
    const wrong = Object.fromEntries(Object.keys(credentials).map((name) => [name, "not-this-secret"]));
    const refused = await enter(browser, link, wrong);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('role="alert"');
    expect(refused.text).not.toMatch(/type="password" value="[^"]/);
    expect(await listChannels(account)).toEqual([]);
    expect((await enter(browser, link, credentials)).status).toBe(200);
    expect(await listChannels(account)).toHaveLength(1);
  });

  it("returns the person to its address, with the channel", async () => {
    const account = await signUp();
    const credentials = credentialsFor(platform);
    const returnTo = { return_to: "https://www.example.com/accounts" };
    const link = await linkFor(account, platform, { ...returnTo, ...presetFor(credentials) });
    const done = await enter(new Browser(), link, credentials);
    expect(done.status).toBe(303);
    const [channel] = await listChannels(account);
    expect(done.location).toBe(`https://www.example.com/accounts?platform=${platform}&channel=${channel?.id}`);
  });

  it("refuses a form of another site, and ends with the right of its maker", async () => {
    const account = await signUp();
    const credentials = credentialsFor(platform);
    const link = await linkFor(account, platform, presetFor(credentials));
    const elsewhere = await enter(new Browser(), link, credentials, { origin: "https://evil.example" });
    expect(elsewhere.status).toBe(403);
    await call("POST", `/v1/workspaces/${account.workspace}/key/rotate`, { token: account.session });
    expect((await new Browser().visit(link)).status).toBe(410);
    expect((await enter(new Browser(), link, credentials)).status).toBe(410);
  });
});

describe("a connect link for Telegram with a bot of its maker", () => {
  it("asks for the chat only, and says which bot to add", async () => {
    const account = await signUp();
    const { bot_token: token, chat_id: chat } = credentialsFor("telegram");
    const link = await linkFor(account, "telegram", { credentials: { bot_token: token } });
    const page = await new Browser().visit(link);
    expect(page.text).toMatch(/the bot @\w+/);
    expect(page.text).toContain('name="chat_id"');
    expect(page.text).not.toContain('name="bot_token"');
    expect(page.text).not.toContain(String(token));
    const rows = await testEnv.DB.prepare("SELECT * FROM connect_links WHERE workspace_id = ?")
      .bind(account.workspace)
      .all();
    expect(JSON.stringify(rows.results)).not.toContain(String(token));
    expect((await enter(new Browser(), link, { chat_id: chat, bot_token: "ignored" })).status).toBe(200);
    expect(await listChannels(account)).toMatchObject([{ platform: "telegram" }]);
  });

  it.each([
    [{ platform: "telegram", credentials: { bot_token: "not a token" } }, "credentials_invalid", "/credentials"],
    [{ platform: "telegram", credentials: { secret: "x" } }, "credentials_invalid", "/credentials/secret"],
    [
      { platform: "bluesky", credentials: { identifier: "a", app_password: "b" } },
      "credentials_invalid",
      "/credentials",
    ],
    [{ platform: "pinterest", credentials: { access_token: "x" } }, "invalid_field", "/credentials"],
  ])("is refused as %j", async (body, error, field) => {
    expect(await createLink(await signUp(), body)).toMatchObject({ status: 422, body: { error, field } });
  });
});
