// The applications that people have connected: their list, their removal, and the other events that end their access.

import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { compose } from "../../src/compose.ts";
import type { Connection } from "../../src/contract/connections.ts";
import { endConnections } from "../../src/maintenance/end-connections.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { getUserId, join } from "../support/members.ts";
import { codeFor, exchangeFields, refreshFields, register, tokenCall, tokensFor } from "../support/oauth.ts";
import { type Account, call, signUp } from "../support/world.ts";

const context = () => compose(testEnv, () => {});
const openToken = (token: string) => openAccessToken(context(), token);

type ConnectionPage = { connections: z.output<typeof Connection>[]; next: string | null };
const list = async ({ session }: Account, workspace: string, query = "") =>
  (await call<ConnectionPage>("GET", `/v1/workspaces/${workspace}/connections${query}`, { token: session })).body;
const revokeConnection = ({ session }: Account, workspace: string, id: string | undefined) =>
  call("DELETE", `/v1/workspaces/${workspace}/connections/${id}`, { token: session });

/** Creates an owner and a member of the owner's workspace. */
async function openTwoMembers(): Promise<{ owner: Account; member: Account; workspace: string }> {
  const [owner, member] = [await signUp(), await signUp()];
  const { workspace } = owner;
  await join(owner, member);
  return { owner, member, workspace };
}
const removeMember = (account: Account, workspace: string, user: string) =>
  call("DELETE", `/v1/workspaces/${workspace}/members/${user}`, { token: account.session });

describe("the list of connections", () => {
  it("the list has each application with the person who connected it and its last use", async () => {
    const account = await signUp();
    const client = await register({ client_name: "Assistant", client_uri: "https://assistant.example" });
    await tokensFor(account, client);
    expect(await list(account, account.workspace)).toEqual({
      connections: [
        {
          id: expect.stringMatching(/^grant_/),
          client: {
            id: client.id,
            name: "Assistant",
            url: "https://assistant.example",
            redirects_to: "assistant.example",
          },
          user: { id: await getUserId(account), email: account.email, name: "Ada" },
          scopes: ["mcp"],
          created_at: expect.any(String),
          last_used_at: expect.any(String),
          expires_at: expect.any(String),
        },
      ],
      next: null,
    });
  });

  it("the list is read page by page, newest first", async () => {
    const account = await signUp();
    for (let i = 0; i < 5; i++) await codeFor(account, await register({ client_name: `Number ${i}` }));
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: ConnectionPage = await list(account, account.workspace, `?limit=2${cursor && `&cursor=${cursor}`}`);
      names.push(...page.connections.map(({ client }) => client.name));
      cursor = page.next;
    }
    expect(names).toEqual([4, 3, 2, 1, 0].map((i) => `Number ${i}`));
  });

  it("an owner sees all connections, and a member sees their own", async () => {
    const { owner, member, workspace } = await openTwoMembers();
    await tokensFor(owner, await register({ client_name: "Owner's" }));
    await tokensFor(member, await register({ client_name: "Member's" }), workspace);
    const names = async (account: Account) =>
      (await list(account, workspace)).connections.map(({ client }) => client.name).sort();
    expect(await names(owner)).toEqual(["Member's", "Owner's"]);
    expect(await names(member)).toEqual(["Member's"]);
    const stranger = await signUp();
    expect(await call("GET", `/v1/workspaces/${workspace}/connections`, { token: stranger.session })).toMatchObject({
      status: 403,
    });
    expect(await call("GET", `/v1/workspaces/${workspace}/connections`, { token: owner.key })).toMatchObject({
      status: 403,
      body: { error: "key_not_allowed" },
    });
  });
});

