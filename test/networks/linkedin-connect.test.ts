// How an account of LinkedIn is connected, by tokens and by consent, and stays so.
import { describe, expect, it, vi } from "vitest";
import { listPages, memberUrn, pageUrn } from "../../simulators/linkedin/directory.ts";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import { account, tokens } from "./linkedin-account.ts";
import { fault, makeIO, prepared, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe("connecting", () => {
  const connect = (input: Json) => linkedin.connect(input, makeIO(simulators, "linkedin"));

  it("as a page that the member may post for", async () => {
    const { name, connected } = await account("page");
    expect(connected).toMatchObject({
      accountId: pageUrn(name),
      handle: `${name}-page`,
      name: `The ${name}-page page`,
      profileUrl: `https://www.linkedin.com/company/${name}-page/`,
      tokenExpiresAt: null,
    });
  });

  it("as a member, whose channel ends with a token that nobody can renew", async () => {
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

  it("needs to know as which of several, and names those that may post", async () => {
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

  it("names the field of a token that is none, and the scopes that lack", async () => {
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
    "is busy, not refused, without an answer to %s",
    async (call) => {
      const name = unique("linked");
      await fault(simulators, { platform: "linkedin", account: name, call, do: "reset_before" });
      expect((await connect({ ...tokens(name), account_id: pageUrn(name) })).is).toBe("retryable");
    },
  );
});

describe("consent", () => {
  const redirectUri = "http://crier.test/callback";
  const CM_SCOPES = "r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin";
  /** `clientId` and `scopes`: of the app that this deployment has; the usual scopes when left out. */
  async function consent(parameters: Record<string, string>, { clientId = "sandbox-linkedin", scopes = "" } = {}) {
    const app = { clientId, clientSecret: "sandbox", scopes: scopes === "" ? null : scopes.split(" ") };
    const io = { ...makeIO(simulators, "linkedin"), app };
    const flow = linkedin.consent ?? expect.fail("no consent");
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge: "c" }));
    const query = `${search}&${new URLSearchParams(parameters)}`;
    const answer = await fetch(`${simulators.url}/linkedin${pathname}${query}`, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? "");
    const code = back.searchParams.get("code") ?? "";
    return { back, io, exchange: (by = io) => flow.exchange({ code, redirectUri, verifier: "v" }, app, by) };
  }

  it("asks for what an app with the self-serve products has, and lists the member", async () => {
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

  it("is refused by the network when the app lacks one of the scopes that it asks for", async () => {
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
    // A token of the grant posts as the page.
    const context = { credential: granted.accounts[1]?.credential ?? null, io };
    const post = publication(`by consent to ${clientId}`);
    expect((await linkedin.publish(post, await prepared(linkedin, post, context), context)).is).toBe("live");
  });

  it("lists pages alone where the member did not let the app post for themselves", async () => {
    const scope_granted = CM_SCOPES.replace("w_member_social ", "");
    const { exchange } = await consent(
      { decision: "allow", account: "zoe", scope_granted },
      { clientId: "cm_only", scopes: CM_SCOPES },
    );
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts.map(({ handle }) => handle)).toEqual(["zoe-page", "zoe-press"]);
  });

  it("lists the member alone where they let the app post for none of their pages", async () => {
    const { exchange } = await consent(
      { decision: "allow", account: "amy", scope_granted: "r_basicprofile w_member_social" },
      { clientId: "cm_only", scopes: CM_SCOPES },
    );
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
    expect(granted.accounts.map(({ handle }) => handle)).toEqual(["amy"]);
  });

  it("is not enough when posting was taken away", async () => {
    const { exchange } = await consent({ decision: "allow", account: "eve", scope_granted: "openid profile" });
    expect(await exchange()).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("w_member_social"),
    });
  });

  it("asks again while the network does not accept the token that it has just issued", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const waited: number[] = [];
    const { io, exchange } = await consent({ decision: "allow", account: "fresh_token_ada" });
    const wait = async (ms: number) => {
      waited.push(ms);
      vi.setSystemTime(Date.now() + ms);
    };
    const granted = await exchange({ ...io, wait });
    vi.useRealTimers();
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle: "fresh_token_ada" }] });
    expect(waited).toEqual([2_000, 5_000]);
  });

  it("is refused when the network refuses the token four times", async () => {
    const { io, exchange } = await consent({ decision: "allow", account: "ned" });
    const body = { serviceErrorCode: 65_601 };
    const refusal = { platform: "linkedin", account: "ned", call: "userinfo", do: "status", status: 401, body };
    await fault(simulators, { ...refusal, count: 4 });
    expect((await exchange(io)).is).toBe("grant_refused");
  });

  it("is tried again after a blip", async () => {
    const { exchange } = await consent({ decision: "allow", account: "kim" });
    await fault(simulators, { platform: "linkedin", call: "accessToken", do: "reset_before" });
    expect((await exchange()).is).toBe("retryable");
    expect((await exchange()).is).toBe("granted");
  });
});

