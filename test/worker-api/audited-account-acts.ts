// Causes each act of the audit log on accounts, members, keys and applications once, through the API.
import { expect } from "vitest";
import {
  type AppFactor,
  beginApp,
  challengeIn,
  protect,
  prove,
  showCode,
  signUpProtected,
} from "../support/factors.ts";
import { makeAccountKey, makeKey } from "../support/keys.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { getUserId, invitationToken, inviteTo, join } from "../support/members.ts";
import { authorizePath, consentOn, fetchCrier, register, send, tokensFor } from "../support/oauth.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { act, actorFor, byOwner, type Caused, inWorkspace, NO_TARGET, ORIGIN } from "./audited-acts.ts";
import { changeEmail, signUpVerified } from "./own-account.ts";

const toTarget = async (account: Account) => ({ id: await getUserId(account), name: "Ada" });

async function addMember(role: "viewer" | "publisher" = "viewer") {
  const [owner, member] = [await signUp(), await signUp()];
  return { owner, member, memberId: await join(owner, member, role) };
}
async function inviteMember() {
  const [owner, invited] = [await signUp(), await signUp()];
  const invitation = await inviteTo(owner, invited.email, "author");
  return { owner, invited, invitation, token: await invitationToken(invited.email) };
}

/** Makes a call for which the person first has to prove a factor. */
async function actWithFactor(
  owner: Account,
  factor: AppFactor,
  method: string,
  path: string,
  body: object | null = { password: owner.password },
): Promise<void> {
  const options = body === null ? {} : { body };
  const challenge = challengeIn(await call(method, path, { token: owner.session, ...options }));
  expect((await prove(owner.session, challenge, { code: await showCode(factor) })).status).toBe(204);
  await act(owner, method, path, body ?? undefined);
}

