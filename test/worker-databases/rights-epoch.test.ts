// A call that ends rights in a workspace of another database is answered only after that database has the raised epoch
// (src/store/accounts/guarded-home.ts). rights.test.ts shows that no earlier call writes after that.
import { expect, it } from "vitest";
import * as z from "zod";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { SESSIONS_PER_USER_MAX } from "../../src/domain/limits.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { enterWithIdp } from "../../src/operations/accounts/enter-with-idp.ts";
import type { ActName } from "../support/acts-that-end-rights.ts";
import { callWith, contextWith, database, makeAway, signUpIn } from "../support/databases.ts";
import { testEnv } from "../support/env.ts";
import {
  challengeIn,
  forgetUsedCodes,
  passSignIn,
  protect,
  prove,
  showCode,
  signUpProtected,
} from "../support/factors.ts";
import { makeAccountKey, makeKey } from "../support/keys.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { join } from "../support/members.ts";
import { codeFor, exchangeFields, register, tokenCall, tokensFor } from "../support/oauth.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";

const HOME = 1;
type Act = () => Promise<{ status: number }>;

async function signInAgain({ email, password }: Account): Promise<string> {
  const { body } = await call<{ token: string }>("POST", "/v1/auth/login", { body: { email, password } });
  return body.token;
}

/** Gives a person the maximum number of sessions, so that their next one ends another. */
async function fillSessions({ session }: Account): Promise<void> {
  const numbers = JSON.stringify(Array.from({ length: SESSIONS_PER_USER_MAX }, (_, i) => i));
  await testEnv.DB.prepare(
    `INSERT INTO sessions (token_hash, user_id, created_at, last_seen_at, expires_at, id)
      SELECT token_hash || value, user_id, created_at, last_seen_at, expires_at, sessions.id || value
      FROM sessions CROSS JOIN json_each(?2) WHERE token_hash = ?1`,
  )
    .bind(await sha256Hex(session), numbers)
    .run();
}
const login = ({ email, password }: Account) => call("POST", "/v1/auth/login", { body: { email, password } });

/** Prepares a call that ends rights in the workspace of `owner`. */
const ACTS: Record<ActName, (owner: Account) => Promise<Act>> = {
  "revokes a key": async (owner) => {
    const { id } = await makeKey(owner, { scopes: SCOPES });
    return () => call("DELETE", `/v1/workspaces/${owner.workspace}/keys/${id}`, { token: owner.session });
  },
  "revokes an account key": async (owner) => {
    const { id } = await makeAccountKey(owner, ["connect"]);
    return () => call("DELETE", `/v1/auth/keys/${id}`, { token: owner.session });
  },
  "rotates the workspace's key": async (owner) => () =>
    call("POST", `/v1/workspaces/${owner.workspace}/key/rotate`, { token: owner.session }),
  "removes a member": async (owner) => {
    const path = `/v1/workspaces/${owner.workspace}/members/${await join(owner, await signUp(), "publisher")}`;
    return () => call("DELETE", path, { token: owner.session });
  },
  "makes a member a viewer": async (owner) => {
    const path = `/v1/workspaces/${owner.workspace}/members/${await join(owner, await signUp(), "publisher")}`;
    return () => call("PATCH", path, { token: owner.session, body: { role: "viewer" } });
  },
  "signs out": async (owner) => () => call("POST", "/v1/auth/logout", { token: owner.session }),
  "resets their password by mail": async (owner) => {
    await call("POST", "/v1/auth/forgot", { body: { email: owner.email } });
    const body = { token: tokenIn((await mailsTo(owner.email, 1))[0]), password: "a new password" };
    return () => call("POST", "/v1/auth/reset", { body });
  },
  "signs in with as many sessions as there may be": async (owner) => {
    await fillSessions(owner);
    return () => login(owner);
  },
  "signs in by a factor with as many sessions as there may be": async (owner) => {
    const { factor } = await protect(owner);
    await fillSessions(owner);
    const challenge = challengeIn(await login(owner));
    return async () => passSignIn(challenge, { code: await showCode(factor) });
  },
  "signs in by a sign-in provider with as many sessions as there may be": async (owner) => {
    const identity = { issuer: "https://idp.example", subject: unique("ada"), email: owner.email, name: null };
    const enter = async () => {
      const { token } = z.object({ token: z.string() }).parse(await enterWithIdp(contextWith(), identity, "UTC"));
      return { status: 200, token };
    };
    const { token } = await enter();
    await fillSessions({ ...owner, session: token });
    return enter;
  },
  "uses an application whose code is used twice": async (owner) => {
    const client = await register();
    const exchange = exchangeFields(client, await codeFor(owner, client));
    expect((await tokenCall(exchange)).status).toBe(200);
    return async () => {
      expect((await tokenCall(exchange)).status).toBe(400);
      return { status: 200 };
    };
  },
  "ends a session of their own": async (owner) => {
    const token = await signInAgain(owner);
    const { body } = await call<{ sessions: { id: string; current: boolean }[] }>("GET", "/v1/auth/sessions", {
      token,
    });
    const otherSession = body.sessions.find(({ current }) => !current) ?? expect.fail("one session only");
    return () => call("DELETE", `/v1/auth/sessions/${otherSession.id}`, { token });
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
    const secured = await protect(owner);
    const reset = () => call("DELETE", path, { token: secured.session });
    const code = await showCode(secured.factor);
    expect((await prove(secured.session, challengeIn(await reset()), { code })).status).toBe(204);
    await forgetUsedCodes(secured.factor);
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

it("rights end even if the workspace's database does not answer, and the sweeper raises its epoch later", async () => {
  const owner = await signUpIn(HOME);
  const { id, key } = await makeKey(owner, { scopes: SCOPES });
  const path = `/v1/workspaces/${owner.workspace}/keys/${id}`;
  expect((await callWith({ DB_1: makeAway(HOME) }, "DELETE", path, { token: owner.session })).status).toBe(204);
  expect((await call("GET", "/v1/usage", { token: key })).body).toMatchObject({ error: "key_revoked" });
  await sweep(contextWith());
  expect([await readEpoch(0, owner), await readEpoch(HOME, owner)]).toEqual([1, 1]);
});
