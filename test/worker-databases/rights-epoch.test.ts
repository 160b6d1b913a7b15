// An act that ends rights in a workspace of another database is answered once that database has the raised epoch
// (src/store/accounts/guarded-home.ts). rights.test.ts shows that no earlier call writes after that.
import { expect, it } from "vitest";
import { SCOPES } from "../../src/domain/roles.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { enterWithIdp } from "../../src/operations/accounts/enter-with-idp.ts";
import { away, callWith, contextWith, database, signUpIn } from "../support/databases.ts";
import { challengeIn, forgetUsedCodes, protect, prove, showCode, signUpProtected } from "../support/factors.ts";
import { makeKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { codeFor, exchangeOf, register, tokenCall, tokensFor } from "../support/oauth.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";

const HOME = 1;
type Act = () => Promise<{ status: number }>;

async function signInAgain({ email, password }: Account): Promise<string> {
  const { body } = await call<{ token: string }>("POST", "/v1/auth/login", { body: { email, password } });
  return body.token;
}

/** Prepares an act that ends somebody's rights in the workspace of `owner`. */
const ACTS: Record<string, (owner: Account) => Promise<Act>> = {
  "ends a session of their own": async (owner) => {
    const token = await signInAgain(owner);
    const { body } = await call<{ sessions: { id: string; current: boolean }[] }>("GET", "/v1/auth/sessions", {
      token,
    });
    const other = body.sessions.find(({ current }) => !current) ?? expect.fail("one session only");
    return () => call("DELETE", `/v1/auth/sessions/${other.id}`, { token });
  },
  "changes their password": async (owner) => {
    const token = await signInAgain(owner);
    const body = { current: owner.password, password: "a better horse battery" };
    return () => call("POST", "/v1/auth/password", { token, body });
  },
  "sets up their first factor": async (owner) => {
    const session = await signInAgain(owner);
    return async () => {
      await protect({ ...owner, session });
      return { status: 200 };
    };
  },
  "has their factor reset": async (owner) => {
    const member = await signUpProtected();
    const path = `/v1/workspaces/${owner.workspace}/members/${await join(owner, member, "publisher")}/factors`;
    const other = await protect(owner);
    const reset = () => call("DELETE", path, { token: other.session });
    const code = await showCode(other.factor);
    expect((await prove(other.session, challengeIn(await reset()), { code })).status).toBe(204);
    await forgetUsedCodes(other.factor);
    return reset;
  },
  "erases their account": async (owner) => {
    const member = await signUp();
    await join(owner, member, "publisher");
    return () => call("DELETE", "/v1/auth/me", { token: member.session, body: { password: member.password } });
  },
  "proves the address by a sign-in provider": async (owner) => {
    const identity = { issuer: "https://idp.example", subject: unique("ada"), email: owner.email, name: null };
    return async () => {
      expect(await enterWithIdp(contextWith(), identity, "UTC")).toMatchObject({ token: expect.any(String) });
      return { status: 200 };
    };
  },
  "disconnects an application": async (owner) => {
    await tokensFor(owner, await register());
    const path = `/v1/workspaces/${owner.workspace}/connections`;
    const { body } = await call<{ connections: { id: string }[] }>("GET", path, { token: owner.session });
    return () => call("DELETE", `${path}/${body.connections[0]?.id}`, { token: owner.session });
  },
  "connects an application again": async (owner) => {
    const client = await register();
    await tokensFor(owner, client);
    return async () => {
      await codeFor(owner, client);
      return { status: 200 };
    };
  },
  "uses an application that revokes its token": async (owner) => {
    const client = await register();
    const { refresh_token: token } = await tokensFor(owner, client);
    return () => tokenCall({ client_id: client.id, token }, {}, "/oauth/revoke");
  },
};

const readEpoch = (home: number, { workspace }: Account) =>
  database(home)
    .prepare("SELECT rights_epoch FROM workspaces WHERE id = ?")
    .bind(workspace)
    .first<number>("rights_epoch");

it.each(Object.entries(ACTS))("the workspace's database has the raised epoch once a person %s", async (_, prepare) => {
  const owner = await signUpIn(HOME);
  const act = await prepare(owner);
  const before = await readEpoch(0, owner);
  expect(await readEpoch(HOME, owner)).toBe(before);
  expect((await act()).status).toBeLessThan(300);
  const after = await readEpoch(0, owner);
  expect(after).toBeGreaterThan(before ?? 0);
  expect(await readEpoch(HOME, owner)).toBe(after);
});

it("the workspace's database has the raised epoch once a code was used twice", async () => {
  const owner = await signUpIn(HOME);
  const client = await register();
  const exchange = exchangeOf(client, await codeFor(owner, client));
  expect((await tokenCall(exchange)).status).toBe(200);
  expect((await tokenCall(exchange)).status).toBe(400);
  expect(await readEpoch(0, owner)).toBe(1);
  expect(await readEpoch(HOME, owner)).toBe(1);
});

it("rights end even if the workspace's database does not answer, and the sweeper raises its epoch later", async () => {
  const owner = await signUpIn(HOME);
  const { id, key } = await makeKey(owner, { scopes: SCOPES });
  const path = `/v1/workspaces/${owner.workspace}/keys/${id}`;
  expect((await callWith({ DB_1: away(HOME) }, "DELETE", path, { token: owner.session })).status).toBe(204);
  expect((await call("GET", "/v1/usage", { token: key })).body).toMatchObject({ error: "key_revoked" });
  await sweep(contextWith());
  expect([await readEpoch(0, owner), await readEpoch(HOME, owner)]).toEqual([1, 1]);
});
