// Instagram accounts that are linked to a Page and connected by Facebook Login: they publish in the same way, and may do more.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { listForeignOptions } from "../../src/domain/posts/tier.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { App } from "../../src/networks/network.ts";
import { type ConnectedAccount, makeIOWithClock, prepareKey } from "./containers.ts";
import { post } from "./instagram-post.ts";
import { fault, jpeg, ledger, makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

async function connect(fields: object = {}, handle = unique("linked")) {
  const { io, pass } = makeIOWithClock(simulators, "instagram");
  const connected = await instagram.connect({ access_token: `EAAuser-for-${handle}`, ...fields }, io);
  return { connected, handle, io, pass };
}

async function connectLinked(): Promise<ConnectedAccount> {
  const { connected, handle, io, pass } = await connect();
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  expect(connected).toMatchObject({ handle, tier: "facebook_login", tokenExpiresAt: null });
  return { handle, context: { credential: connected.credential, io }, calls: io.calls, pass };
}

async function publish(options: Record<string, Json>, connection: ConnectedAccount) {
  const newPost = await post([jpeg(0)], { options }, "linked");
  const publishKey = await prepareKey(instagram, newPost, connection);
  const outcome = await instagram.publish(newPost, publishKey, connection.context);
  return { outcome, publishKey };
}

describe("an Instagram account connected by Facebook Login", () => {
  it("publishes with the token of its Page, at Facebook's host", async () => {
    const connection = await connectLinked();
    const { outcome } = await publish({ paid_partnership: true, sponsors: ["17841400000000001"] }, connection);
    expect(outcome.is).toBe("live");
    const [entry] = await ledger(simulators, connection.handle);
    expect(entry?.shown.facts).toEqual({ Partnership: "17841400000000001" });
  });

  it("takes a post down, which Instagram Login may not", async () => {
    const connection = await connectLinked();
    const { outcome, publishKey } = await publish({}, connection);
    const published = { id: outcome.is === "live" ? outcome.id : "", publishKey };
    expect(await instagram.takeDown?.(published, connection.context)).toEqual({ is: "taken_down" });
    expect((await ledger(simulators, connection.handle))[0]?.deleted).toBe(true);
    expect(await instagram.recheck(published, connection.context)).not.toMatchObject({ is: "there" });
  });

  it("is told apart by its tier, whose options others do not have", () => {
    const { tiers } = instagram.rule;
    expect(listForeignOptions(tiers, "facebook_login")).toEqual([]);
    for (const tier of ["instagram_login", null])
      expect(listForeignOptions(tiers, tier)).toEqual(["paid_partnership", "sponsors"]);
    expect([tiers?.facebook_login?.takedown, instagram.rule.takedown]).toEqual([true, false]);
  });

  it("keeps its token, which nothing can renew, until Facebook refuses it", async () => {
    const { context, handle } = await connectLinked();
    expect(instagram.refreshAt?.(context.credential)).toBeNull();
    expect(await instagram.refresh?.(context)).toMatchObject({ is: "fresh" });
    await fault(simulators, { platform: "instagram", account: handle, expire_token: true });
    expect(await instagram.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  it("is refused with the field that is wrong", async () => {
    expect((await connect({ account_id: "17841400000000009" })).connected).toMatchObject({
      is: "credentials_refused",
      field: "/account_id",
    });
    const unknown = await instagram.connect({ access_token: "EAAnonsense" }, makeIO(simulators, "instagram"));
    expect(unknown).toMatchObject({ is: "credentials_refused", field: "/access_token" });
  });
});

describe("a person's consent at Facebook for Instagram", () => {
  const app: App = { clientId: "sandbox-instagram_facebook", clientSecret: "sandbox", scopes: null };
  const redirectUri = "https://crier.test/v1/channels/callback/instagram";
  const consent = instagram.consentWays?.facebook ?? expect.fail("no consent");

  async function answer(decision: Record<string, string>, asApp = app): Promise<Response> {
    const address = new URL(consent.address(asApp, { redirectUri, state: "a state", challenge: "unused" }));
    expect(address.origin + address.pathname).toMatch(/^https:\/\/www\.facebook\.com\/v\d+\.0\/dialog\/oauth$/);
    for (const [name, value] of Object.entries(decision)) address.searchParams.set(name, value);
    return fetch(`${simulators.url}/instagram${address.pathname}${address.search}`, { redirect: "manual" });
  }
  async function getCode(decision: Record<string, string>): Promise<string> {
    const back = new URL((await answer({ decision: "allow", ...decision })).headers.get("location") ?? "");
    expect(back.searchParams.get("state")).toBe("a state");
    return back.searchParams.get("code") ?? "";
  }
  const exchange = (code: string, asApp = app) =>
    consent.exchange({ code, redirectUri, verifier: "unused" }, asApp, makeIO(simulators, "instagram"));

  it("offers the linked accounts of all Pages, each ready to publish with the token of its Page", async () => {
    const name = unique("bea");
    const granted = await exchange(await getCode({ account: name, pages: "102" }));
    if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
    expect(granted.accounts).toHaveLength(102);
    expect(granted.accounts.map(({ handle }) => handle).slice(0, 2)).toEqual([name, `${name}_2`]);
    const second = granted.accounts[1] ?? expect.fail("no second account");
    expect(second).toMatchObject({ tier: "facebook_login", tokenExpiresAt: null, missingPermissions: [] });
    const { io, pass } = makeIOWithClock(simulators, "instagram");
    const context = { credential: second.credential, io };
    const connection = { handle: `${name}_2`, context, calls: io.calls, pass };
    expect((await publish({ paid_partnership: true }, connection)).outcome.is).toBe("live");
    expect(instagram.refreshAt?.(second.credential)).toBeNull();
  });

  it("leads back without a code if it is denied", async () => {
    const back = new URL((await answer({ decision: "deny" })).headers.get("location") ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "a state" });
  });

  it.each([
    ["a needed scope left out", { without: "instagram_content_publish" }, "instagram_content_publish"],
    ["no Page chosen", { pages: "0" }, "None of the Pages"],
    ["a Page without a linked account", { account: "bea_unlinked" }, "None of the Pages"],
  ])("is refused with the reason after %s", async (_, decision, words) => {
    const refused = await exchange(await getCode({ account: unique("bea"), ...decision }));
    expect(refused).toMatchObject({ is: "grant_refused", message: expect.stringContaining(words) });
  });

  it("is enough for publishing without the permissions that only other things need", async () => {
    const without = "instagram_manage_insights,business_management";
    const granted = await exchange(await getCode({ account: unique("bea"), without }));
    expect(granted).toMatchObject({ is: "granted", accounts: [{ missingPermissions: without.split(",") }] });
  });

  it("is refused for a code that was used, and for an app with a wrong secret", async () => {
    const code = await getCode({ account: unique("bea") });
    expect(await exchange(code, { ...app, clientSecret: "sandbox" })).toMatchObject({ is: "granted" });
    const again = await exchange(code);
    expect(again).toMatchObject({ is: "grant_refused", networkMessage: expect.stringContaining("36009") });
    const wrong = await exchange(await getCode({}), { ...app, clientSecret: "another" });
    expect(wrong).toMatchObject({ is: "grant_refused" });
  });

  it("ends on a page of Facebook for an app that lacks a scope, unless it asks for what it has", async () => {
    const smallest = { ...app, clientId: "smallest_meta" };
    const refused = await answer({}, smallest);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("instagram_manage_insights")]);
    const scopes = ["instagram_basic", "instagram_content_publish", "pages_show_list", "pages_read_engagement"];
    expect((await answer({}, { ...smallest, scopes })).status).toBe(200);
  });
});
