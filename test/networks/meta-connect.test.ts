// How an account of Instagram or Threads is connected: tokens that renew themselves, and a person's consent.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { App } from "../../src/networks/network.ts";
import { buildToken, graphError, makeIOWithClock, prepareKey } from "./containers.ts";
import { CASES, DAY_MS, doing } from "./meta-cases.ts";
import { unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe.each(CASES)("%s", (_, network, names) => {
  const { platform } = network.rule;
  const { account, fault, post } = doing(network, names);

  describe("a token that is handed over", () => {
    const [basic, publish] = names.scopes;
    const connect = (input: object) => network.connect(input as Json, makeIOWithClock(simulators, platform).io);

    it("tells whose account it is", async () => {
      const handle = unique("own_");
      const access_token = buildToken(handle);
      const answer = await connect({ access_token, scopes: [basic, publish] });
      expect(answer).toMatchObject({
        is: "connected",
        accountId: expect.stringMatching(/^17841\d{12}$/),
        handle,
        name: handle.toUpperCase(),
        avatarUrl: expect.stringMatching(/^https:/),
        profileUrl: expect.stringContaining(handle),
        tokenExpiresAt: null,
      });
      const accountId = answer.is === "connected" ? answer.accountId : "";
      expect(await connect({ access_token, account_id: accountId })).toMatchObject({ is: "connected" });
      expect(await connect({ access_token, account_id: "17841000000000000" })).toMatchObject({
        is: "credentials_refused",
        field: "/account_id",
        message: expect.stringContaining(accountId),
      });
    });

    it("that is no token, or lacks a permission, is refused with what is missing", async () => {
      const refused = (field: string, hint: string) => ({
        is: "credentials_refused",
        field,
        hint: expect.stringContaining(hint),
      });
      expect(await connect({ access_token: "nonsense" })).toMatchObject(refused("/access_token", "60 days"));
      const handle = unique("weak_");
      expect(await connect({ access_token: buildToken(handle, [basic]) })).toMatchObject(
        refused("/access_token", publish),
      );
      expect(await connect({ access_token: buildToken(handle, [publish]) })).toMatchObject(
        refused("/access_token", basic),
      );
      expect(await connect({ access_token: buildToken(handle), scopes: [basic] })).toMatchObject(
        refused("/scopes", publish),
      );
    });

    it("is not judged when the network cannot be asked", async () => {
      const signed = await account();
      const access_token = buildToken(signed.handle);
      for (const call of ["me", names.quota]) {
        await fault(signed, call, { do: "status", status: 500, body: "" });
        expect(await connect({ access_token })).toMatchObject({ is: "retryable", error: "network_unavailable" });
      }
    });

    it("that ends within two days is renewed at once; one that cannot be needs a person then", async () => {
      const soon = new Date(Date.now() + DAY_MS).toISOString();
      const access_token = buildToken(unique("soon_"));
      const answer = await connect({ access_token, expires_at: soon });
      expect(answer).toMatchObject({ is: "connected", tokenExpiresAt: null });
      expect(answer).not.toMatchObject({ credential: { access_token } });
      const signed = await account();
      await fault(signed, "refresh_access_token", graphError(100));
      const still = await connect({ access_token: buildToken(signed.handle), expires_at: soon });
      expect(still).toMatchObject({ is: "connected", tokenExpiresAt: Date.parse(soon) });
    });
  });

  describe("renewing", () => {
    it("is due after a week, and gives 60 more days under another token", async () => {
      const expires_at = new Date(Date.now() + 50 * DAY_MS).toISOString();
      const signed = await account({ expires_at });
      const { credential } = signed.context;
      const due = (network.refreshAt?.(credential) ?? 0) - Date.now();
      expect(due).toBeGreaterThan(6.9 * DAY_MS);
      expect(due).toBeLessThanOrEqual(7 * DAY_MS);
      signed.pass(8 * DAY_MS);
      const fresh = await network.refresh?.(signed.context);
      if (fresh?.is !== "fresh") throw new Error(JSON.stringify(fresh));
      expect(fresh.credential).not.toMatchObject({
        access_token: (credential as { access_token: string }).access_token,
      });
      expect(fresh.credential).toMatchObject({ expires_at: expect.any(Number) });
      expect(network.refreshAt?.(fresh.credential)).toBeGreaterThan(signed.context.io.now() + 6.9 * DAY_MS);
      const context = { ...signed.context, credential: fresh.credential };
      const publication = await post("renewed");
      const publishKey = await prepareKey(network, publication, { ...signed, context });
      expect(await network.publish(publication, publishKey, context)).toMatchObject({ is: "live" });
    });

    it("is due after a day when nobody said how long the token lives", async () => {
      const signed = await account();
      const due = (network.refreshAt?.(signed.context.credential) ?? 0) - Date.now();
      expect(due).toBeGreaterThan(0.9 * DAY_MS);
      expect(due).toBeLessThanOrEqual(DAY_MS);
    });

    it.each([
      { do: "reset_after_accept" },
      { do: "reset_before" },
      { do: "status", status: 500, body: "" },
      { do: "status", status: 200, body: {} },
      { do: "status", status: 200, body: { access_token: "x" } },
      { do: "status", status: 200, body: { access_token: "", expires_in: 5_183_944 } },
      { do: "status", status: 200, body: "<h1>Welcome</h1>" },
      graphError(1),
      graphError(4),
      graphError(100),
    ])("answered %j changes nothing, and is tried later", async (what) => {
      const signed = await account();
      signed.pass(2 * DAY_MS);
      await fault(signed, "refresh_access_token", what);
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "retryable", error: "network_unavailable" });
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "fresh" });
    });

    it("of a dead token is refused, for what it died of", async () => {
      const expires_at = new Date(Date.now() + 10 * DAY_MS).toISOString();
      const signed = await account({ expires_at });
      await fault(signed, "refresh_access_token", { ...graphError(190, 460, {}, 401), count: 2 });
      signed.pass(8 * DAY_MS);
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "rejected", error: "token_revoked" });
      signed.pass(8 * DAY_MS);
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "rejected", error: "token_expired" });
    });

    it("of a token that is too young only asks for it", async () => {
      const signed = await account();
      expect(await network.refresh?.(signed.context)).toEqual({ is: "fresh", credential: signed.context.credential });
      expect(signed.calls.filter(({ url }) => url.includes("refresh"))).toEqual([]);
      // What does not name the account proves nothing of its token.
      for (const answer of [
        { status: 500, body: "" },
        { status: 200, body: "<h1>Welcome</h1>" },
        { status: 200, body: {} },
      ]) {
        await fault(signed, "me", { do: "status", ...answer });
        expect(await network.refresh?.(signed.context)).toMatchObject({ is: "retryable" });
      }
      const answer = await fetch(`${simulators.url}/_sim/faults`, {
        method: "POST",
        body: JSON.stringify({ platform, account: signed.handle, expire_token: true }),
      });
      expect(answer.status).toBe(201);
      const publication = await post("expired");
      expect(await network.prepare(publication, signed.context, null, async () => {})).toMatchObject({
        is: "unauthorized",
      });
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "rejected", error: "token_revoked" });
    });
  });

  describe("a person's consent", () => {
    const redirectUri = "https://crier.example/v1/oauth/callback?x=1";

    /** What the person's browser is sent back with. */
    async function decide(app: App, choice: Record<string, string>) {
      const asked = network.consent?.address(app, { redirectUri, state: "st&te", challenge: "unused" }) ?? "";
      const { pathname, searchParams } = new URL(asked);
      const page = `${simulators.url}/${platform}${pathname}?${searchParams}`;
      expect(await (await fetch(page)).text()).toContain("<form");
      const answer = await fetch(`${page}&${new URLSearchParams(choice)}`, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "nowhere:");
    }
    const app = { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null };
    const exchange = (code: string, of = app) =>
      network.consent?.exchange(
        { code, redirectUri, verifier: "unused" },
        of,
        makeIOWithClock(simulators, platform).io,
      );

    it("leads to the account, with a token of 60 days", async () => {
      const handle = unique("person_");
      const back = await decide(app, { decision: "allow", account: handle });
      expect(back.searchParams.get("state")).toBe("st&te");
      expect(back.searchParams.get("x")).toBe("1");
      const granted = await exchange(back.searchParams.get("code") ?? "");
      if (granted?.is !== "granted") throw new Error(JSON.stringify(granted));
      const [only, ...others] = granted.accounts;
      expect(others).toEqual([]);
      expect(only).toMatchObject({ handle, accountId: expect.stringMatching(/^17841\d{12}$/), tokenExpiresAt: null });
      const credential = only?.credential ?? null;
      expect(credential).toMatchObject({ user_id: only?.accountId });
      const { expires_at } = credential as { expires_at: number };
      expect(expires_at - Date.now()).toBeGreaterThan(59 * DAY_MS);
      const { io, pass } = makeIOWithClock(simulators, platform);
      const signed = { handle, context: { credential, io }, calls: io.calls, pass };
      const publication = await post("by consent");
      const publishKey = await prepareKey(network, publication, signed);
      expect(await network.publish(publication, publishKey, signed.context)).toMatchObject({ is: "live" });
    });

    it("takes a code once, with the mark behind it or without", async () => {
      const back = await decide(app, { decision: "allow", account: unique("once_") });
      const code = back.searchParams.get("code") ?? "";
      expect(await exchange(`${code}#_`)).toMatchObject({ is: "granted" });
      expect(await exchange(code)).toMatchObject({ is: "grant_refused", hint: expect.stringContaining("once") });
    });

    it("with fewer permissions than publishing needs is refused, naming them", async () => {
      const [basic, publish] = names.scopes;
      const back = await decide(app, { decision: "allow", account: unique("less_"), scope_granted: basic });
      expect(await exchange(back.searchParams.get("code") ?? "")).toMatchObject({
        is: "grant_refused",
        hint: expect.stringContaining(publish),
      });
    });

    it("that is denied comes back as denied", async () => {
      const back = await decide(app, { decision: "deny" });
      expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "st&te" });
    });

    it("with a wrong secret is refused, and when the network is away it waits", async () => {
      const back = await decide(app, { decision: "allow", account: unique("secret_") });
      const code = back.searchParams.get("code") ?? "";
      expect(await exchange(code, { ...app, clientSecret: "wrong" })).toMatchObject({ is: "grant_refused" });
      const away = { platform, call: "oauth/access_token", do: "status", status: 503, body: "" };
      await fetch(`${simulators.url}/_sim/faults`, { method: "POST", body: JSON.stringify(away) });
      expect(await exchange(code)).toMatchObject({ is: "retryable" });
    });
  });
});
