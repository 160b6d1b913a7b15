// If only a person can renew a credential, its owner is warned in time, through the event feed and webhooks.

import { expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { warnOfExpiry } from "../../../src/maintenance/warn-expiry.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { type ChannelBody, call, signUp, unique } from "../../support/world.ts";

const DAY = 86_400_000;
const warn = () => {
  const ctx = compose(testEnv, () => {});
  return warnOfExpiry(ctx, ctx.accounts);
};

/** Connects a channel whose credential expires in `days` days. */
async function connectExpiring(key: string, days: number): Promise<ChannelBody> {
  const account = unique("acct");
  const { status, body } = await call<ChannelBody>("POST", "/v1/channels", {
    token: key,
    body: {
      platform: "telegram",
      handle: `@${account}`,
      credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: `@${account}` },
      token_expires_at: new Date(Date.now() + days * DAY).toISOString(),
    },
  });
  expect(status).toBe(201);
  return body;
}
/** Moves a channel `days` days into the past. */
async function passDays({ id }: ChannelBody, days: number): Promise<void> {
  await testEnv.DB.prepare(
    "UPDATE channels SET warn_at = warn_at - ?1, token_expires_at = token_expires_at - ?1 WHERE id = ?2",
  )
    .bind(days * DAY, id)
    .run();
}
const getWarnings = async (key: string) =>
  (await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events?event=channel.token_expiring", { token: key }))
    .body.events;

it("reports an expiring credential a week and a day before, once each, and never afterwards", async () => {
  const { key, workspace } = await signUp();
  const hook = unique("hook");
  const body = { url: `${testEnv.RECEIVERS}/${hook}`, events: ["channel.token_expiring"] };
  expect((await call("POST", "/v1/webhooks", { token: key, body })).status).toBe(201);
  const channel = await connectExpiring(key, 9);
  await warn();
  expect(await getWarnings(key)).toEqual([]);

  await passDays(channel, 2.5);
  await Promise.all([warn(), warn()]);
  const [event, ...otherEvents] = await getWarnings(key);
  expect(otherEvents).toEqual([]);
  expect(event).toMatchObject({
    event: "channel.token_expiring",
    channel: channel.id,
    platform: "telegram",
    post: null,
    error: null,
    action: "reconnect_required",
  });
  await warn();
  expect(await getWarnings(key)).toHaveLength(1);

  await eventually(async () => {
    const received: { body: string }[] = await (await fetch(`${testEnv.RECEIVERS}/_/${hook}`)).json();
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        event: "channel.token_expiring",
        id: event?.id,
        created_at: event?.created_at,
        workspace,
        channel: channel.id,
        platform: "telegram",
        handle: channel.handle,
        token_expires_at: expect.stringMatching(/Z$/),
        action: "reconnect_required",
      },
    ]);
  });

  await passDays(channel, 6);
  await warn();
  await warn();
  expect(await getWarnings(key)).toHaveLength(2);
  await passDays(channel, 2);
  await warn();
  expect(await getWarnings(key)).toHaveLength(2);
});

it("resets the warnings when the channel is connected again", async () => {
  const { key } = await signUp();
  const channel = await connectExpiring(key, 8);
  const again = {
    platform: "telegram",
    handle: channel.handle,
    credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: channel.handle },
    token_expires_at: new Date(Date.now() + 60 * DAY).toISOString(),
  };
  expect((await call("POST", "/v1/channels", { token: key, body: again })).status).toBe(200);
  await passDays(channel, 5);
  await warn();
  expect(await getWarnings(key)).toEqual([]);
});

it("does not warn about a disconnected channel", async () => {
  const { key } = await signUp();
  const channel = await connectExpiring(key, 8);
  expect((await call("DELETE", `/v1/channels/${channel.id}`, { token: key })).status).toBe(204);
  await passDays(channel, 5);
  await warn();
  expect(await getWarnings(key)).toEqual([]);
});
