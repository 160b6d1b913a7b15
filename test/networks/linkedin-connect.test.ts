// How an account of LinkedIn is connected, by tokens and by consent, and stays so.
import { describe, expect, it } from "vitest";
import { memberUrn, pagesOf, pageUrn } from "../../simulators/linkedin/directory.ts";
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
    const [page, press, lab] = pagesOf(name).map(({ urn }) => urn);
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
  async function consent(parameters: Record<string, string>) {
    const io = makeIO(simulators, "linkedin");
    const app = io.app ?? expect.fail("no app");
    const flow = linkedin.consent ?? expect.fail("no consent");
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge: "c" }));
    const query = `${search}&${new URLSearchParams(parameters)}`;
    const answer = await fetch(`${simulators.url}/linkedin${pathname}${query}`, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? "");
    const code = back.searchParams.get("code") ?? "";
    return { back, io, exchange: () => flow.exchange({ code, redirectUri, verifier: "v" }, app, io) };
  }

  it("lists the member and the pages that they may post for, until the grant ends", async () => {
    const { back, io, exchange } = await consent({ decision: "allow", account: "ada" });
    expect(back.searchParams.get("state")).toBe("s");
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts.map(({ handle }) => handle)).toEqual(["ada", "ada-page", "ada-press"]);
    const [first] = granted.accounts;
    expect((first?.tokenExpiresAt ?? 0) - Date.now()).toBeGreaterThan(364 * 86_400_000);
    expect((await exchange()).is, "a code works once").toBe("grant_refused");
    // A token of the grant posts as the page.
    const context = { credential: granted.accounts[1]?.credential ?? null, io };
    const post = publication("by consent");
    expect((await linkedin.publish(post, await prepared(linkedin, post, context), context)).is).toBe("live");
  });

  it("to a member's scopes alone lists the member, whose tokens nobody renews", async () => {
    const scope_granted = "openid profile w_member_social";
    const { exchange } = await consent({ decision: "allow", account: "bob", scope_granted });
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts).toMatchObject([{ handle: "bob", credential: { refresh_token: null } }]);
    expect((granted.accounts[0]?.tokenExpiresAt ?? 0) - Date.now()).toBeLessThan(61 * 86_400_000);
  });

  it("is not enough when posting was taken away", async () => {
    const { exchange } = await consent({ decision: "allow", account: "eve", scope_granted: "openid profile" });
    expect(await exchange()).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("w_member_social"),
    });
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

  it("ends with the network's own word, or where there is nothing to renew with", async () => {
    const { name, context } = await account("member");
    const alone = { ...context, credential: { ...Object(context.credential), refresh_token: null } };
    expect(linkedin.refreshAt?.(alone.credential)).toBeNull();
    expect(await linkedin.refresh?.(alone)).toMatchObject({ is: "rejected", error: "token_expired" });
    await fetch(`${simulators.url}/linkedin/oauth/v2/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: `access-for-${name}` }),
    });
    expect(await linkedin.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });
});
