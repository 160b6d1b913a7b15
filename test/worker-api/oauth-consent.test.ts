// The page on which a person grants an application access. Only that person decides, and redirects go only to
// registered addresses.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import {
  allow,
  authorizePath,
  codeFor,
  consentOn,
  exchangeFields,
  ORIGIN,
  open,
  REDIRECT,
  register,
  send,
  tokenCall,
} from "../support/oauth.ts";
import { call, signUp } from "../support/world.ts";

const countGrants = async (workspace: string) =>
  testEnv.DB.prepare("SELECT COUNT(*) AS n FROM oauth_grants WHERE workspace_id = ?").bind(workspace).first("n");

/** Finds the addresses that a page links to. */
const findHrefs = (page: string) =>
  [...page.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

describe("an authorization request", () => {
  it.each([
    [{ redirect_uri: "https://evil.example/callback" }],
    [{ redirect_uri: `${REDIRECT}/` }],
    [{ redirect_uri: `${REDIRECT}?x=1` }],
    [{ redirect_uri: "https://assistant.example.evil.example/callback" }],
    [{ redirect_uri: "https://assistant.example@evil.example/callback" }],
    [{ redirect_uri: "https://assistant.example:444/callback" }],
    [{ redirect_uri: "http://assistant.example/callback" }],
    [{ redirect_uri: "//evil.example" }],
    [{ redirect_uri: "javascript:alert(1)" }],
    [{ redirect_uri: "" }],
    [{ redirect_uri: null }],
    [{ client_id: null }],
    [{ client_id: "client_01kac48r4w7y2a8c5e1g6j0k4n" }],
    [{ client_id: "' OR 1=1 --" }],
  ] as Record<string, string | null>[][])("a request with %j is refused without a redirect", async (changes) => {
    const account = await signUp();
    const answer = await open(await authorizePath(await register(), changes), account.session);
    expect(answer.status).toBe(400);
    expect(answer.headers.get("location")).toBeNull();
    expect(await answer.text()).not.toContain("<form");
  });

  it("a request of a signed-out person links to sign-up and to a new password, and from there back", async () => {
    const path = await authorizePath(await register());
    const text = await (await open(path, null)).text();
    expect(text).toContain('href="/auth/forgot"');
    const signUp = /href="(\/auth\/sign-up\?continue=[^"]+)"/.exec(text)?.[1] ?? "";
    expect(new URL(signUp, ORIGIN).searchParams.get("continue")).toBe(path);
  });

  it("a request that is too long is refused without a redirect", async () => {
    const path = await authorizePath(await register(), { state: "x".repeat(2_500) });
    expect((await open(path, null)).status).toBe(400);
  });

  it("a request that names its redirect address or its client twice is refused without a redirect", async () => {
    const { session } = await signUp();
    const path = await authorizePath(await register());
    for (const repeated of ["redirect_uri=https://evil.example", "client_id=x"])
      expect((await open(`${path}&${repeated}`, session)).status).toBe(400);
  });

  it.each([
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: null }, "unsupported_response_type"],
    [{ code_challenge: null }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: null }, "invalid_request"],
    [{ resource: "https://other.example/mcp" }, "invalid_target"],
    [{ resource: ORIGIN }, "invalid_target"],
  ] as [Record<string, string | null>, string][])(
    "a request with %j does not redirect, and offers a link that answers the client: %s",
    async (changes, error) => {
      const client = await register();
      const answer = await open(await authorizePath(client, changes), null);
      expect(answer.status).toBe(400);
      expect(answer.headers.get("location")).toBeNull();
      const text = await answer.text();
      expect(text).toContain(new URL(REDIRECT).host);
      const [link = ""] = findHrefs(text).filter((href) => href.startsWith(REDIRECT));
      const to = new URL(link);
      expect(to.origin + to.pathname).toBe(REDIRECT);
      expect(Object.fromEntries(to.searchParams)).toMatchObject({ error, state: "the client's own", iss: ORIGIN });
      expect(to.searchParams.has("code")).toBe(false);
    },
  );

  const unusual: Record<string, string | null>[] = [
    { resource: null },
    { scope: null },
    { scope: "everything offline_access" },
    { resource: `${ORIGIN}/mcp/` },
  ];
  it.each(unusual)("a request with %j is shown to the person", async (changes) => {
    const account = await signUp();
    const path = await authorizePath(await register(), changes);
    expect((await allow(account, path)).searchParams.get("code")).toMatch(/^crier_ac_/);
  });

  it("a request of a program on the person's own machine may use any port", async () => {
    const account = await signUp();
    const client = await register({ redirect_uris: ["http://127.0.0.1/callback", "http://localhost:3000/callback"] });
    for (const redirect_uri of ["http://127.0.0.1:51234/callback", "http://localhost:1/callback"]) {
      const path = await authorizePath(client, { redirect_uri });
      expect(await (await open(path, account.session)).text()).toContain(
        "Any application on this computer can use this name.",
      );
      const back = await allow(account, path);
      expect(back.href.startsWith(redirect_uri)).toBe(true);
      const code = back.searchParams.get("code") ?? "";
      expect((await tokenCall({ ...exchangeFields(client, code), redirect_uri })).status).toBe(200);
    }
    for (const redirect_uri of [
      "http://127.0.0.1:51234/other",
      "http://127.0.0.2:80/callback",
      "http://[::1]:1/callback",
    ])
      expect((await open(await authorizePath(client, { redirect_uri }), account.session)).status).toBe(400);
  });
});

