// What is left to a person who has lost their second factor and the recovery codes (docs/accounts.md, "If the factor is lost").
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { signUpProtected } from "../support/factors.ts";
import { join } from "../support/members.ts";
import { call, signUp } from "../support/world.ts";

it("lets an owner invite the person's other account and remove the old one", async () => {
  const [owner, lost, other] = [await signUp(), await signUpProtected(), await signUp()];
  const old = await join(owner, lost, "publisher");
  await join(owner, other, "publisher");
  const path = `/v1/workspaces/${owner.workspace}/members`;
  expect((await call("DELETE", `${path}/${old}`, { token: owner.session })).status).toBe(204);
  const read = (token: string) => call("GET", "/v1/channels", { token, headers: { "x-workspace": owner.workspace } });
  expect([(await read(lost.session)).status, (await read(other.session)).status]).toEqual([403, 200]);
});

it("lets the operator take the factor away, after which the password is enough", async () => {
  const { email, password } = await signUpProtected();
  const signIn = () => call("POST", "/v1/auth/login", { body: { email, password } });
  expect(await signIn()).toMatchObject({ status: 401, body: { error: "factor_required" } });
  await testEnv.DB.prepare("DELETE FROM factors WHERE user_id IN (SELECT id FROM users WHERE email = ?)")
    .bind(email)
    .run();
  expect((await signIn()).status).toBe(200);
});
