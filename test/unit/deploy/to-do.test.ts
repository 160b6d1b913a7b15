import { expect, it } from "vitest";
import { APP_PAGES, ofApp, toDo } from "../../../scripts/deploy/to-do.ts";
import { networks } from "../../../src/networks/index.ts";

const DONE = {
  sendsMail: false,
  name: "shop",
  bucket: "shop-media",
  hasImages: true,
  accountId: "0123",
  baseUrl: "https://crier.example.com",
  provider: "google",
  again: "npm run deploy -- --name shop",
};

it("every network that is connected by OAuth consent has a page on which its app is created", () => {
  const platforms = networks.flatMap(({ consent, rule }) => (consent === undefined ? [] : [rule.platform]));
  expect(Object.keys(APP_PAGES).sort()).toEqual(platforms.sort());
});

it("the description of every app lists the scopes of its consent address, or those of its setting", () => {
  const request = { redirectUri: DONE.baseUrl, state: "s", challenge: "c" };
  for (const { consent, rule } of networks) {
    const address = consent?.address({ clientId: "app", clientSecret: "", scopes: null }, request);
    if (address === undefined) continue;
    const requestedScopes = new URL(address).searchParams.get("scope")?.split(/[\s,]+/);
    expect(ofApp(rule.platform, { baseUrl: DONE.baseUrl })).toContain(`, scopes ${requestedScopes?.join(" ")}. `);
  }
  const tasks = toDo({ ...DONE, has: () => false });
  expect(tasks.find(({ what }) => what === "tiktok")?.how).toContain("scopes user.info.basic video.publish");
  expect(ofApp("linkedin", { baseUrl: DONE.baseUrl, scopes: "openid profile w_member_social" })).toMatch(
    /^redirect address https:\/\/crier\.example\.com\/v1\/channels\/callback\/linkedin, scopes openid profile w_member_social\. /,
  );
});

it("the description of every app has the texts of its network's access rule", () => {
  for (const { rule } of networks) {
    const { app, account, review } = rule.access;
    if (app === null) continue;
    const described = ofApp(rule.platform, { baseUrl: DONE.baseUrl });
    expect(described).toContain(`redirect address https://crier.example.com/v1/channels/callback/${app.callback}, `);
    for (const text of [app.kind, account, review]) expect(described).toContain(text);
    expect(APP_PAGES[rule.platform]).toBe(app.page);
  }
});

it("a mail server is not listed if Cloudflare's send binding sends the mail", () => {
  const mail = (has: (name: string) => boolean) =>
    toDo({ ...DONE, sendsMail: true, has }).find(({ what }) => what === "mail")?.commands;
  expect(mail(() => false)).toEqual(["npm run deploy -- --name shop --set MAIL_FROM=crier@example.com"]);
  expect(mail((name) => name === "MAIL_FROM")).toBeUndefined();
});

it("only settings without a value are listed", () => {
  expect(toDo({ ...DONE, has: () => true })).toEqual([]);
  const tasks = toDo({ ...DONE, has: (name) => name !== "SMTP_URL" && !name.startsWith("LINKEDIN_") });
  expect(tasks).toEqual([
    { what: "mail", how: expect.any(String), commands: ["npx wrangler secret put SMTP_URL --name shop"] },
    {
      what: "linkedin",
      how: expect.stringContaining("https://crier.example.com/v1/channels/callback/linkedin"),
      commands: [
        "npx wrangler secret put LINKEDIN_CLIENT_ID --name shop",
        "npx wrangler secret put LINKEDIN_CLIENT_SECRET --name shop",
      ],
    },
  ]);
});
