// Accounts with a subscription at their network: their own limits are what posts are judged by.
import { expect, it } from "vitest";
import { call, connect, signUp, unique, uploadJpeg } from "../support/world.ts";

interface Answered {
  deliveries: { text_limit: number; estimated_cost_usd: number }[];
  violations: { code: string; limit?: number }[];
}

it("a post is judged by the limit of its account's tier, which the channel and the platform show", async () => {
  const { key } = await signUp();
  const [free, premium] = [await connect(key, "x"), await connect(key, "x", unique("premium_"))];
  const channels = await call<{ channels: { id: string; tier: string | null }[] }>("GET", "/v1/channels", {
    token: key,
  });
  const tiers = new Map(channels.body.channels.map(({ id, tier }) => [id, tier]));
  expect([tiers.get(free.id), tiers.get(premium.id)]).toEqual(["free", "premium"]);
  const rules = await call<{ platforms: { platform: string; tiers?: object }[] }>("GET", "/v1/platforms", {
    token: key,
  });
  const limits = {
    free: { text_limit: 280, caption_limit: 280 },
    premium: { text_limit: 25_000, caption_limit: 25_000 },
  };
  expect(rules.body.platforms.find(({ platform }) => platform === "x")?.tiers).toEqual(limits);
  const runDry = (channel: string) =>
    call<Answered>("POST", "/v1/posts", {
      token: key,
      body: { channels: [channel], text: "long ".repeat(1_000), dry_run: true },
    });
  const fits = await runDry(premium.id);
  expect([fits.status, fits.body.deliveries]).toMatchObject([200, [{ text_limit: 25_000 }]]);
  const refused = await runDry(free.id);
  expect([refused.status, refused.body.violations]).toMatchObject([422, [{ code: "text_too_long", limit: 280 }]]);
});

it("a dry run has the price of each tagged account, and of each file that is described", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  const media = [(await uploadJpeg(account)).id, (await uploadJpeg(account)).id];
  const runDry = async (options: object) => {
    const body = { text: "priced", channels: [channel.id], media, overrides: { [channel.id]: options }, dry_run: true };
    const answer = await call<Answered>("POST", "/v1/posts", { token: account.key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.deliveries[0]?.estimated_cost_usd ?? 0;
  };
  const plain = await runDry({});
  expect((await runDry({ tagged_users: ["ada", "bob"] })) - plain).toBeCloseTo(0.02);
  expect((await runDry({ sensitive: ["other"] })) - plain).toBeCloseTo(0.01);
});
