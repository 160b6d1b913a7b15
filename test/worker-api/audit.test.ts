// The audit log has each act, with its actor, its target, and the address and program that it came from.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { compose } from "../../src/compose.ts";
import type { AuditEntry } from "../../src/contract/audit.ts";
import { AUDIT_ACT_NAMES, type AuditAct } from "../../src/domain/audit.ts";
import { AUDIT_KEPT_MS } from "../../src/domain/limits.ts";
import { sweepDatabase } from "../../src/maintenance/sweep.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { getUserId, join } from "../support/members.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";
import { ACCOUNT_CAUSES } from "./audited-account-acts.ts";
import { type Caused, ORIGIN, SECRET, TEXT } from "./audited-acts.ts";
import { WORKSPACE_CAUSES } from "./audited-workspace-acts.ts";

const CAUSES: Record<AuditAct, () => Promise<Caused>> = { ...ACCOUNT_CAUSES, ...WORKSPACE_CAUSES };
type Entry = z.output<typeof AuditEntry>;
type Page = { audit: Entry[]; next: string | null };
const get = (account: Account, query = "", workspace = account.workspace) =>
  call<Page>("GET", `/v1/audit${query}`, { token: account.session, headers: { "x-workspace": workspace } });
const read = async (account: Account, query = "") => {
  const answer = await get(account, query);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.audit;
};

