// An account that somebody made in advance with an address that is not theirs, and all that they left in it.
import { expect } from "vitest";
import { compose } from "../../src/compose.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { testEnv } from "./env.ts";
import { invitationToken, inviteTo, join } from "./members.ts";
import { fetchCrier, register, tokensFor } from "./oauth.ts";
import { type Account, call, connect, signUp, unique } from "./world.ts";

/** Signs up, or takes `maker`, and leaves a key, a member, a webhook, a channel, a connect link, a client app and their sessions. */
export async function prepareAccount(maker?: Account) {
  const [attacker, accomplice] = [maker ?? (await signUp()), await signUp()];
  const { key } = attacker;
  await join(attacker, accomplice);
  const invited = `${unique("late")}@example.com`;
  await inviteTo(attacker, invited, "owner");
  const invitation = await invitationToken(invited);
  await call("POST", "/v1/webhooks", {
    token: key,
    body: { url: "https://listener.example.com/hook", events: ["delivery.succeeded"] },
  });
  const channel = await connect(key, "bluesky");
  const link = await call<{ url: string }>("POST", "/v1/channels/connect", {
    token: key,
    body: { platform: "pinterest" },
  });
  const app = await tokensFor(attacker, await register());
  return { attacker, accomplice, channel, link: link.body.url, app, invitation };
}

/** Expects that nothing of it lets anybody in, publishes or listens any more; `session`: of who has the account now. */
export async function expectNothingLeft(
  { attacker, accomplice, link, app, invitation }: Awaited<ReturnType<typeof prepareAccount>>,
  session: string,
): Promise<void> {
  const { email, password, workspace, key } = attacker;
  const statusOf = async (...args: Parameters<typeof call>) => (await call(...args)).status;
  expect(await statusOf("GET", "/v1/auth/me", { token: attacker.session })).toBe(401);
  expect(await statusOf("POST", "/v1/auth/login", { body: { email, password } })).toBe(401);
  expect(await statusOf("GET", "/v1/workspace", { token: key })).toBe(401);
  expect(
    await openAccessToken(
      compose(testEnv, () => {}),
      app.access_token,
    ),
  ).toBeNull();
  const asMember = (account: Account) => ({ token: account.session, headers: { "x-workspace": workspace } });
  expect(await statusOf("GET", "/v1/channels", asMember(accomplice))).toBe(403);
  expect((await fetchCrier(new URL(link).pathname)).status).toBe(410);
  expect((await fetchCrier(`/invitation?token=${invitation}`)).status).toBe(410);

  const mine = { token: session, headers: { "x-workspace": workspace } };
  expect((await call("GET", "/v1/auth/me", { token: session })).body).toMatchObject({ user: { email_verified: true } });
  expect((await call("GET", "/v1/channels", mine)).body).toMatchObject({ channels: [] });
  expect((await call("GET", "/v1/webhooks", mine)).body).toMatchObject({ webhooks: [] });
  expect((await call("GET", `/v1/workspaces/${workspace}/members`, { token: session })).body).toMatchObject({
    members: [{ email }],
  });
}