export const ACCOUNT_CAUSES = {
  "account.signed_in": byOwner(async (owner) => {
    const { email, password } = owner;
    const { status } = await call("POST", "/v1/auth/login", { body: { email, password }, headers: ORIGIN });
    expect(status).toBe(200);
    return { target: await toTarget(owner), details: { method: "password" } };
  }),
  "account.password_changed": byOwner(async (owner) => {
    await act(owner, "POST", "/v1/auth/password", { current: owner.password, password: "a better horse battery" });
    return { target: await toTarget(owner) };
  }),
  "account.email_changed": async () => {
    const owner = await signUpVerified();
    const email = `${unique("new")}@example.com`;
    await changeEmail(owner, email);
    await act(owner, "POST", "/v1/auth/verify", { token: tokenIn((await mailsTo(email, 1))[0]) });
    return { owner, actor: await actorFor(owner), target: await toTarget(owner) };
  },
  "account.factor_added": byOwner(async (owner) => {
    const { body: pendingApp } = await beginApp(owner.session, owner.password);
    await act(owner, "POST", `/v1/auth/factors/${pendingApp.id}/confirm`, { code: await showCode(pendingApp) });
    return { target: await toTarget(owner), details: { kind: "totp" } };
  }),
  "account.factor_removed": byOwner(async (owner) => {
    const { factor } = await protect(owner);
    await actWithFactor(owner, factor, "DELETE", `/v1/auth/factors/${factor.id}`);
    return { target: await toTarget(owner), details: { kind: "totp" } };
  }),
  "account.recovery_codes_renewed": byOwner(async (owner) => {
    const { factor } = await protect(owner);
    await actWithFactor(owner, factor, "POST", "/v1/auth/factors/recovery-codes");
    return { target: await toTarget(owner) };
  }),
  "account_key.created": byOwner(async (owner) => {
    const body = { name: "Our platform", scopes: ["read", "workspaces"], password: owner.password };
    const { id } = await act(owner, "POST", "/v1/auth/keys", body);
    return { target: await toTarget(owner), details: { key: id, name: "Our platform", scopes: "workspaces read" } };
  }),
  "account_key.revoked": byOwner(async (owner) => {
    const { id } = await makeAccountKey(owner, ["read"]);
    await act(owner, "DELETE", `/v1/auth/keys/${id}`);
    return { target: await toTarget(owner), details: { key: id } };
  }),
  "workspace.created": byOwner(async (owner) => {
    const name = unique("Second ");
    owner.workspace = (await act(owner, "POST", "/v1/workspaces", { name })).id;
    return { target: await toTarget(owner), details: { name } };
  }),
  "workspace.changed": byOwner(async (owner) => {
    await act(owner, "PATCH", inWorkspace(owner), { name: "Engines", approval: "authors" });
    return { target: NO_TARGET, details: { name: "Engines", approval: "authors" } };
  }),
  "workspace.emptied": async () => {
    const owner = await signUp();
    await call("POST", "/v1/auth/forgot", { body: { email: owner.email } });
    const [mail] = await mailsTo(owner.email, 1);
    const body = { token: tokenIn(mail), password: "a better horse battery" };
    const reset = await call<{ token: string }>("POST", "/v1/auth/reset", { body, headers: ORIGIN });
    owner.session = reset.body.token;
    return { owner, actor: await actorFor(owner), target: await toTarget(owner) };
  },
  "member.invited": byOwner(async (owner) => {
    const email = `${unique("guest")}@example.com`;
    await act(owner, "POST", `${inWorkspace(owner)}/members`, { email, role: "author" });
    return { target: { id: expect.stringMatching(/^inv_/), name: email }, details: { role: "author" } };
  }),
  "member.joined": async () => {
    const { owner, invited, invitation, token } = await inviteMember();
    await act(invited, "POST", `/v1/invitations/${invitation.id}/accept`, { token });
    const target = { id: invitation.id, name: invited.email };
    return { owner, actor: await actorFor(invited), target, details: { role: "author" } };
  },
  "member.role_changed": async () => {
    const { owner, memberId } = await addMember();
    await act(owner, "PATCH", `${inWorkspace(owner)}/members/${memberId}`, { role: "publisher" });
    const target = { id: memberId, name: "Ada" };
    return { owner, actor: await actorFor(owner), target, details: { role: "publisher" } };
  },
  "member.factors_reset": async () => {
    const [owner, lost] = [await signUpProtected(), await signUpProtected()];
    const memberId = await join(owner, lost);
    await actWithFactor(owner, owner.factor, "DELETE", `${inWorkspace(owner)}/members/${memberId}/factors`, null);
    return { owner, actor: await actorFor(owner), target: { id: memberId, name: "Ada" } };
  },
  "member.removed": async () => {
    const { owner, memberId } = await addMember();
    await act(owner, "DELETE", `${inWorkspace(owner)}/members/${memberId}`);
    return { owner, actor: await actorFor(owner), target: { id: memberId, name: "Ada" } };
  },
  "invitation.withdrawn": async () => {
    const { owner, invited, invitation } = await inviteMember();
    await act(owner, "DELETE", `${inWorkspace(owner)}/invitations/${invitation.id}`);
    return { owner, actor: await actorFor(owner), target: { id: invitation.id, name: invited.email } };
  },
  "invitation.declined": async () => {
    const { owner, invited, invitation, token } = await inviteMember();
    await act(invited, "POST", `/v1/invitations/${invitation.id}/decline`, { token });
    const target = { id: invitation.id, name: invited.email };
    return { owner, actor: await actorFor(invited), target, details: { role: "author" } };
  },
  "key.created": byOwner(async (owner) => {
    const body = { name: "The assistant", scopes: ["draft", "read"] };
    const { id } = await act(owner, "POST", `${inWorkspace(owner)}/keys`, body);
    return { target: { id, name: "The assistant" }, details: { scopes: "read draft" } };
  }),
  "key.changed": byOwner(async (owner) => {
    const { id, name } = await makeKey(owner, { scopes: ["read"] });
    await act(owner, "PATCH", `${inWorkspace(owner)}/keys/${id}`, { budget_usd: 5 });
    return { target: { id, name }, details: { budget_usd: "5" } };
  }),
  "key.revoked": byOwner(async (owner) => {
    const { id } = await makeKey(owner, { name: "The assistant", scopes: ["read"] });
    await act(owner, "DELETE", `${inWorkspace(owner)}/keys/${id}`);
    return { target: { id, name: "The assistant" } };
  }),
  "key.revealed": byOwner(async (owner) => {
    await act(owner, "GET", `${inWorkspace(owner)}/key`);
    return { target: { id: expect.stringMatching(/^key_/), name: null } };
  }),
  "key.rotated": byOwner(async (owner) => {
    await act(owner, "POST", `${inWorkspace(owner)}/key/rotate`);
    return { target: { id: expect.stringMatching(/^key_/), name: null } };
  }),
  "application.connected": byOwner(async (owner) => {
    const path = await authorizePath(await register({ client_name: "Assistant" }));
    const consent = await consentOn(path, owner.session);
    const form = { consent, workspace: owner.workspace, step: "allow" };
    const headers = { ...ORIGIN, "sec-fetch-site": "same-origin" };
    expect((await send(path, owner.session, form, headers, fetchCrier)).status).toBe(303);
    return { target: { id: expect.stringMatching(/^grant_/), name: "Assistant" } };
  }),
  "application.ended": byOwner(async (owner) => {
    await tokensFor(owner, await register({ client_name: "Assistant" }));
    const path = `${inWorkspace(owner)}/connections`;
    const { body } = await call<{ connections: { id: string }[] }>("GET", path, { token: owner.session });
    const id = body.connections[0]?.id;
    await act(owner, "DELETE", `${path}/${id}`);
    return { target: { id, name: "Assistant" } };
  }),
} satisfies Record<string, () => Promise<Caused>>;
