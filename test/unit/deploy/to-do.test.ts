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

it("every network that is connected by consent has the page where its app is made", () => {
  const wanted = networks.flatMap(({ consent, rule }) => (consent === undefined ? [] : [rule.platform]));
  expect(Object.keys(APP_PAGES).sort()).toEqual(wanted.sort());
});

it("every app has the scopes that its network's address of consent asks for, or those of its setting", () => {
  const request = { redirectUri: DONE.baseUrl, state: "s", challenge: "c" };
  for (const { consent, rule } of networks) {
    const address = consent?.address({ clientId: "app", clientSecret: "", scopes: null }, request);
    if (address === undefined) continue;
    const asked = new URL(address).searchParams.get("scope")?.split(/[\s,]+/);
    expect(ofApp(rule.platform, { baseUrl: DONE.baseUrl })).toContain(`, scopes ${asked?.join(" ")}. `);
  }
  const left = toDo({ ...DONE, has: () => false });
  expect(left.find(({ what }) => what === "tiktok")?.how).toContain("scopes user.info.basic video.publish");
  expect(ofApp("linkedin", { baseUrl: DONE.baseUrl, scopes: "openid profile w_member_social" })).toMatch(
    /^redirect address https:\/\/crier\.example\.com\/v1\/channels\/callback\/linkedin, scopes openid profile w_member_social\. /,
  );
});

it("every app is described in the words of its network's access rule", () => {
  for (const { rule } of networks) {
    const { app, account, review } = rule.access;
    if (app === null) continue;
    const described = ofApp(rule.platform, { baseUrl: DONE.baseUrl });
    expect(described).toContain(`redirect address https://crier.example.com/v1/channels/callback/${app.callback}, `);
    for (const text of [app.kind, account, review]) expect(described).toContain(text);
    expect(APP_PAGES[rule.platform]).toBe(app.page);
  }
});

it("no mail server is asked for where Cloudflare's send binding carries the mail", () => {
  const mail = (has: (name: string) => boolean) =>
    toDo({ ...DONE, sendsMail: true, has }).find(({ what }) => what === "mail")?.commands;
  expect(mail(() => false)).toEqual(["npm run deploy -- --name shop --set MAIL_FROM=crier@example.com"]);
  expect(mail((name) => name === "MAIL_FROM")).toBeUndefined();
});

it("a setting that has a value is not asked for", () => {
  expect(toDo({ ...DONE, has: () => true })).toEqual([]);
  const left = toDo({ ...DONE, has: (name) => name !== "SMTP_URL" && !name.startsWith("LINKEDIN_") });
  expect(left).toEqual([
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