describe("renewing", () => {
  it("moves the end of the access token, not that of the grant", async () => {
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

  it("is tried again after a lost answer, and never takes half an answer", async () => {
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

  it("ends with the network's own word", async () => {
    const { name, context } = await account("member");
    await fetch(`${simulators.url}/linkedin/oauth/v2/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: `access-for-${name}` }),
    });
    expect(await linkedin.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  describe("without a refresh token", () => {
    async function selfServe() {
      const { name, context } = await account("member");
      const alone = { ...context, credential: { ...Object(context.credential), refresh_token: null } };
      const refusal = { platform: "linkedin", account: name, call: "userinfo", do: "status", status: 401 };
      return { name, alone, refuse: (count: number) => fault(simulators, { ...refusal, body: {}, count }) };
    }

    it("keeps a token that was refused once and is accepted when it is tried again", async () => {
      const { alone, refuse } = await selfServe();
      expect(linkedin.refreshAt?.(alone.credential)).toBeNull();
      await refuse(3);
      expect(await linkedin.refresh?.(alone)).toEqual({ is: "fresh", credential: alone.credential });
    });

    it("gives a token up that is refused four times, or whose time is over", async () => {
      const { alone, refuse } = await selfServe();
      await refuse(4);
      expect(await linkedin.refresh?.(alone)).toMatchObject({ is: "rejected", error: "token_revoked" });
      const over = { ...alone, credential: { ...alone.credential, expires_at: Date.now() - 1 } };
      expect(await linkedin.refresh?.(over)).toMatchObject({ is: "rejected", error: "token_expired" });
    });

    it("says nothing about a token while the network does not answer", async () => {
      const { name, alone } = await selfServe();
      await fault(simulators, { platform: "linkedin", account: name, call: "userinfo", do: "reset_before" });
      expect(await linkedin.refresh?.(alone)).toMatchObject({ is: "retryable" });
    });
  });
});

describe("a refused token", () => {
  const refusedAs = (serviceErrorCode: number) => ({
    do: "status",
    status: 401,
    body: { serviceErrorCode, message: "revoked by the user" },
  });
  const refused = refusedAs(65_601);

  it.each([65_601, 65_602])("is tried again later for ten minutes after it was issued (%i)", async (code) => {
    const { name, context: handedOver } = await account("page");
    const issued_at = Date.now() - 9 * 60_000;
    const context = { ...handedOver, credential: { ...Object(handedOver.credential), issued_at } };
    const post = publication("with a young token");
    const ready = await prepared(linkedin, post, context);
    const call = { platform: "linkedin", account: `${name}-page`, call: "posts/create" };
    await fault(simulators, { ...call, ...refusedAs(code) });
    expect(await linkedin.publish(post, ready, context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
      detail: expect.stringContaining(String(code)),
    });
    expect((await linkedin.publish(post, ready, context)).is).toBe("live");
  });

  it("is renewed at once when it is not", async () => {
    const { name, context, io } = await account("page");
    const renewed = await linkedin.refresh?.(context);
    if (renewed?.is !== "fresh") return expect.fail(renewed?.is);
    const post = publication("with an old token");
    const ready = await prepared(linkedin, post, context);
    await fault(simulators, { platform: "linkedin", account: `${name}-page`, call: "posts/create", ...refused });
    const later = { ...context, credential: renewed.credential, io: { ...io, now: () => Date.now() + 11 * 60_000 } };
    expect((await linkedin.publish(post, ready, later)).is).toBe("unauthorized");
  });
});
