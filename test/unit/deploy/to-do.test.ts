import { expect, it } from "vitest";
import { APP_PAGES, toDo } from "../../../scripts/deploy/to-do.ts";
import { networks } from "../../../src/networks/index.ts";

const DONE = {
  name: "shop",
  bucket: "shop-media",
  accountId: "0123",
  baseUrl: "https://crier.example.com",
  provider: "google",
  again: "npm run deploy -- --name shop",
};

it("every network that is connected by consent has the page where its app is made", () => {
  const wanted = networks.flatMap(({ consent, rule }) => (consent === undefined ? [] : [rule.platform]));
  expect(Object.keys(APP_PAGES).sort()).toEqual(wanted.sort());
});

it("what has a value is not asked for", () => {
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
