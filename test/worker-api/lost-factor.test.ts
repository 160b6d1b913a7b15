// What is left to a person who has lost their second factor and the recovery codes (docs/accounts.md, "If the factor is lost").
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import {
  challengeIn,
  forgetUsedCodes,
  type Protected,
  passSignIn,
  prove,
  showCode,
  signUpProtected,
} from "../support/factors.ts";
import { mailsTo } from "../support/mails.ts";
import { as, idOf, inviteTo, join } from "../support/members.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";

const pathOf = ({ workspace }: Account, user: string) => `/v1/workspaces/${workspace}/members/${user}/factors`;
const login = ({ email, password }: Account) => call("POST", "/v1/auth/login", { body: { email, password } });

/** Resets a member's factors on the word of an owner, who shows their own where it is asked for. */
async function reset(owner: Protected, user: string, of: Account = owner) {
  const send = () => call("DELETE", pathOf(of, user), { token: owner.session });
  const asked = await send();
  if (asked.body?.error !== "factor_required") return asked;
  await forgetUsedCodes(owner.factor);
  const code = await showCode(owner.factor);
  expect((await prove(owner.session, challengeIn(asked), { code })).status).toBe(204);
  return send();
}

async function withMember(role: "publisher" | "owner" = "publisher") {
  const [owner, lost] = [await signUpProtected(), await signUpProtected()];
  return { owner, lost, id: await join(owner, lost, role) };
}

const STANDS = { status: 401, body: { error: "factor_required" } };

describe("an owner resets the factor of a member:", () => {
  it("the member can then sign in with only the password, and all earlier sessions, applications, recovery codes and challenges are gone", async () => {
    const { owner, lost, id } = await withMember();
    const app = await tokensFor({ ...lost, workspace: owner.workspace }, await register());
    const before = challengeIn(await login(lost));
    expect((await reset(owner, id)).status).toBe(204);
    expect((await call("GET", "/v1/auth/me", { token: lost.session })).status).toBe(401);
    expect((await call("POST", "/mcp", { token: app.access_token, body: {} })).status).toBe(401);
    expect((await passSignIn(before, { recovery_code: lost.recoveryCodes[0] })).status).toBe(401);
    const again = await login(lost);
    expect(again.status).toBe(200);
    const factors = await call("GET", "/v1/auth/factors", { token: String(again.body.token) });
    expect(factors.body).toMatchObject({ factors: [], recovery_codes_left: 0 });
    const [mail] = (await mailsTo(lost.email, 2)).filter(({ subject }) => subject.includes("second factor"));
    expect(mail?.text).toContain(owner.email);
  });

  it("the member may also be an owner of the workspace", async () => {
    const { owner, lost, id } = await withMember("owner");
    expect((await reset(owner, id)).status).toBe(204);
    expect((await login(lost)).status).toBe(200);
  });

  it("the member cannot use a workspace that requires a factor until they set up a new one", async () => {
    const { owner, lost, id } = await withMember();
    const path = `/v1/workspaces/${owner.workspace}`;
    const demand = () => call("PATCH", path, { token: owner.session, body: { require_factor: true } });
    const code = await showCode(owner.factor);
    expect((await prove(owner.session, challengeIn(await demand()), { code })).status).toBe(204);
    expect((await demand()).status).toBe(200);
    expect((await reset(owner, id)).status).toBe(204);
    const session = String((await login(lost)).body.token);
    const read = await call("GET", "/v1/channels", as({ ...lost, session }, owner));
    expect(read).toMatchObject({ status: 403, body: { error: "factor_missing" } });
  });

  it("invitations to workspaces that the owner does not own are cancelled", async () => {
    const { owner, lost, id } = await withMember();
    const stranger = await signUp();
    await inviteTo(stranger, lost.email);
    const open = async () =>
      (
        await call<{ invitations: object[] }>("GET", `/v1/workspaces/${stranger.workspace}/members`, {
          token: stranger.session,
        })
      ).body.invitations.length;
    expect(await open()).toBe(1);
    expect((await reset(owner, id)).status).toBe(204);
    expect(await open()).toBe(0);
  });

  it("the audit log of the workspace records it", async () => {
    const { owner, id } = await withMember();
    await reset(owner, id);
    const log = await call("GET", `/v1/audit?act=member.factors_reset`, as(owner, owner));
    expect(log.body).toMatchObject({
      audit: [{ act: "member.factors_reset", target: { id }, actor: { id: await idOf(owner) } }],
    });
  });
});

