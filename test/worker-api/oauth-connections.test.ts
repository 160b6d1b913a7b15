// The applications that people let in: who sees them, who shows them out, and what ends them by itself.

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
import { idOf, join } from "../support/members.ts";
import { codeFor, exchangeOf, refreshOf, register, tokenCall, tokensFor } from "../support/oauth.ts";
import { type Account, call, signUp } from "../support/world.ts";

const context = () => compose(testEnv, () => {});
const opened = (token: string) => openAccessToken(context(), token);

type Listed = { connections: z.output<typeof Connection>[]; next: string | null };
const list = async ({ session }: Account, workspace: string, query = "") =>
  (await call<Listed>("GET", `/v1/workspaces/${workspace}/connections${query}`, { token: session })).body;
const end = ({ session }: Account, workspace: string, id: string | undefined) =>
  call("DELETE", `/v1/workspaces/${workspace}/connections/${id}`, { token: session });

/** An owner and a member of the owner's workspace. */
async function two(): Promise<{ owner: Account; member: Account; workspace: string }> {
  const [owner, member] = [await signUp(), await signUp()];
  const { workspace } = owner;
  await join(owner, member);
  return { owner, member, workspace };
}
const remove = (by: Account, workspace: string, user: string) =>
  call("DELETE", `/v1/workspaces/${workspace}/members/${user}`, { token: by.session });

