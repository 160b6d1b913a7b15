// The ways back for a person who has lost their second factor and the recovery codes (docs/accounts.md, "If the factor
// is lost").
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
import { asMember, getUserId, inviteTo, join } from "../support/members.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";

const buildPath = ({ workspace }: Account, user: string) => `/v1/workspaces/${workspace}/members/${user}/factors`;
const login = ({ email, password }: Account) => call("POST", "/v1/auth/login", { body: { email, password } });

/** Resets a member's factors as an owner. The owner proves their own factor if it is required. */
async function reset(owner: Protected, user: string, workspaceOwner: Account = owner) {
  const send = () => call("DELETE", buildPath(workspaceOwner, user), { token: owner.session });
  const firstAnswer = await send();
  if (firstAnswer.body?.error !== "factor_required") return firstAnswer;
  await forgetUsedCodes(owner.factor);
  const code = await showCode(owner.factor);
  expect((await prove(owner.session, challengeIn(firstAnswer), { code })).status).toBe(204);
  return send();
}

async function addMember(role: "publisher" | "owner" = "publisher") {
  const [owner, lost] = [await signUpProtected(), await signUpProtected()];
  return { owner, lost, id: await join(owner, lost, role) };
}

const FACTOR_REQUIRED = { status: 401, body: { error: "factor_required" } };

describe("a reset of a member's factor by an owner", () => {
  it("after a reset, the password alone is enough, and all earlier sessions, applications, recovery codes and challenges have ended", async () => {
    const { owner, lost, id } = await addMember();
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

  it("a reset is possible for another owner of the workspace", async () => {
    const { owner, lost, id } = await addMember("owner");
    expect((await reset(owner, id)).status).toBe(204);
    expect((await login(lost)).status).toBe(200);
  });

  it("after a reset, the member cannot use a workspace that requires a factor until they set up a new one", async () => {
    const { owner, lost, id } = await addMember();
    const path = `/v1/workspaces/${owner.workspace}`;
    const demand = () => call("PATCH", path, { token: owner.session, body: { require_factor: true } });
    const code = await showCode(owner.factor);
    expect((await prove(owner.session, challengeIn(await demand()), { code })).status).toBe(204);
    expect((await demand()).status).toBe(200);
    expect((await reset(owner, id)).status).toBe(204);
    const session = String((await login(lost)).body.token);
    const read = await call("GET", "/v1/channels", asMember({ ...lost, session }, owner));
    expect(read).toMatchObject({ status: 403, body: { error: "factor_missing" } });
  });

  it("a reset cancels invitations to workspaces that the owner does not own", async () => {
    const { owner, lost, id } = await addMember();
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

  it("a reset is in the audit log of the workspace", async () => {
    const { owner, id } = await addMember();
    await reset(owner, id);
    const log = await call("GET", `/v1/audit?act=member.factors_reset`, asMember(owner, owner));
    expect(log.body).toMatchObject({
      audit: [{ act: "member.factors_reset", target: { id }, actor: { id: await getUserId(owner) } }],
    });
  });
});

describe("a refused reset", () => {
  it("no reset is possible while the member belongs to a workspace that the owner does not own", async () => {
    const { owner, lost, id } = await addMember();
    const otherOwner = await signUpProtected();
    await join(otherOwner, lost, "publisher");
    for (const each of [owner, otherOwner]) {
      expect(await reset(each, id)).toMatchObject({ status: 409, body: { error: "factor_guards_more" } });
    }
    expect(await login(lost)).toMatchObject(FACTOR_REQUIRED);
    await call("DELETE", `/v1/workspaces/${otherOwner.workspace}/members/${id}`, { token: otherOwner.session });
    expect((await reset(owner, id)).status).toBe(204);
  });

  it("no reset is possible while the member uses a workspace of their own, or has another member in it", async () => {
    const { owner, lost, id } = await addMember();
    const channel = await connect(lost.key, "telegram");
    expect(await reset(owner, id)).toMatchObject({ status: 409, body: { error: "factor_guards_more" } });
    expect(await login(lost)).toMatchObject(FACTOR_REQUIRED);
    expect(channel.id).toBeDefined();
    const shares = await addMember();
    await join(shares.lost, await signUp(), "viewer");
    expect(await reset(shares.owner, shares.id)).toMatchObject({ status: 409, body: { error: "factor_guards_more" } });
  });

  it("no reset is possible by an owner who has no factor or does not prove it", async () => {
    const [plain, lost] = [await signUp(), await signUpProtected()];
    const id = await join(plain, lost);
    const answer = await call("DELETE", buildPath(plain, id), { token: plain.session });
    expect(answer).toMatchObject({ status: 403, body: { error: "factor_missing" } });
    const { owner, lost: otherLost, id: otherId } = await addMember();
    expect(await call("DELETE", buildPath(owner, otherId), { token: owner.session })).toMatchObject(FACTOR_REQUIRED);
    expect(await login(lost)).toMatchObject(FACTOR_REQUIRED);
    expect(await login(otherLost)).toMatchObject(FACTOR_REQUIRED);
  });

  it("no reset is possible by a publisher, a stranger or a key, nor of oneself, a non-member or a member without a factor", async () => {
    const { owner, lost, id } = await addMember();
    const [publisher, stranger] = [await signUpProtected(), await signUpProtected()];
    const publisherId = await join(owner, publisher, "publisher");
    expect(await reset(publisher, id, owner)).toMatchObject({ status: 403, body: { error: "role_missing" } });
    expect(await reset(stranger, id, owner)).toMatchObject({ status: 403, body: { error: "not_a_member" } });
    expect(await call("DELETE", buildPath(owner, id), { token: owner.key })).toMatchObject({ status: 403 });
    expect(await reset(owner, await getUserId(owner))).toMatchObject({ status: 422, body: { field: "/user" } });
    expect(await reset(owner, await getUserId(stranger))).toMatchObject({ status: 404 });
    expect((await reset(owner, publisherId)).status).toBe(204);
    expect(await reset(owner, publisherId)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await login(lost)).toMatchObject(FACTOR_REQUIRED);
  });
});

it("an owner can invite the person's other account and remove the old one", async () => {
  const [owner, lost, newAccount] = [await signUp(), await signUpProtected(), await signUp()];
  const old = await join(owner, lost, "publisher");
  await join(owner, newAccount, "publisher");
  const path = `/v1/workspaces/${owner.workspace}/members`;
  expect((await call("DELETE", `${path}/${old}`, { token: owner.session })).status).toBe(204);
  const read = (token: string) => call("GET", "/v1/channels", { token, headers: { "x-workspace": owner.workspace } });
  expect([(await read(lost.session)).status, (await read(newAccount.session)).status]).toEqual([403, 200]);
});

it("the operator can remove the factor, and then the password is enough", async () => {
  const { email, password } = await signUpProtected();
  const signIn = () => call("POST", "/v1/auth/login", { body: { email, password } });
  expect(await signIn()).toMatchObject({ status: 401, body: { error: "factor_required" } });
  await testEnv.DB.prepare("DELETE FROM factors WHERE user_id IN (SELECT id FROM users WHERE email = ?)")
    .bind(email)
    .run();
  expect((await signIn()).status).toBe(200);
});
