// How a LinkedIn account is connected, by tokens and by consent, and how it stays connected.
import { describe, expect, it, vi } from "vitest";
import { listPages, memberUrn, pageUrn } from "../../simulators/linkedin/directory.ts";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import { account, tokens } from "./linkedin-account.ts";
import { fault, makeIO, prepareOnce, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe("connecting a LinkedIn account", () => {
  const connect = (input: Json) => linkedin.connect(input, makeIO(simulators, "linkedin"));

  it("connects a page that the member may post for", async () => {
    const { name, connected } = await account("page");
    expect(connected).toMatchObject({
      accountId: pageUrn(name),
      handle: `${name}-page`,
      name: `The ${name}-page page`,
      profileUrl: `https://www.linkedin.com/company/${name}-page/`,
      tokenExpiresAt: null,
    });
  });

  it("connects a member with an expiry date if the token cannot be renewed", async () => {
    const name = unique("linked");
    const expires_at = "2030-01-01T00:00:00.000Z";
    const scopes = ["openid", "profile", "w_member_social"];
    const input = { access_token: `access-for-${name}`, expires_at, scopes };
    expect(await connect(input)).toMatchObject({
      is: "connected",
      accountId: memberUrn(name),
      handle: name,
      tokenExpiresAt: Date.parse(expires_at),
    });
  });

  it("asks for the account if there are several, and names those that may be posted for", async () => {
    const name = unique("linked");
    const [page, press, lab] = listPages(name).map(({ urn }) => urn);
    for (const account_id of [undefined, lab, "urn:li:organization:1"]) {
      const answer = await connect({ ...tokens(name), ...(account_id === undefined ? {} : { account_id }) });
      if (answer.is !== "credentials_refused") return expect.fail(answer.is);
      expect(answer.field).toBe("/account_id");
      for (const urn of [memberUrn(name), page, press]) expect(answer.hint).toContain(urn);
      expect(answer.hint).not.toContain(lab);
    }
  });

  it("names the field of an invalid token, and the missing scopes", async () => {
    expect(await connect({ access_token: "nonsense" })).toMatchObject({ field: "/access_token" });
    const few = { access_token: "access-for-few", scopes: ["openid", "profile", "w_member_social"] };
    const missing = {
      is: "credentials_refused",
      field: "/scopes",
      message: expect.stringContaining("w_organization_social"),
    };
    expect(await connect({ ...few, account_id: pageUrn("few") })).toMatchObject(missing);
  });

  it.each(["userinfo", "organizationAcls", "organizationsLookup"])(
    "is retryable without an answer to %s",
    async (call) => {
      const name = unique("linked");
      await fault(simulators, { platform: "linkedin", account: name, call, do: "reset_before" });
      expect((await connect({ ...tokens(name), account_id: pageUrn(name) })).is).toBe("retryable");
    },
  );
});

describe("the consent of LinkedIn", () => {
  const redirectUri = "http://crier.test/callback";
  const CM_SCOPES = "r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin";
  /** `clientId` and `scopes` are those of this deployment's app. Without `scopes`, the default scopes apply. */
  async function consent(parameters: Record<string, string>, { clientId = "sandbox-linkedin", scopes = "" } = {}) {
    const app = { clientId, clientSecret: "sandbox", scopes: scopes === "" ? null : scopes.split(" ") };
    const io = { ...makeIO(simulators, "linkedin"), app };
    const flow = linkedin.consent ?? expect.fail("no consent");
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge: "c" }));
    const query = `${search}&${new URLSearchParams(parameters)}`;
    const answer = await fetch(`${simulators.url}/linkedin${pathname}${query}`, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? "");
    const code = back.searchParams.get("code") ?? "";
    return { back, io, exchange: (usedIO = io) => flow.exchange({ code, redirectUri, verifier: "v" }, app, usedIO) };
  }

  it("requests the scopes of an app with the self-serve products, and lists the member", async () => {
    const { back, exchange } = await consent({ decision: "allow", account: "bob" });
    expect(back.searchParams.get("error")).toBeNull();
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts).toMatchObject([
      {
        handle: "bob",
        credential: { refresh_token: null },
        missingPermissions: ["r_member_postAnalytics", "w_member_social_feed"],
      },
    ]);
    expect((granted.accounts[0]?.tokenExpiresAt ?? 0) - Date.now()).toBeLessThan(61 * 86_400_000);
  });

  it("is rejected by the network if the app lacks one of the requested scopes", async () => {
    for (const clientId of ["sandbox-linkedin", "cm_only"]) {
      const { back } = await consent({ decision: "allow" }, { clientId, scopes: `openid profile ${CM_SCOPES}` });
      expect(back.searchParams.get("error")).toBe("unauthorized_scope_error");
    }
  });

  it.each([
    ["Community Management alone", "cm_only", CM_SCOPES],
    ["Share, Sign In and Advertising", "advertising", CM_SCOPES.replace("r_basicprofile", "openid profile")],
  ])("lists the member and the pages that they may post for, with an app that has %s", async (_, clientId, scopes) => {
    const { back, io, exchange } = await consent({ decision: "allow", account: "ada" }, { clientId, scopes });
    expect(back.searchParams.get("state")).toBe("s");
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts.map(({ handle }) => handle)).toEqual(["ada", "ada-page", "ada-press"]);
    expect(granted.accounts.map(({ missingPermissions }) => missingPermissions)).toEqual([
      ["r_member_postAnalytics", "w_member_social_feed"],
      ["w_organization_social_feed"],
      ["w_organization_social_feed"],
    ]);
    const [first] = granted.accounts;
    expect((first?.tokenExpiresAt ?? 0) - Date.now()).toBeGreaterThan(364 * 86_400_000);
    expect((await exchange()).is, "a code works once").toBe("grant_refused");
    // A token of this consent can post as the page.
    const context = { credential: granted.accounts[1]?.credential ?? null, io };
    const post = publication(`by consent to ${clientId}`);
    expect((await linkedin.publish(post, await prepareOnce(linkedin, post, context), context)).is).toBe("live");
  });

  it("lists only pages if the member did not allow posts for themselves", async () => {
    const scope_granted = CM_SCOPES.replace("w_member_social ", "");
    const { exchange } = await consent(
      { decision: "allow", account: "zoe", scope_granted },
      { clientId: "cm_only", scopes: CM_SCOPES },
    );
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts.map(({ handle }) => handle)).toEqual(["zoe-page", "zoe-press"]);
  });

  it("lists only the member if they allowed posts for none of their pages", async () => {
    const { exchange } = await consent(
      { decision: "allow", account: "amy", scope_granted: "r_basicprofile w_member_social" },
      { clientId: "cm_only", scopes: CM_SCOPES },
    );
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
    expect(granted.accounts.map(({ handle }) => handle)).toEqual(["amy"]);
  });

  it("is rejected if the permission to post was deselected", async () => {
    const { exchange } = await consent({ decision: "allow", account: "eve", scope_granted: "openid profile" });
    expect(await exchange()).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("w_member_social"),
    });
  });

  it("retries while the network does not accept the token that it has just issued", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const waits: number[] = [];
    const { io, exchange } = await consent({ decision: "allow", account: "fresh_token_ada" });
    const wait = async (ms: number) => {
      waits.push(ms);
      vi.setSystemTime(Date.now() + ms);
    };
    const granted = await exchange({ ...io, wait });
    vi.useRealTimers();
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle: "fresh_token_ada" }] });
    expect(waits).toEqual([2_000, 5_000]);
  });

  it("is rejected if the network refuses the token four times", async () => {
    const { io, exchange } = await consent({ decision: "allow", account: "ned" });
    const body = { serviceErrorCode: 65_601 };
    const refusal = { platform: "linkedin", account: "ned", call: "userinfo", do: "status", status: 401, body };
    await fault(simulators, { ...refusal, count: 4 });
    expect((await exchange(io)).is).toBe("grant_refused");
  });

  it("is retryable after a lost call", async () => {
    const { exchange } = await consent({ decision: "allow", account: "kim" });
    await fault(simulators, { platform: "linkedin", call: "accessToken", do: "reset_before" });
    expect((await exchange()).is).toBe("retryable");
    expect((await exchange()).is).toBe("granted");
  });
});