describe("the audit log", () => {
  it.each(AUDIT_ACT_NAMES)(
    "the audit log has %s with its actor, its target, its address and its program",
    async (act: AuditAct) => {
      const { owner, actor, target, details = {} } = await CAUSES[act]();
      const [entry, ...otherEntries] = (await read(owner, `?act=${act}`)).filter(({ address }) => address !== null);
      expect(otherEntries).toEqual([]);
      expect(entry).toEqual({
        id: expect.stringMatching(/^aud_/),
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        act,
        actor,
        target,
        address: ORIGIN["cf-connecting-ip"],
        client: "audit-test/1.0",
        details,
      });
      const log = JSON.stringify(await read(owner));
      for (const secret of [SECRET, TEXT, owner.key, owner.session, owner.password]) expect(log).not.toContain(secret);
    },
  );

  it("the audit log lists account entries and workspace entries together, newest first, page by page", async () => {
    const owner = await signUp();
    for (let i = 0; i < 3; i++) {
      await connect(owner.key, "telegram");
      await makeKey(owner, { name: `key ${i}`, scopes: ["read"] });
    }
    const entries = await read(owner);
    expect(entries.map(({ act }) => act)).toEqual([
      ...["key.created", "channel.connected", "key.created", "channel.connected", "key.created", "channel.connected"],
      ...["key.revealed", "account.signed_in"],
    ]);
    const paged: Entry[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const { body }: { body: Page } = await get(owner, `?limit=3${next === "" ? "" : `&cursor=${next}`}`);
      expect(body.audit).toHaveLength(body.next === null ? 2 : 3);
      paged.push(...body.audit);
      next = body.next;
    }
    expect(paged).toEqual(entries);
  });

  it("the audit log can be filtered by action, actor, target and time", async () => {
    const [owner, member] = [await signUp(), await signUp()];
    const memberId = await join(owner, member, "owner");
    const { id } = await makeKey(owner, { name: "one", scopes: ["read"] });
    await makeKey({ ...member, workspace: owner.workspace }, { name: "other", scopes: ["read"] });
    expect(await read(owner, `?target=${id}`)).toMatchObject([{ act: "key.created", target: { name: "one" } }]);
    expect(await read(owner, `?actor=${memberId}`)).toMatchObject([
      { act: "key.created", target: { name: "other" } },
      { act: "member.joined" },
    ]);
    const [newest, before] = await read(owner);
    if (newest === undefined || before === undefined) throw new Error("there are entries");
    const to = `to=${encodeURIComponent(newest.at)}`;
    expect((await read(owner, `?${to}`)).some((entry) => entry.at >= newest.at)).toBe(false);
    expect((await read(owner, `?from=${encodeURIComponent(newest.at)}`)).map((entry) => entry.id)).toContain(newest.id);
    expect(await get(owner, "?act=post.read")).toMatchObject({ status: 422, body: { field: "/act" } });
    expect(await get(owner, "?from=yesterday")).toMatchObject({ status: 422, body: { field: "/from" } });
    expect(await get(owner, "?cursor=x")).toMatchObject({ status: 422, body: { error: "unreadable_cursor" } });
  });

  it("only owners of the workspace can read the audit log, and keys cannot", async () => {
    const [owner, publisher, stranger] = [await signUp(), await signUp(), await signUp()];
    await join(owner, publisher, "publisher");
    expect(await get(publisher, "", owner.workspace)).toMatchObject({ status: 403, body: { role: "owner" } });
    expect(await get(stranger, "", owner.workspace)).toMatchObject({ status: 403, body: { error: "not_a_member" } });
    for (const path of ["/v1/audit", "/v1/audit.csv"]) {
      expect(await call("GET", path, { token: owner.key })).toMatchObject({ status: 403 });
      expect(await call("GET", path)).toMatchObject({ status: 401 });
    }
    expect((await read(stranger)).every(({ actor }) => actor.name === "Ada")).toBe(true);
    const texts = JSON.stringify(await read(stranger));
    expect(texts).not.toContain(await getUserId(owner));
  });

  it("refused calls and calls without an effect leave no audit entry", async () => {
    const [owner, viewer] = [await signUp(), await signUp()];
    const viewerId = await join(owner, viewer, "viewer");
    const before = await read(owner);
    const asViewer = { token: viewer.session, headers: { "x-workspace": owner.workspace } };
    const path = `/v1/workspaces/${owner.workspace}`;
    const refused = [
      call("GET", `${path}/key`, asViewer),
      call("POST", `${path}/keys`, { ...asViewer, body: { name: "one", scopes: ["read"] } }),
      call("PATCH", `${path}/members/${viewerId}`, { ...asViewer, body: { role: "owner" } }),
      call("DELETE", `${path}/members/${await getUserId(owner)}`, { token: owner.session }),
      call("DELETE", `${path}/keys/key_01kac4cw4z8a4c0e7g3j8m2q6s`, { token: owner.session }),
      call("DELETE", "/v1/channels/ch_01kac41f6n9p4r0s7t8w2y3a5b", { token: owner.key }),
      call("DELETE", "/v1/webhooks/wh_01kac46q2v6x1z7b4d0f5h9j3m", { token: owner.key }),
      call("POST", "/v1/auth/login", { body: { email: owner.email, password: "not the password" } }),
      call("POST", "/v1/auth/password", { token: owner.session, body: { current: "x", password: "a better horse" } }),
    ];
    for (const answer of await Promise.all(refused)) expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await read(owner)).toEqual(before);
  });

  it("the audit log keeps the actions and sign-ins of members who have left", async () => {
    const [owner, member] = [await signUp(), await signUp()];
    const memberId = await join(owner, member, "owner");
    await call("POST", "/v1/auth/login", { body: { email: member.email, password: member.password } });
    const { key: _, id } = await makeKey({ ...member, workspace: owner.workspace }, { name: "one", scopes: ["read"] });
    await revoke({ ...owner }, id);
    expect((await call("DELETE", "/v1/auth/me", { token: member.session })).status).toBe(204);
    expect((await read(owner, `?actor=${memberId}`)).map(({ act, details }) => [act, details])).toEqual([
      ["member.removed", { reason: "account_erased" }],
      ["key.created", { scopes: "read" }],
      ["account.signed_in", { method: "password" }],
      ["member.joined", { role: "owner" }],
    ]);
  });

  it("the audit log records the new owner after an owner's account was erased: a named heir or the accepting member", async () => {
    const [owner, heir] = [await signUp(), await signUp()];
    const heirId = await join(owner, heir, "publisher");
    const body = { heirs: { [owner.workspace]: heirId } };
    expect((await call("DELETE", "/v1/auth/me", { token: owner.session, body })).status).toBe(204);
    const heirLog = await get(heir, "?act=member.role_changed", owner.workspace);
    expect(heirLog.body.audit).toMatchObject([{ target: { id: heirId }, details: { role: "owner" } }]);

    const [lastOwner, member] = [await signUp(), await signUp()];
    const memberId = await join(lastOwner, member, "publisher");
    expect((await call("DELETE", "/v1/auth/me", { token: lastOwner.session })).status).toBe(204);
    const path = `/v1/workspaces/${lastOwner.workspace}/ownership`;
    expect(await call("POST", path, { token: member.session })).toMatchObject({ status: 200 });
    const memberLog = await get(member, "?act=member.role_changed", lastOwner.workspace);
    expect(memberLog.body.audit).toMatchObject([{ actor: { id: memberId }, target: { id: memberId } }]);
  });

  it("the audit log is exported as CSV without formula cells", async () => {
    const owner = await signUp();
    await makeKey(owner, { name: '=HYPERLINK("https://evil.example")', scopes: ["read"] });
    const headers = { "x-workspace": owner.workspace };
    const { status, body } = await call<string>("GET", "/v1/audit.csv?act=key.created", {
      token: owner.session,
      headers,
    });
    expect(status).toBe(200);
    const [header, row] = String(body).split("\r\n");
    expect(header).toBe("id,at,act,actor_kind,actor_id,actor,target_id,target,address,client,details");
    expect(row).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  });

  it("the audit log is part of an owner's export and not of a key's", async () => {
    const owner = await signUp();
    const headers = { "x-workspace": owner.workspace };
    const kinds = async (token: string) => {
      const options = token === owner.session ? { token, headers } : { token };
      return (await call<{ type: string }[]>("GET", "/v1/export", options)).body.map(({ type }) => type);
    };
    expect((await kinds(owner.session)).filter((type) => type === "audit")).toHaveLength(2);
    expect(await kinds(owner.key)).not.toContain("audit");
  });

  it("audit entries are deleted after 400 days, except for views of the current workspace key", async () => {
    const [owner, member] = [await signUp(), await signUp()];
    const memberId = await join(owner, member, "owner");
    await call("GET", `/v1/workspaces/${owner.workspace}/key`, { token: member.session });
    await connect(owner.key, "telegram");
    for (const table of ["audit", "workspace_audit"]) {
      await testEnv.DB.prepare(`UPDATE ${table} SET at = at - ? WHERE workspace_id = ?`)
        .bind(AUDIT_KEPT_MS + 1, owner.workspace)
        .run();
    }
    expect(await read(owner)).toEqual([]);
    const ctx = compose(testEnv, () => {});
    await sweepDatabase(ctx, ctx.accounts, {});
    const count = (table: string) =>
      testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`).bind(owner.workspace).first("n");
    expect([await count("audit"), await count("workspace_audit")]).toEqual([2, 0]);
    const path = `/v1/workspaces/${owner.workspace}/members/${memberId}`;
    expect(await call("DELETE", path, { token: owner.session })).toMatchObject({ body: { key_seen: true } });
  });
});
