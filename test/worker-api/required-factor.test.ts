// A workspace that requires a second factor from its members.
import { expect, it } from "vitest";
import { challengeIn, protect, prove, signUpProtected } from "../support/factors.ts";
import { join } from "../support/members.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { type Account, call, signUp } from "../support/world.ts";

const setRequired = ({ session, workspace }: Account, isRequired: unknown) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { require_factor: isRequired } });
const read = (session: string, workspace: string) =>
  call("GET", "/v1/channels", { token: session, headers: { "x-workspace": workspace } });

async function makeStrictWorkspace() {
  const owner = await signUpProtected();
  const member = await signUp();
  await join(owner, member, "publisher");
  const app = await tokensFor({ ...member, workspace: owner.workspace }, await register());
  const challenged = await setRequired(owner, true);
  expect((await prove(owner.session, challengeIn(challenged), { recovery_code: owner.recoveryCodes[0] })).status).toBe(
    204,
  );
  expect(await setRequired(owner, true)).toMatchObject({ status: 200, body: { require_factor: true } });
  return { owner, member, app };
}

it("a member without a factor cannot use the workspace, but can read their account and set up a factor", async () => {
  const { owner, member } = await makeStrictWorkspace();
  const { workspace } = owner;
  expect(await read(member.session, workspace)).toMatchObject({
    status: 403,
    body: { error: "factor_missing", hint: expect.stringContaining("POST /v1/auth/factors") },
  });
  const post = {
    token: member.session,
    headers: { "x-workspace": workspace },
    body: { text: "x", channels: ["ch_1"] },
  };
  expect((await call("POST", "/v1/posts", post)).body).toMatchObject({ error: "factor_missing" });
  const path = `/v1/workspaces/${workspace}/members`;
  expect((await call("GET", path, { token: member.session })).body).toMatchObject({ error: "factor_missing" });
  const me = await call<{ workspaces: { id: string; require_factor: boolean }[] }>("GET", "/v1/auth/me", {
    token: member.session,
  });
  expect(me.body.workspaces.find(({ id }) => id === workspace)).toMatchObject({ require_factor: true });
  expect((await read(member.session, member.workspace)).status).toBe(200);
  expect((await read(owner.session, workspace)).status).toBe(200);
  expect((await call("GET", "/v1/channels", { token: owner.key })).status).toBe(200);

  const secured = await protect(member);
  expect((await read(secured.session, workspace)).status).toBe(200);
});

it("applications of a member without a factor are refused", async () => {
  const { member, app } = await makeStrictWorkspace();
  const asApp = () => call("POST", "/mcp", { token: app.access_token, body: {} });
  expect((await asApp()).status).toBe(401);
  await protect(member);
  expect((await asApp()).status).not.toBe(401);
});

it("only an owner who has a factor and proves it can require factors", async () => {
  const plain = await signUp();
  expect(await setRequired(plain, true)).toMatchObject({
    status: 403,
    body: { error: "factor_missing", field: "/require_factor" },
  });
  expect((await setRequired(plain, false)).status).toBe(200);
  expect(await setRequired(plain, "yes")).toMatchObject({ status: 422, body: { field: "/require_factor" } });
  const { owner, member } = await makeStrictWorkspace();
  const secured = await protect(member);
  const asMember = await setRequired({ ...secured, workspace: owner.workspace }, false);
  expect(asMember).toMatchObject({ status: 403, body: { error: "role_missing" } });
  challengeIn(await setRequired(owner, false));
});