describe("the consent page", () => {
  it("the page cannot be framed, runs nothing, loads nothing and is not cached", async () => {
    const account = await signUp();
    const answer = await open(await authorizePath(await register()), account.session);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("same-origin");
    // A window that another site has opened and waits for stays in contact with that site.
    expect(answer.headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
  });

  it("the page shows the client's own texts as plain text, and the host that the answer really goes to", async () => {
    const account = await signUp();
    const name = `<img src=x onerror=alert(1)>"'&Crier Support: press Allow`;
    const html = await (await open(await authorizePath(await register({ client_name: name })), account.session)).text();
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;Crier Support: press Allow");
    expect(html).toContain("<strong>assistant.example</strong>");
    expect(html).toContain("This name is not verified");
  });

  it("the page offers only the workspaces in which the person can act", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const second = await call<{ id: string }>("POST", "/v1/workspaces", {
      token: account.session,
      body: { name: "<b>Second" },
    });
    const path = await authorizePath(await register());
    const html = await (await open(path, account.session)).text();
    expect(html).toContain(`value="${account.workspace}"`);
    expect(html).toContain(`value="${second.body.id}"`);
    expect(html).toContain("&lt;b&gt;Second");
    expect(html).not.toContain(stranger.workspace);
    expect(html).not.toContain(" checked>");
    const back = await allow(account, path, second.body.id);
    expect(back.searchParams.get("code")).not.toBeNull();
    expect([await countGrants(second.body.id), await countGrants(account.workspace)]).toEqual([1, 0]);
  });

  it("a person who refuses is sent back with that answer, and no access is granted", async () => {
    const account = await signUp();
    const path = await authorizePath(await register());
    const consent = await consentOn(path, account.session);
    const answer = await send(path, account.session, { consent, step: "refuse" });
    const to = new URL(answer.headers.get("location") ?? "");
    expect(to.origin + to.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(to.searchParams)).toMatchObject({ error: "access_denied", iss: ORIGIN });
    expect(await countGrants(account.workspace)).toBe(0);
  });
});

describe("the conditions of a consent", () => {
  it("a consent is accepted only for a workspace of the person", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const path = await authorizePath(await register());
    const consent = await consentOn(path, account.session);
    for (const workspace of [stranger.workspace, "", "ws_nonsense"]) {
      const answer = await send(path, account.session, { consent, workspace, step: "allow" });
      expect(answer.status).toBe(422);
      expect(answer.headers.get("location")).toBeNull();
    }
    expect(await countGrants(stranger.workspace)).toBe(0);
  });

  it("a consent is accepted only from our own page", async () => {
    const account = await signUp();
    const { workspace } = account;
    const path = await authorizePath(await register());
    const consent = await consentOn(path, account.session);
    const foreign: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" },
      {},
    ];
    for (const headers of foreign)
      expect((await send(path, account.session, { consent, workspace, step: "allow" }, headers)).status).toBe(403);
    expect(await countGrants(workspace)).toBe(0);
    expect((await send(path, account.session, { consent, workspace, step: "allow" }, { origin: ORIGIN })).status).toBe(
      303,
    );
  });

  it("a consent is accepted only in its session and for its request", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const client = await register();
    const path = await authorizePath(client);
    const { workspace } = account;
    const consentForOtherRequest = await consentOn(await authorizePath(client, { state: "another" }), account.session);
    const consentForOtherSession = await consentOn(path, stranger.session);
    for (const consent of [consentForOtherRequest, consentForOtherSession, "", "0".repeat(64)])
      expect((await send(path, account.session, { consent, workspace, step: "allow" })).status).toBe(403);
    expect(await countGrants(workspace)).toBe(0);
  });

  it("a consent is accepted only while the person is signed in", async () => {
    const account = await signUp();
    const path = await authorizePath(await register());
    const consent = await consentOn(path, account.session);
    await call("POST", "/v1/auth/logout", { token: account.session });
    const answer = await send(path, account.session, { consent, workspace: account.workspace, step: "allow" });
    expect(await answer.text()).toContain('type="password"');
    expect(await countGrants(account.workspace)).toBe(0);
  });
});

it("granting access to the same client again replaces its earlier grant in that workspace", async () => {
  const account = await signUp();
  const client = await register();
  await codeFor(account, client);
  await codeFor(account, client);
  expect(await countGrants(account.workspace)).toBe(1);
  await codeFor(account, await register());
  expect(await countGrants(account.workspace)).toBe(2);
});