describe("the list", () => {
  it("says who let which application in, and when it last came", async () => {
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
          user: { id: await idOf(account), email: account.email, name: "Ada" },
          scopes: ["mcp"],
          created_at: expect.any(String),
          last_used_at: expect.any(String),
          expires_at: expect.any(String),
        },
      ],
      next: null,
    });
  });

  it("is walked page by page, newest first", async () => {
    const account = await signUp();
    for (let i = 0; i < 5; i++) await codeFor(account, await register({ client_name: `Number ${i}` }));
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Listed = await list(account, account.workspace, `?limit=2${cursor && `&cursor=${cursor}`}`);
      names.push(...page.connections.map(({ client }) => client.name));
      cursor = page.next;
    }
    expect(names).toEqual([4, 3, 2, 1, 0].map((i) => `Number ${i}`));
  });

  it("is the owner's in full, and a member's own part", async () => {
    const { owner, member, workspace } = await two();
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

describe("an application is out at once when", () => {
  it("somebody shows it out who may", async () => {
    const { owner, member, workspace } = await two();
    const issued = await tokensFor(owner, await register());
    const [connection] = (await list(owner, workspace)).connections;
    expect(await end(member, workspace, connection?.id)).toMatchObject({ status: 404 });
    expect(await end(owner, member.workspace, connection?.id)).toMatchObject({ status: 403 });
    expect(await end(await signUp(), workspace, connection?.id)).toMatchObject({ status: 403 });
    expect(await opened(issued.access_token)).not.toBeNull();
    expect((await end(owner, workspace, connection?.id)).status).toBe(204);
    expect(await opened(issued.access_token)).toBeNull();
    expect((await list(owner, workspace)).connections).toEqual([]);
    expect((await end(owner, workspace, connection?.id)).status).toBe(404);
    expect((await end(owner, workspace, "..%2f..")).status).toBe(404);
  });

  it("the owner shows out a member's", async () => {
    const { owner, member, workspace } = await two();
    const client = await register();
    const issued = await tokensFor(member, client, workspace);
    const [connection] = (await list(owner, workspace)).connections;
    expect((await end(owner, workspace, connection?.id)).status).toBe(204);
    expect(await opened(issued.access_token)).toBeNull();
    expect((await tokenCall(refreshOf(client, issued.refresh_token))).status).toBe(400);
  });

  it("the person who let it in leaves the workspace, there and nowhere else", async () => {
    const { owner, member, workspace } = await two();
    const client = await register();
    const there = await tokensFor(member, client, workspace);
    const elsewhere = await tokensFor(member, client, member.workspace);
    const owners = await tokensFor(owner, client, workspace);
    expect((await remove(owner, workspace, await idOf(member))).status).toBe(204);
    expect(await opened(there.access_token)).toBeNull();
    expect((await tokenCall(refreshOf(client, there.refresh_token))).status).toBe(400);
    expect(await opened(elsewhere.access_token)).not.toBeNull();
    expect(await opened(owners.access_token)).not.toBeNull();
  });

  it("the person leaves between consent and code", async () => {
    const { owner, member, workspace } = await two();
    const client = await register();
    const code = await codeFor(member, client, workspace);
    await remove(owner, workspace, await idOf(member));
    expect(await tokenCall(exchangeOf(client, code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("the account is erased, with all that it let in", async () => {
    const { owner, member, workspace } = await two();
    const client = await register();
    const issued = [await tokensFor(owner, client), await tokensFor(member, client, workspace)];
    expect((await call("DELETE", "/v1/auth/me", { token: owner.session })).status).toBe(204);
    expect(await opened(issued[0]?.access_token ?? "")).toBeNull();
    // The workspace went on to the other member, and so did what they let in.
    expect(await opened(issued[1]?.access_token ?? "")).not.toBeNull();
    expect((await call("DELETE", "/v1/auth/me", { token: member.session })).status).toBe(204);
    expect(await opened(issued[1]?.access_token ?? "")).toBeNull();
    for (const table of ["oauth_grants", "oauth_tokens"]) {
      const left = await testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`).bind(
        workspace,
      );
      expect(await left.first("n"), table).toBe(0);
    }
  });

  it("the person sets a new password because they lost the old one", async () => {
    const account = await signUp();
    const issued = await tokensFor(account, await register());
    await call("POST", "/v1/auth/forgot", { body: { email: account.email } });
    const token = tokenIn((await mailsTo(account.email, 1))[0]);
    expect(await opened(issued.access_token)).not.toBeNull();
    const reset = await call("POST", "/v1/auth/reset", { body: { token, password: "another horse battery" } });
    expect(reset.status).toBe(200);
    expect(await opened(issued.access_token)).toBeNull();
  });
});

it("an access token is good for an hour", async () => {
  const account = await signUp();
  const issued = await tokensFor(account, await register());
  const expire = async (ms: number) =>
    testEnv.DB.prepare("UPDATE oauth_tokens SET expires_at = expires_at - ? WHERE hash = ?")
      .bind(ms, await sha256Hex(issued.access_token))
      .run();
  await expire(59 * 60_000);
  expect(await opened(issued.access_token)).not.toBeNull();
  await expire(60_000);
  expect(await opened(issued.access_token)).toBeNull();
});

it("a token of another address is none of this one's", async () => {
  const account = await signUp();
  const issued = await tokensFor(account, await register());
  const elsewhere = compose({ ...testEnv, BASE_URL: "http://other.test" }, () => {});
  expect(await openAccessToken(elsewhere, issued.access_token)).toBeNull();
  expect(await opened(issued.access_token)).not.toBeNull();
});

it("expired grants are swept, and connections of ended ones are closed", async () => {
  const account = await signUp();
  const [kept, idle] = [await register(), await register()];
  await tokensFor(account, kept);
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
  expect(ended).not.toContain(`grant:${idOfGrant(kept.id)}`);
  expect((await list(account, account.workspace)).connections.map(({ client }) => client.id)).toEqual([kept.id]);
  const left = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM oauth_tokens WHERE grant_id = ?").bind(
    idOfGrant(idle.id),
  );
  expect(await left.first("n")).toBe(0);
  await endConnections({ ...ctx, mcp: { ...ctx.mcp, end: async (names) => void ended.push(...names) } });
  expect(ended.filter((name) => name === `grant:${idOfGrant(idle.id)}`)).toHaveLength(1);
});

it("a person has fifty applications in a workspace; the oldest makes room", async () => {
  const account = await signUp();
  const first = await tokensFor(account, await register());
  const userId = await idOf(account);
  const { results } = await testEnv.DB.prepare("SELECT * FROM oauth_grants WHERE workspace_id = ?")
    .bind(account.workspace)
    .all();
  const grant = results[0] ?? {};
  const columns = Object.keys(grant);
  const statement = testEnv.DB.prepare(
    `INSERT INTO oauth_grants (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  // Ids sort by time: these are older than any.
  const old = (i: number) => `grant_${"0".repeat(24)}${i + 10}`;
  const copies = Array.from({ length: 49 }, (_, i) => statement.bind(...Object.values({ ...grant, id: old(i) })));
  await testEnv.DB.batch(copies);
  await codeFor(account, await register());
  const left = await testEnv.DB.prepare("SELECT id FROM oauth_grants WHERE user_id = ? ORDER BY id")
    .bind(userId)
    .all<{ id: string }>();
  expect(left.results).toHaveLength(50);
  expect(left.results[0]?.id).toBe(old(1));
  expect(await opened(first.access_token)).not.toBeNull();
});