describe("nothing is reset", () => {
  it("while the member belongs to a workspace that the owner does not own", async () => {
    const { owner, lost, id } = await withMember();
    const other = await signUpProtected();
    await join(other, lost, "publisher");
    for (const each of [owner, other]) {
      expect(await reset(each, id)).toMatchObject({ status: 409, body: { error: "factor_guards_more" } });
    }
    expect(await login(lost)).toMatchObject(STANDS);
    await call("DELETE", `/v1/workspaces/${other.workspace}/members/${id}`, { token: other.session });
    expect((await reset(owner, id)).status).toBe(204);
  });

  it("while the member uses a workspace of their own, which includes any workspace with another member", async () => {
    const { owner, lost, id } = await withMember();
    const channel = await connect(lost.key, "telegram");
    expect(await reset(owner, id)).toMatchObject({ status: 409, body: { error: "factor_guards_more" } });
    expect(await login(lost)).toMatchObject(STANDS);
    expect(channel.id).toBeDefined();
    const shares = await withMember();
    await join(shares.lost, await signUp(), "viewer");
    expect(await reset(shares.owner, shares.id)).toMatchObject({ status: 409, body: { error: "factor_guards_more" } });
  });

  it("by an owner who has no factor or does not present it", async () => {
    const [plain, lost] = [await signUp(), await signUpProtected()];
    const id = await join(plain, lost);
    const asked = await call("DELETE", pathOf(plain, id), { token: plain.session });
    expect(asked).toMatchObject({ status: 403, body: { error: "factor_missing" } });
    const { owner, lost: other, id: otherId } = await withMember();
    expect(await call("DELETE", pathOf(owner, otherId), { token: owner.session })).toMatchObject(STANDS);
    expect(await login(lost)).toMatchObject(STANDS);
    expect(await login(other)).toMatchObject(STANDS);
  });

  it("by a publisher, a stranger or a key, nor for oneself, a non-member or a member without a factor", async () => {
    const { owner, lost, id } = await withMember();
    const [publisher, stranger] = [await signUpProtected(), await signUpProtected()];
    const publisherId = await join(owner, publisher, "publisher");
    expect(await reset(publisher, id, owner)).toMatchObject({ status: 403, body: { error: "role_missing" } });
    expect(await reset(stranger, id, owner)).toMatchObject({ status: 403, body: { error: "not_a_member" } });
    expect(await call("DELETE", pathOf(owner, id), { token: owner.key })).toMatchObject({ status: 403 });
    expect(await reset(owner, await idOf(owner))).toMatchObject({ status: 422, body: { field: "/user" } });
    expect(await reset(owner, await idOf(stranger))).toMatchObject({ status: 404 });
    expect((await reset(owner, publisherId)).status).toBe(204);
    expect(await reset(owner, publisherId)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await login(lost)).toMatchObject(STANDS);
  });
});

it("lets an owner invite the person's other account and remove the old one", async () => {
  const [owner, lost, other] = [await signUp(), await signUpProtected(), await signUp()];
  const old = await join(owner, lost, "publisher");
  await join(owner, other, "publisher");
  const path = `/v1/workspaces/${owner.workspace}/members`;
  expect((await call("DELETE", `${path}/${old}`, { token: owner.session })).status).toBe(204);
  const read = (token: string) => call("GET", "/v1/channels", { token, headers: { "x-workspace": owner.workspace } });
  expect([(await read(lost.session)).status, (await read(other.session)).status]).toEqual([403, 200]);
});

it("the operator can remove the factor, after which the password is enough", async () => {
  const { email, password } = await signUpProtected();
  const signIn = () => call("POST", "/v1/auth/login", { body: { email, password } });
  expect(await signIn()).toMatchObject({ status: 401, body: { error: "factor_required" } });
  await testEnv.DB.prepare("DELETE FROM factors WHERE user_id IN (SELECT id FROM users WHERE email = ?)")
    .bind(email)
    .run();
  expect((await signIn()).status).toBe(200);
});