describe("renewing a LinkedIn credential", () => {
  it("extends the access token, but not the grant", async () => {
    const { context } = await account("page");
    const first = await linkedin.refresh?.(context);
    if (first?.is !== "fresh") return expect.fail(first?.is);
    expect(first.credential).toMatchObject({ refresh_token: expect.stringMatching(/^refresh-for-/) });
    expect(linkedin.refreshAt?.(first.credential)).toBeGreaterThan(Date.now() + 54 * 86_400_000);
    expect((await linkedin.refresh?.({ ...context, credential: first.credential }))?.is).toBe("fresh");
    const { expires_at } = Object(first.credential);
    const last = { ...Object(first.credential), refresh_expires_at: expires_at };
    expect(linkedin.refreshAt?.(last), "nothing would be won").toBeNull();
  });

  it("is retried after a lost answer, and never stores an incomplete answer", async () => {
    const { context } = await account("page");
    const blips = [
      { do: "reset_before" },
      { do: "reset_after_accept" },
      { do: "status", status: 503 },
      { do: "status", status: 401, body: { error: "invalid_client" } },
      { do: "status", status: 200, body: { access_token: "half" } },
    ];
    for (const blip of blips) {
      await fault(simulators, { platform: "linkedin", call: "accessToken", ...blip });
      expect((await linkedin.refresh?.(context))?.is).toBe("retryable");
    }
    expect((await linkedin.refresh?.(context))?.is).toBe("fresh");
  });

  it("ends if the network says that the token was revoked", async () => {
    const { name, context } = await account("member");
    await fetch(`${simulators.url}/linkedin/oauth/v2/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: `access-for-${name}` }),
    });
    expect(await linkedin.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  describe("a LinkedIn credential without a refresh token", () => {
    async function connectSelfServe() {
      const { name, context } = await account("member");
      const contextAlone = { ...context, credential: { ...Object(context.credential), refresh_token: null } };
      const refusal = { platform: "linkedin", account: name, call: "userinfo", do: "status", status: 401 };
      return { name, contextAlone, refuse: (count: number) => fault(simulators, { ...refusal, body: {}, count }) };
    }

    it("is kept if it is refused once and then accepted", async () => {
      const { contextAlone, refuse } = await connectSelfServe();
      expect(linkedin.refreshAt?.(contextAlone.credential)).toBeNull();
      await refuse(3);
      expect(await linkedin.refresh?.(contextAlone)).toEqual({ is: "fresh", credential: contextAlone.credential });
    });

    it("is given up if it is refused four times, or if it has expired", async () => {
      const { contextAlone, refuse } = await connectSelfServe();
      await refuse(4);
      expect(await linkedin.refresh?.(contextAlone)).toMatchObject({ is: "rejected", error: "token_revoked" });
      const expiredContext = {
        ...contextAlone,
        credential: { ...contextAlone.credential, expires_at: Date.now() - 1 },
      };
      expect(await linkedin.refresh?.(expiredContext)).toMatchObject({ is: "rejected", error: "token_expired" });
    });

    it("is kept while the network does not answer", async () => {
      const { name, contextAlone } = await connectSelfServe();
      await fault(simulators, { platform: "linkedin", account: name, call: "userinfo", do: "reset_before" });
      expect(await linkedin.refresh?.(contextAlone)).toMatchObject({ is: "retryable" });
    });
  });
});

describe("a LinkedIn token that is refused", () => {
  const buildRefusal = (serviceErrorCode: number) => ({
    do: "status",
    status: 401,
    body: { serviceErrorCode, message: "revoked by the user" },
  });
  const refusal = buildRefusal(65_601);

  it.each([65_601, 65_602])("is retryable during the first ten minutes after it was issued (%i)", async (code) => {
    const { name, context: handedOver } = await account("page");
    const issued_at = Date.now() - 9 * 60_000;
    const context = { ...handedOver, credential: { ...Object(handedOver.credential), issued_at } };
    const post = publication("with a young token");
    const publishKey = await prepareOnce(linkedin, post, context);
    const call = { platform: "linkedin", account: `${name}-page`, call: "posts/create" };
    await fault(simulators, { ...call, ...buildRefusal(code) });
    expect(await linkedin.publish(post, publishKey, context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
      detail: expect.stringContaining(String(code)),
    });
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("live");
  });

  it("is renewed at once if it is older", async () => {
    const { name, context, io } = await account("page");
    const renewed = await linkedin.refresh?.(context);
    if (renewed?.is !== "fresh") return expect.fail(renewed?.is);
    const post = publication("with an old token");
    const publishKey = await prepareOnce(linkedin, post, context);
    await fault(simulators, { platform: "linkedin", account: `${name}-page`, call: "posts/create", ...refusal });
    const later = { ...context, credential: renewed.credential, io: { ...io, now: () => Date.now() + 11 * 60_000 } };
    expect((await linkedin.publish(post, publishKey, later)).is).toBe("unauthorized");
  });
});
