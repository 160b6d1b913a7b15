// How an account of Instagram or Threads is connected: tokens that can be renewed, and a person's consent.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { App } from "../../src/networks/network.ts";
import { buildToken, graphError, makeIOWithClock, prepareKey } from "./containers.ts";
import { bindCase, CASES, DAY_MS } from "./meta-cases.ts";
import { unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe.each(CASES)("connecting on %s", (_, network, names) => {
  const { platform } = network.rule;
  const { account, fault, post } = bindCase(network, names);

  describe("a token that was handed over", () => {
    const [basic, publish] = names.scopes;
    const connect = (input: object) => network.connect(input as Json, makeIOWithClock(simulators, platform).io);

    it("identifies its account", async () => {
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

    it("is rejected with an explanation if it is invalid or lacks a permission", async () => {
      const buildRefusal = (field: string, hint: string) => ({
        is: "credentials_refused",
        field,
        hint: expect.stringContaining(hint),
      });
      expect(await connect({ access_token: "nonsense" })).toMatchObject(buildRefusal("/access_token", "60 days"));
      const handle = unique("weak_");
      expect(await connect({ access_token: buildToken(handle, [basic]) })).toMatchObject(
        buildRefusal("/access_token", publish),
      );
      expect(await connect({ access_token: buildToken(handle, [publish]) })).toMatchObject(
        buildRefusal("/access_token", basic),
      );
      expect(await connect({ access_token: buildToken(handle), scopes: [basic] })).toMatchObject(
        buildRefusal("/scopes", publish),
      );
    });

    it("is retryable while the network does not answer", async () => {
      const connection = await account();
      const access_token = buildToken(connection.handle);
      for (const call of ["me", names.quota]) {
        await fault(connection, call, { do: "status", status: 500, body: "" });
        expect(await connect({ access_token })).toMatchObject({ is: "retryable", error: "network_unavailable" });
      }
    });

    it("is renewed at once if it expires within two days, and otherwise needs a person by then", async () => {
      const soon = new Date(Date.now() + DAY_MS).toISOString();
      const access_token = buildToken(unique("soon_"));
      const answer = await connect({ access_token, expires_at: soon });
      expect(answer).toMatchObject({ is: "connected", tokenExpiresAt: null });
      expect(answer).not.toMatchObject({ credential: { access_token } });
      const connection = await account();
      await fault(connection, "refresh_access_token", graphError(100));
      const still = await connect({ access_token: buildToken(connection.handle), expires_at: soon });
      expect(still).toMatchObject({ is: "connected", tokenExpiresAt: Date.parse(soon) });
    });
  });

  describe("renewing a token", () => {
    it("is due after a week, and gives 60 more days under another token", async () => {
      const expires_at = new Date(Date.now() + 50 * DAY_MS).toISOString();
      const connection = await account({ expires_at });
      const { credential } = connection.context;
      const due = (network.refreshAt?.(credential) ?? 0) - Date.now();
      expect(due).toBeGreaterThan(6.9 * DAY_MS);
      expect(due).toBeLessThanOrEqual(7 * DAY_MS);
      connection.pass(8 * DAY_MS);
      const fresh = await network.refresh?.(connection.context);
      if (fresh?.is !== "fresh") throw new Error(JSON.stringify(fresh));
      expect(fresh.credential).not.toMatchObject({
        access_token: (credential as { access_token: string }).access_token,
      });
      expect(fresh.credential).toMatchObject({ expires_at: expect.any(Number) });
      expect(network.refreshAt?.(fresh.credential)).toBeGreaterThan(connection.context.io.now() + 6.9 * DAY_MS);
      const context = { ...connection.context, credential: fresh.credential };
      const publication = await post("renewed");
      const publishKey = await prepareKey(network, publication, { ...connection, context });
      expect(await network.publish(publication, publishKey, context)).toMatchObject({ is: "live" });
    });

    it("is due after a day if the token's lifetime is unknown", async () => {
      const connection = await account();
      const due = (network.refreshAt?.(connection.context.credential) ?? 0) - Date.now();
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
    ])("changes nothing after the answer %j, and is retried later", async (answer) => {
      const connection = await account();
      connection.pass(2 * DAY_MS);
      await fault(connection, "refresh_access_token", answer);
      expect(await network.refresh?.(connection.context)).toMatchObject({
        is: "retryable",
        error: "network_unavailable",
      });
      expect(await network.refresh?.(connection.context)).toMatchObject({ is: "fresh" });
    });

    it("is rejected with the reason if the token is revoked or expired", async () => {
      const expires_at = new Date(Date.now() + 10 * DAY_MS).toISOString();
      const connection = await account({ expires_at });
      await fault(connection, "refresh_access_token", { ...graphError(190, 460, {}, 401), count: 2 });
      connection.pass(8 * DAY_MS);
      expect(await network.refresh?.(connection.context)).toMatchObject({ is: "rejected", error: "token_revoked" });
      connection.pass(8 * DAY_MS);
      expect(await network.refresh?.(connection.context)).toMatchObject({ is: "rejected", error: "token_expired" });
    });

    it("only checks the token if it is too young to be renewed", async () => {
      const connection = await account();
      expect(await network.refresh?.(connection.context)).toEqual({
        is: "fresh",
        credential: connection.context.credential,
      });
      expect(connection.calls.filter(({ url }) => url.includes("refresh"))).toEqual([]);
      // An answer that does not name the account proves nothing about its token.
      for (const answer of [
        { status: 500, body: "" },
        { status: 200, body: "<h1>Welcome</h1>" },
        { status: 200, body: {} },
      ]) {
        await fault(connection, "me", { do: "status", ...answer });
        expect(await network.refresh?.(connection.context)).toMatchObject({ is: "retryable" });
      }
      const answer = await fetch(`${simulators.url}/_sim/faults`, {
        method: "POST",
        body: JSON.stringify({ platform, account: connection.handle, expire_token: true }),
      });
      expect(answer.status).toBe(201);
      const publication = await post("expired");
      expect(await network.prepare(publication, connection.context, null, async () => {})).toMatchObject({
        is: "unauthorized",
      });
      expect(await network.refresh?.(connection.context)).toMatchObject({ is: "rejected", error: "token_revoked" });
    });
  });

  describe("a person's consent", () => {
    const redirectUri = "https://crier.example/v1/oauth/callback?x=1";

    /** The redirect with which the person's browser returns. */
    async function decide(app: App, choice: Record<string, string>) {
      const consentUrl = network.consent?.address(app, { redirectUri, state: "st&te", challenge: "unused" }) ?? "";
      const { pathname, searchParams } = new URL(consentUrl);
      const page = `${simulators.url}/${platform}${pathname}?${searchParams}`;
      expect(await (await fetch(page)).text()).toContain("<form");
      const answer = await fetch(`${page}&${new URLSearchParams(choice)}`, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "nowhere:");
    }
    const app = { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null };
    const exchange = (code: string, usedApp = app) =>
      network.consent?.exchange(
        { code, redirectUri, verifier: "unused" },
        usedApp,
        makeIOWithClock(simulators, platform).io,
      );

    it("leads to the account, with a token of 60 days", async () => {
      const handle = unique("person_");
      const back = await decide(app, { decision: "allow", account: handle });
      expect(back.searchParams.get("state")).toBe("st&te");
      expect(back.searchParams.get("x")).toBe("1");
      const granted = await exchange(back.searchParams.get("code") ?? "");
      if (granted?.is !== "granted") throw new Error(JSON.stringify(granted));
      const [grantedAccount, ...otherAccounts] = granted.accounts;
      expect(otherAccounts).toEqual([]);
      expect(grantedAccount).toMatchObject({
        handle,
        accountId: expect.stringMatching(/^17841\d{12}$/),
        tokenExpiresAt: null,
      });
      const credential = grantedAccount?.credential ?? null;
      expect(credential).toMatchObject({ user_id: grantedAccount?.accountId });
      const { expires_at } = credential as { expires_at: number };
      expect(expires_at - Date.now()).toBeGreaterThan(59 * DAY_MS);
      const { io, pass } = makeIOWithClock(simulators, platform);
      const connection = { handle, context: { credential, io }, calls: io.calls, pass };
      const publication = await post("by consent");
      const publishKey = await prepareKey(network, publication, connection);
      expect(await network.publish(publication, publishKey, connection.context)).toMatchObject({ is: "live" });
    });

    it("accepts a code once, with or without the suffix `#_`", async () => {
      const back = await decide(app, { decision: "allow", account: unique("once_") });
      const code = back.searchParams.get("code") ?? "";
      expect(await exchange(`${code}#_`)).toMatchObject({ is: "granted" });
      expect(await exchange(code)).toMatchObject({ is: "grant_refused", hint: expect.stringContaining("once") });
    });

    it("is rejected if it lacks permissions that publishing needs, and names them", async () => {
      const [basic, publish] = names.scopes;
      const back = await decide(app, { decision: "allow", account: unique("less_"), scope_granted: basic });
      expect(await exchange(back.searchParams.get("code") ?? "")).toMatchObject({
        is: "grant_refused",
        hint: expect.stringContaining(publish),
      });
    });

    it("returns access_denied if it is denied", async () => {
      const back = await decide(app, { decision: "deny" });
      expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "st&te" });
    });

    it("is rejected with a wrong secret, and retryable while the network does not answer", async () => {
      const back = await decide(app, { decision: "allow", account: unique("secret_") });
      const code = back.searchParams.get("code") ?? "";
      expect(await exchange(code, { ...app, clientSecret: "wrong" })).toMatchObject({ is: "grant_refused" });
      const away = { platform, call: "oauth/access_token", do: "status", status: 503, body: "" };
      await fetch(`${simulators.url}/_sim/faults`, { method: "POST", body: JSON.stringify(away) });
      expect(await exchange(code)).toMatchObject({ is: "retryable" });
    });
  });
});
