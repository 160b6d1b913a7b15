// Connecting Pages with tokens that were handed over, and what becomes of a rejected token.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { faultCall, graphError, page } from "./facebook-page.ts";
import { fault, makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const io = () => makeIO(simulators, "facebook");
const connect = (input: Json, networkIO: NetworkIO = io()) => facebook.connect(input, networkIO);
const faultPersonCall = (account: string, call: string, faultFields: object) =>
  fault(simulators, { platform: "facebook", account, call, ...faultFields });
const DAY_MS = 24 * 3_600_000;

describe("a Facebook token that was handed over", () => {
  it("connects the only Page of its person", async () => {
    const name = unique("ada");
    expect(await connect({ access_token: `EAAuser-${name}` })).toEqual({
      is: "connected",
      accountId: expect.stringMatching(/^\d{17}$/),
      handle: name,
      name: `The page of ${name}`,
      avatarUrl: expect.stringMatching(/^https:/),
      profileUrl: `https://www.facebook.com/${name}`,
      credential: {
        page_id: expect.stringMatching(/^\d{17}$/),
        page_token: expect.stringMatching(/^EAApage/),
        user_token: `EAAuser-${name}`,
      },
      tokenExpiresAt: null,
      missingPermissions: [],
    });
  });

  it("connects its Page if it is the token of a Page", async () => {
    const name = unique("ada");
    const connected = await connect({ access_token: `EAApage-${name}` });
    expect(connected).toMatchObject({ is: "connected", handle: name, tokenExpiresAt: null });
    expect(connected).toMatchObject({ credential: { page_token: `EAApage-${name}`, user_token: null } });
    const id = connected.is === "connected" ? connected.accountId : "";
    expect(await connect({ access_token: `EAApage-${name}`, account_id: id })).toMatchObject({ is: "connected" });
    expect(await connect({ access_token: `EAApage-${name}`, account_id: "1" })).toMatchObject({
      is: "credentials_refused",
      field: "/account_id",
      hint: expect.stringContaining(id),
    });
  });

  it("connects the named Page if it covers several, even from the second page of the list", async () => {
    const name = unique("ada");
    const access_token = `EAAuser-${name}+130`;
    const unnamed = await connect({ access_token });
    expect(unnamed).toMatchObject({ is: "credentials_refused", field: "/account_id" });
    const hint = unnamed.is === "credentials_refused" ? unnamed.hint : "";
    expect(hint).toContain("and 110 more");
    const networkIO = io();
    expect(await connect({ access_token, account_id: "12" }, networkIO)).toMatchObject({
      is: "credentials_refused",
      field: "/account_id",
      message: expect.stringContaining("12"),
    });
    expect(networkIO.calls.filter(({ url }) => url.includes("/me/accounts"))).toHaveLength(2);
    const last = await connect({ access_token: `EAApage-${name}_130` });
    const account_id = last.is === "connected" ? last.accountId : "";
    expect(await connect({ access_token, account_id })).toMatchObject({ is: "connected", handle: `${name}_130` });
    const id = /(\d{17}) \(The page of/.exec(hint)?.[1] ?? "";
    expect(await connect({ access_token, account_id: id })).toMatchObject({ is: "connected", accountId: id });
  });

  it("covers Pages of business portfolios, too, as far as the person may read them", async () => {
    const name = unique("ada");
    const access_token = `EAAuser-${name}~portfolio`;
    const connected = await connect({ access_token });
    expect(connected).toMatchObject({ is: "connected", handle: name, credential: { user_token: access_token } });
    expect(await connect({ access_token: `EAAuser-${name}~portfolio~no_business_management` })).toMatchObject({
      is: "credentials_refused",
      message: expect.stringContaining("no Page"),
    });
    for (const [call, faultFields, outcome] of [
      ["owned_pages", { do: "status", status: 403, body: graphError(10) }, "credentials_refused"],
      ["businesses", { do: "status", status: 403, body: graphError(10) }, "credentials_refused"],
      ["client_pages", { do: "status", status: 500 }, "retryable"],
      ["businesses", { do: "reset_before" }, "retryable"],
    ] as const) {
      await faultPersonCall(name, call, faultFields);
      expect(await connect({ access_token })).toMatchObject({ is: outcome });
    }
  });

  it("expires at the time that the network reports, or else at the time that the person gives", async () => {
    const before = Date.now();
    const soon = await connect({ access_token: `EAAuser-${unique("ada")}~hour` });
    const expiresAt = soon.is === "connected" ? soon.tokenExpiresAt : null;
    // Expiry times are whole seconds.
    expect(expiresAt).toBeGreaterThanOrEqual(before + 3_600_000 - 1_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
    const expires_at = new Date(Date.now() + 9 * DAY_MS).toISOString();
    const noApp = { ...io(), app: null };
    const connected = await connect({ access_token: `EAAuser-${unique("ada")}`, expires_at }, noApp);
    expect(connected).toMatchObject({ is: "connected", tokenExpiresAt: Date.parse(expires_at) });
    const withApp = await connect({ access_token: `EAAuser-${unique("ada")}`, expires_at });
    expect(withApp).toMatchObject({ is: "connected", tokenExpiresAt: null });
  });

  it.each([
    ["nonsense", "/access_token", ""],
    ["EAAuser-ada~expired", "/access_token", "190/463"],
    ["EAApage-ada~expired", "/access_token", "190/463"],
    ["EAAuser-ada~no_pages_manage_posts", "/access_token", "pages_manage_posts"],
    [
      "EAAuser-ada~no_pages_read_engagement~no_pages_manage_posts",
      "/access_token",
      "pages_read_engagement, pages_manage_posts",
    ],
    ["EAApage-ada~no_pages_manage_posts", "/access_token", "pages_manage_posts"],
    ["EAAuser-ada~no_pages_show_list", "/access_token", "pages_show_list"],
    ["EAAuser-ada~analyst", "/access_token", "may not publish on The page of ada"],
    ["EAAuser-ada+0", "/access_token", "no Page"],
  ])("%s is rejected at %s", async (access_token, field, words) => {
    const answer = await connect({ access_token });
    expect(answer).toMatchObject({ is: "credentials_refused", field });
    expect(JSON.stringify(answer)).toContain(words);
  });

  it("is rejected if its person may not publish on the named Page", async () => {
    const name = unique("ada");
    const connected = await connect({ access_token: `EAApage-${name}` });
    const account_id = connected.is === "connected" ? connected.accountId : "";
    expect(await connect({ access_token: `EAAuser-${name}~analyst`, account_id })).toMatchObject({
      is: "credentials_refused",
      field: "/account_id",
      hint: expect.stringContaining("CREATE_CONTENT"),
    });
  });

  it.each([
    ["accounts", { do: "status", status: 500 }],
    ["accounts", { do: "reset_before" }],
    ["accounts", { do: "status", status: 200, body: { data: "?" } }],
    ["accounts", { do: "status", status: 400, body: graphError(2) }],
    ["permissions", { do: "status", status: 503 }],
  ])("is retryable if %s gives no answer: %j", async (call, faultFields) => {
    const name = unique("ada");
    await connect({ access_token: `EAAuser-${name}` });
    await faultPersonCall(name, call, faultFields);
    expect(await connect({ access_token: `EAAuser-${name}` })).toMatchObject({ is: "retryable" });
  });

  it("of a person is never mistaken for the token of a Page", async () => {
    const name = unique("ada");
    await connect({ access_token: `EAAuser-${name}` });
    await faultPersonCall(name, "accounts", { do: "status", status: 400, body: graphError(100) });
    expect(await connect({ access_token: `EAAuser-${name}` })).toMatchObject({ is: "credentials_refused" });
  });
});

describe("a rejected Facebook token", () => {
  const refresh = (context: Parameters<NonNullable<typeof facebook.refresh>>[0]) => facebook.refresh?.(context);

  it("is replaced through the person's token, and the new token publishes", async () => {
    const testPage = await page(simulators);
    const post = { text: "after all", media: [], postType: "feed" as const, options: {} };
    await fault(simulators, { platform: "facebook", account: testPage.name, expire_token: true });
    const publishKey = { step: "feed", photos: [], at: Date.now(), text_sha256: "", duplicates: null };
    expect(await facebook.publish(post, publishKey, testPage.context)).toMatchObject({ is: "unauthorized" });
    const renewed = await refresh(testPage.context);
    if (renewed?.is !== "fresh") throw new Error(JSON.stringify(renewed));
    expect(renewed.credential).toMatchObject({ page_id: testPage.id, user_token: `EAAuser-${testPage.name}` });
    expect(
      await facebook.publish(post, publishKey, { ...testPage.context, credential: renewed.credential }),
    ).toMatchObject({
      is: "live",
    });
  });

  it("without a person's token ends when the network says so", async () => {
    const testPage = await page(simulators, "", "page");
    expect(await refresh(testPage.context)).toEqual({ is: "fresh", credential: testPage.context.credential });
    await fault(simulators, { platform: "facebook", account: testPage.name, expire_token: true });
    expect(await refresh(testPage.context)).toMatchObject({ is: "rejected", error: "token_expired" });
    await faultCall(simulators, testPage, "me", { do: "status", status: 500 });
    expect(await refresh(testPage.context)).toMatchObject({ is: "retryable" });
  });

  it.each([
    [
      { do: "status", status: 401, body: graphError(190, 463) },
      { is: "rejected", error: "token_expired" },
    ],
    [
      { do: "status", status: 401, body: graphError(190, 460) },
      { is: "rejected", error: "token_revoked" },
    ],
    [
      { do: "status", status: 401, body: graphError(190) },
      { is: "rejected", error: "token_revoked" },
    ],
    [
      { do: "status", status: 400, body: graphError(102) },
      { is: "rejected", error: "token_revoked" },
    ],
    [
      { do: "status", status: 400, body: graphError(100, 33) },
      { is: "rejected", error: "token_revoked" },
    ],
    [
      { do: "status", status: 403, body: graphError(10) },
      { is: "rejected", error: "token_revoked" },
    ],
    [{ do: "status", status: 200, body: {} }, { is: "retryable" }],
    [{ do: "status", status: 200, body: { id: "12", access_token: "another Page's" } }, { is: "retryable" }],
    [{ do: "status", status: 400, body: graphError(4) }, { is: "retryable" }],
    [{ do: "status", status: 400, body: graphError(99999) }, { is: "retryable" }],
    [{ do: "status", status: 503 }, { is: "retryable" }],
    [{ do: "reset_after_accept" }, { is: "retryable" }],
  ])("cannot be replaced after %j and ends as %j", async (faultFields, outcome) => {
    const testPage = await page(simulators);
    await faultCall(simulators, testPage, "node", faultFields);
    expect(await refresh(testPage.context)).toMatchObject(outcome);
    expect(await refresh(testPage.context)).toMatchObject({ is: "fresh" });
  });
});
