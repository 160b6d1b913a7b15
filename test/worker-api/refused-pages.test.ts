// A refused page is answered with a page in a browser, and with JSON to a program.
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import type { RateLimitName } from "../../src/domain/rate-limit.ts";
import { testEnv } from "../support/env.ts";
import { fetchCrier } from "../support/oauth.ts";

/** Makes an address that no other test has. */
const makeAddress = () =>
  `2001:db8:${[...crypto.getRandomValues(new Uint16Array(2))].map((group) => group.toString(16)).join(":")}::1`;

it.each([
  ["/auth/factor", "oauth_address"],
  ["/oauth/authorize?client_id=x", "authorize_address"],
  ["/invitation?token=x", "invitation_address"],
  ["/v1/channels/callback/pinterest?state=x", "oauth_address"],
] as const satisfies [string, RateLimitName][])(
  "the page %s says how long to wait after too many requests",
  async (path, limit) => {
    const address = makeAddress();
    const ctx = compose(testEnv, () => {}, { address, userAgent: null });
    for (let wait = 0; wait === 0; ) wait = await ctx.limits.take(limit, ctx.address ?? "");
    const ask = (accept: string) =>
      fetchCrier(path, { headers: { accept, "cf-connecting-ip": address, cookie: "factor=factor_x" } });
    const page = await ask("text/html,application/xhtml+xml");
    const text = await page.text();
    expect([page.status, page.headers.get("content-type"), text]).toEqual([
      429,
      expect.stringContaining("text/html"),
      expect.stringMatching(/role="alert">.*Wait for \d+ seconds/),
    ]);
    expect(page.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const json = await ask("application/json");
    expect([json.status, await json.json()]).toMatchObject([429, { error: "rate_limited" }]);
  },
);