describe("the end of an application's access", () => {
  it("an application loses access at once when its person revokes it, which strangers cannot do", async () => {
    const { owner, member, workspace } = await openTwoMembers();
    const issued = await tokensFor(owner, await register());
    const [connection] = (await list(owner, workspace)).connections;
    expect(await revokeConnection(member, workspace, connection?.id)).toMatchObject({ status: 404 });
    expect(await revokeConnection(owner, member.workspace, connection?.id)).toMatchObject({ status: 403 });
    expect(await revokeConnection(await signUp(), workspace, connection?.id)).toMatchObject({ status: 403 });
    expect(await openToken(issued.access_token)).not.toBeNull();
    expect((await revokeConnection(owner, workspace, connection?.id)).status).toBe(204);
    expect(await openToken(issued.access_token)).toBeNull();
    expect((await list(owner, workspace)).connections).toEqual([]);
    expect((await revokeConnection(owner, workspace, connection?.id)).status).toBe(404);
    expect((await revokeConnection(owner, workspace, "..%2f..")).status).toBe(404);
  });

  it("an owner can revoke a member's application", async () => {
    const { owner, member, workspace } = await openTwoMembers();
    const client = await register();
    const issued = await tokensFor(member, client, workspace);
    const [connection] = (await list(owner, workspace)).connections;
    expect((await revokeConnection(owner, workspace, connection?.id)).status).toBe(204);
    expect(await openToken(issued.access_token)).toBeNull();
    expect((await tokenCall(refreshFields(client, issued.refresh_token))).status).toBe(400);
  });

  it("an application loses access to a workspace that its person leaves, and keeps its access elsewhere", async () => {
    const { owner, member, workspace } = await openTwoMembers();
    const client = await register();
    const memberTokens = await tokensFor(member, client, workspace);
    const otherWorkspaceTokens = await tokensFor(member, client, member.workspace);
    const ownerTokens = await tokensFor(owner, client, workspace);
    expect((await removeMember(owner, workspace, await getUserId(member))).status).toBe(204);
    expect(await openToken(memberTokens.access_token)).toBeNull();
    expect((await tokenCall(refreshFields(client, memberTokens.refresh_token))).status).toBe(400);
    expect(await openToken(otherWorkspaceTokens.access_token)).not.toBeNull();
    expect(await openToken(ownerTokens.access_token)).not.toBeNull();
  });

  it("a code is refused if the person leaves between the consent and the exchange", async () => {
    const { owner, member, workspace } = await openTwoMembers();
    const client = await register();
    const code = await codeFor(member, client, workspace);
    await removeMember(owner, workspace, await getUserId(member));
    expect(await tokenCall(exchangeFields(client, code))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });

  it("all applications of an erased account lose access", async () => {
    const { owner, member, workspace } = await openTwoMembers();
    const client = await register();
    const issued = [await tokensFor(owner, client), await tokensFor(member, client, workspace)];
    expect((await call("DELETE", "/v1/auth/me", { token: owner.session })).status).toBe(204);
    expect(await openToken(issued[0]?.access_token ?? "")).toBeNull();
    // The workspace belongs to the other member now, whose application keeps its access.
    expect(await openToken(issued[1]?.access_token ?? "")).not.toBeNull();
    expect((await call("DELETE", "/v1/auth/me", { token: member.session })).status).toBe(204);
    expect(await openToken(issued[1]?.access_token ?? "")).toBeNull();
    for (const table of ["oauth_grants", "oauth_tokens"]) {
      const remaining = await testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`).bind(
        workspace,
      );
      expect(await remaining.first("n"), table).toBe(0);
    }
  });

  it("an application loses access when its person resets a lost password", async () => {
    const account = await signUp();
    const issued = await tokensFor(account, await register());
    await call("POST", "/v1/auth/forgot", { body: { email: account.email } });
    const token = tokenIn((await mailsTo(account.email, 1))[0]);
    expect(await openToken(issued.access_token)).not.toBeNull();
    const reset = await call("POST", "/v1/auth/reset", { body: { token, password: "another horse battery" } });
    expect(reset.status).toBe(200);
    expect(await openToken(issued.access_token)).toBeNull();
  });
});

it("an access token is valid for an hour", async () => {
  const account = await signUp();
  const issued = await tokensFor(account, await register());
  const expire = async (ms: number) =>
    testEnv.DB.prepare("UPDATE oauth_tokens SET expires_at = expires_at - ? WHERE hash = ?")
      .bind(ms, await sha256Hex(issued.access_token))
      .run();
  await expire(59 * 60_000);
  expect(await openToken(issued.access_token)).not.toBeNull();
  await expire(60_000);
  expect(await openToken(issued.access_token)).toBeNull();
});

it("a token of a deployment at another address is refused", async () => {
  const account = await signUp();
  const issued = await tokensFor(account, await register());
  const otherDeployment = compose({ ...testEnv, BASE_URL: "http://other.test" }, () => {});
  expect(await openAccessToken(otherDeployment, issued.access_token)).toBeNull();
  expect(await openToken(issued.access_token)).not.toBeNull();
});

it("expired grants are swept, and connections of ended grants are closed", async () => {
  const account = await signUp();
  const [active, idle] = [await register(), await register()];
  await tokensFor(account, active);
  await tokensFor(account, idle);
  const rows = await testEnv.DB.prepare("SELECT id, client_id FROM oauth_grants WHERE workspace_id = ?")
    .bind(account.workspace)
    .all<{ id: string; client_id: string }>();
  const idOfGrant = (clientId: string) => rows.results.find(({ client_id }) => client_id === clientId)?.id ?? "";
  await testEnv.DB.prepare("UPDATE oauth_grants SET expires_at = 1 WHERE id = ?").bind(idOfGrant(idle.id)).run();
  const ended: string[] = [];
  const ctx = context();
  await sweep({ ...ctx, mcp: { ...ctx.mcp, end: async (names) => void ended.push(...names) } });
  expect(ended).toContain(`grant:${idOfGrant(idle.id)}`);
  expect(ended).not.toContain(`grant:${idOfGrant(active.id)}`);
  expect((await list(account, account.workspace)).connections.map(({ client }) => client.id)).toEqual([active.id]);
  const remaining = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM oauth_tokens WHERE grant_id = ?").bind(
    idOfGrant(idle.id),
  );
  expect(await remaining.first("n")).toBe(0);
  await endConnections({ ...ctx, mcp: { ...ctx.mcp, end: async (names) => void ended.push(...names) } });
  expect(ended.filter((name) => name === `grant:${idOfGrant(idle.id)}`)).toHaveLength(1);
});

it("a person has at most fifty applications in a workspace, and the oldest makes room", async () => {
  const account = await signUp();
  const first = await tokensFor(account, await register());
  const userId = await getUserId(account);
  const { results } = await testEnv.DB.prepare("SELECT * FROM oauth_grants WHERE workspace_id = ?")
    .bind(account.workspace)
    .all();
  const grant = results[0] ?? {};
  const columns = Object.keys(grant);
  const statement = testEnv.DB.prepare(
    `INSERT INTO oauth_grants (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  // Ids are sorted by time, and these are older than all others.
  const buildOldId = (i: number) => `grant_${"0".repeat(24)}${i + 10}`;
  const copies = Array.from({ length: 49 }, (_, i) =>
    statement.bind(...Object.values({ ...grant, id: buildOldId(i) })),
  );
  await testEnv.DB.batch(copies);
  await codeFor(account, await register());
  const remaining = await testEnv.DB.prepare("SELECT id FROM oauth_grants WHERE user_id = ? ORDER BY id")
    .bind(userId)
    .all<{ id: string }>();
  expect(remaining.results).toHaveLength(50);
  expect(remaining.results[0]?.id).toBe(buildOldId(1));
  expect(await openToken(first.access_token)).not.toBeNull();
});
