// An account that an attacker created in advance with the address of another person, and all that the attacker left in it.
import { expect } from "vitest";
import { compose } from "../../src/compose.ts";
import { defaultNotifications } from "../../src/domain/notification.ts";
import { sendAccountMail } from "../../src/maintenance/send-account-mail.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { CREDENTIALS } from "./credentials.ts";
import { tomorrow } from "./dates.ts";
import { testEnv } from "./env.ts";
import { brokenInvariants } from "./invariants.ts";
import { mailsTo, tokenIn } from "./mails.ts";
import { getUserId, invitationToken, inviteTo, join } from "./members.ts";
import { fetchCrier, register, tokensFor } from "./oauth.ts";
import { type Account, call, connect, type PostBody, signUp, unique } from "./world.ts";

/**
 * Signs up the attacker, or uses `maker`, and leaves a key, a member, a webhook, a channel, a connect link, a client app with sessions,
 * a change of the address, a scheduled post, a post that waits for approval with its review link, and settings.
 */
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
  const planted = await plantPosts(attacker, channel.id);
  const change = await plantChange(attacker);
  return { attacker, accomplice, channel, link: link.body.url, app, invitation, change, ...planted };
}

/** Plants a scheduled post, a post that waits for approval, its review link, and settings that hide both. */
async function plantPosts({ key, session, workspace }: Account, channel: string) {
  const body = { channels: [channel], publish_at: tomorrow() };
  const queue = (text: string) => call<PostBody>("POST", "/v1/posts", { token: key, body: { ...body, text } });
  const scheduled = await queue("planted");
  expect(scheduled).toMatchObject({ status: 201, body: { status: "scheduled" } });
  const asOwner = { token: session, headers: { "x-workspace": workspace } };
  const approval = { token: session, body: { approval: "all" } };
  expect((await call("PATCH", `/v1/workspaces/${workspace}`, approval)).status).toBe(200);
  const clock = { ...asOwner, body: { timezone: "Asia/Tokyo" } };
  expect((await call("PATCH", "/v1/workspace", clock)).status).toBe(200);
  const mails = { delivery_failed: false, delivery_at_risk: true, token_expiring: false, approval_requested: true };
  expect((await call("PUT", "/v1/notifications", { ...asOwner, body: mails })).status).toBe(200);
  const waiting = await queue("planted, to be approved");
  expect(waiting).toMatchObject({ status: 201, body: { status: "awaiting_approval" } });
  const review = await call<{ url: string }>("POST", `/v1/posts/${waiting.body.id}/review-link`, { token: key });
  expect(review.status).toBe(201);
  return { posts: [scheduled.body.id, waiting.body.id], review: review.body.url };
}

/** Starts a change of the account's address to one of the attacker, and returns its token. */
async function plantChange(account: Account): Promise<string> {
  const email = `${unique("planted")}@example.com`;
  const ctx = compose(testEnv, () => {});
  await sendAccountMail(ctx, { kind: "account_mail", about: "change", user: await getUserId(account), email });
  return tokenIn((await mailsTo(email, 1))[0]);
}

/** Expects that nothing the attacker left gives access, publishes or listens. `session` belongs to the account's new owner. */
export async function expectNothingLeft(
  {
    attacker,
    accomplice,
    channel,
    link,
    app,
    invitation,
    change,
    posts,
    review,
  }: Awaited<ReturnType<typeof prepareAccount>>,
  session: string,
): Promise<void> {
  const { email, password, workspace, key } = attacker;
  const readStatus = async (...args: Parameters<typeof call>) => (await call(...args)).status;
  expect(await readStatus("GET", "/v1/auth/me", { token: attacker.session })).toBe(401);
  expect(await readStatus("POST", "/v1/auth/login", { body: { email, password } })).toBe(401);
  expect(await readStatus("GET", "/v1/workspace", { token: key })).toBe(401);
  expect(
    await openAccessToken(
      compose(testEnv, () => {}),
      app.access_token,
    ),
  ).toBeNull();
  const asMember = (account: Account) => ({ token: account.session, headers: { "x-workspace": workspace } });
  expect(await readStatus("GET", "/v1/channels", asMember(accomplice))).toBe(403);
  expect((await fetchCrier(new URL(link).pathname)).status).toBe(410);
  expect((await fetchCrier(`/invitation?token=${invitation}`)).status).toBe(410);

  const mine = { token: session, headers: { "x-workspace": workspace } };
  expect((await call("GET", "/v1/auth/me", { token: session })).body).toMatchObject({ user: { email_verified: true } });
  expect((await call("GET", "/v1/channels", mine)).body).toMatchObject({ channels: [] });
  expect((await call("GET", "/v1/webhooks", mine)).body).toMatchObject({ webhooks: [] });
  expect((await call("GET", `/v1/workspaces/${workspace}/members`, { token: session })).body).toMatchObject({
    members: [{ email }],
  });

  const verify = { token: session, body: { token: change } };
  expect(await call("POST", "/v1/auth/verify", verify)).toMatchObject({
    status: 422,
    body: { error: "verify_link_invalid" },
  });
  expect((await fetchCrier(new URL(review).pathname)).status).toBe(410);
  expect((await call("GET", "/v1/workspace", mine)).body).toMatchObject({ approval: "none", timezone: "UTC" });
  expect((await call("GET", "/v1/notifications", mine)).body).toMatchObject(defaultNotifications("owner"));
  const isDraft = { status: "draft", deliveries: [], approval: null };
  for (const id of posts) expect((await call("GET", `/v1/posts/${id}`, mine)).body).toMatchObject(isDraft);
  // The posts stay drafts even after the new owner has connected the same account of the network.
  const body = { platform: "bluesky", ...CREDENTIALS.bluesky?.(channel.handle.replace(".bsky.social", "")) };
  expect(await call("POST", "/v1/channels", { ...mine, body })).toMatchObject({ body: { id: channel.id } });
  for (const id of posts) expect((await call("GET", `/v1/posts/${id}`, mine)).body).toMatchObject(isDraft);
  expect((await call("GET", "/v1/usage", mine)).body).toMatchObject({ posts: { used: 0 } });
  expect(await brokenInvariants(workspace)).toEqual([]);
}
