// Before a scheduled delivery: what would make it fail is told while there is time to mend it, and nothing else happens.

import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import type { FollowUpTask, Job } from "../../src/domain/job.ts";
import { preflight } from "../../src/follow-up/preflight.ts";
import { type LookedAhead, lookAhead } from "../../src/maintenance/preflight-lookahead.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { toolsOf } from "../support/one-session.ts";
import {
  type Account,
  call,
  connect,
  fault,
  getPost,
  ledger,
  post,
  signUp,
  unique,
  uploadImage,
  uploadJpeg,
} from "../support/world.ts";

const MINUTE = 60_000;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString();
const ctx = () => compose(testEnv, () => {});

const risks = async ({ key }: Account) =>
  (await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events?event=delivery.at_risk", { token: key })).body
    .events;
const runPreflight = ({ workspace }: Account, channel: string, id: string, minutes = 60, world = ctx()) =>
  preflight(
    toolsOf(world, openDatabase(testEnv.DB)),
    { workspaceId: workspace, lane: 0 },
    { kind: "preflight", channel, posts: [id], minutes },
  );

/** A post on a network in so many minutes. */
async function planned(account: Account, platform = "telegram", minutes = 55, body: object = {}) {
  const channel = await connect(account.key, platform);
  const publish_at = inMinutes(minutes);
  const { id } = await post(account.key, { text: "later", channels: [channel.id], publish_at, ...body });
  return { channel, id, publish_at };
}

describe("a delivery that would fail", () => {
  it("for its file is gone: is an event once for each lead, in the feed and for endpoints that name it", async () => {
    const account = await signUp();
    const [asked, other] = [unique("hook"), unique("hook")];
    for (const [hook, body] of [
      [asked, { events: ["delivery.at_risk"] }],
      [other, {}],
    ] as const) {
      const registered = { url: `${testEnv.RECEIVERS}/${hook}`, ...body };
      expect((await call("POST", "/v1/webhooks", { token: account.key, body: registered })).status).toBe(201);
    }
    const image = await uploadImage(account);
    const { channel, id, publish_at } = await planned(account, "telegram", 55, { media: [image.id] });
    await runPreflight(account, channel.id, id);
    expect(await risks(account)).toEqual([]);

    await testEnv.MEDIA?.delete(`m/${account.workspace}/${image.id}`);
    for (const minutes of [60, 60, 10, 10]) await runPreflight(account, channel.id, id, minutes);
    const atRisk = await risks(account);
    expect(atRisk).toHaveLength(2);
    expect(atRisk[0]).toMatchObject({
      event: "delivery.at_risk",
      post: id,
      channel: channel.id,
      error: "media_missing",
      action: "upload_media_again",
      next_attempt_at: publish_at,
    });
    await eventually(async () => {
      const received: { body: string }[] = await (await fetch(`${testEnv.RECEIVERS}/_/${asked}`)).json();
      expect(received).toHaveLength(2);
    });
    expect(await (await fetch(`${testEnv.RECEIVERS}/_/${other}`)).json()).toEqual([]);
    expect(await getPost(account.key, id)).toMatchObject({ status: "scheduled", deliveries: [{ status: "pending" }] });
    expect(await ledger(channel.handle)).toEqual([]);
  });

  it("for its credential ends before: is an event with the way out", async () => {
    const account = await signUp();
    const { channel, id } = await planned(account);
    await testEnv.DB.prepare("UPDATE channels SET token_expires_at = ? WHERE id = ?")
      .bind(Date.now() + 30 * MINUTE, channel.id)
      .run();
    await runPreflight(account, channel.id, id);
    expect(await risks(account)).toMatchObject([{ error: "token_expired", action: "reconnect_required" }]);
  });

  it("for the network has ended its grant: that is found out when the token is renewed ahead", async () => {
    const account = await signUp();
    const name = unique("ada");
    const credentials = {
      access_token: `access-for-${name}`,
      refresh_token: `refresh-for-${name}`,
      expires_at: inMinutes(120),
    };
    const body = { platform: "x", handle: `@${name}`, credentials };
    const { body: channel } = await call<{ id: string }>("POST", "/v1/channels", { token: account.key, body });
    const { id } = await post(account.key, { text: "later", channels: [channel.id], publish_at: inMinutes(240) });
    const token = { platform: "x", account: name, call: "oauth2/token" };
    await fault({ ...token, do: "status", status: 400, body: { error: "invalid_grant" } });
    const late = { ...ctx(), now: () => Date.now() + 3 * 60 * MINUTE };
    await runPreflight(account, channel.id, id, 60, late);
    expect(await risks(account)).toMatchObject([{ error: "token_revoked", action: "reconnect_required" }]);
  });

  it("for the network wants to be left alone until later: is an event", async () => {
    const account = await signUp();
    const { channel, id } = await planned(account);
    await testEnv.DB.prepare("UPDATE channels SET not_before = ? WHERE id = ?")
      .bind(Date.now() + 90 * MINUTE, channel.id)
      .run();
    await runPreflight(account, channel.id, id);
    expect(await risks(account)).toMatchObject([{ error: "network_quota", action: "wait" }]);
  });

  it.each([
    [
      "threads",
      "threads_publishing_limit",
      { body: { data: [{ quota_usage: 250, config: { quota_total: 250 } }] }, status: 200 },
    ],
    [
      "instagram",
      "content_publishing_limit",
      { body: { data: [{ quota_usage: 50, config: { quota_total: 50 } }] }, status: 200 },
    ],
    [
      "tiktok",
      "post/publish/creator_info/query",
      {
        body: { data: {}, error: { code: "spam_risk_too_many_posts", message: "The daily cap.", log_id: "" } },
        status: 200,
      },
    ],
  ])("for its quota is used up on %s, which says so ahead: is an event", async (platform, on, answer) => {
    const account = await signUp();
    const needs = {
      threads: {},
      instagram: { media: [(await uploadJpeg(account)).id] },
      tiktok: { media: [(await uploadJpeg(account)).id] },
    }[platform];
    const channel = await connect(account.key, platform);
    const overrides = platform === "tiktok" ? { [channel.id]: { privacy_level: "SELF_ONLY" } } : {};
    const planned = { text: "later", channels: [channel.id], publish_at: inMinutes(55), overrides, ...needs };
    const { id } = await post(account.key, planned);
    await runPreflight(account, channel.id, id);
    expect(await risks(account)).toEqual([]);
    await fault({ platform, account: channel.handle, call: on, do: "status", ...answer });
    await runPreflight(account, channel.id, id);
    expect(await risks(account)).toMatchObject([{ error: "network_quota", action: "wait" }]);
    // Nothing was made for it.
    expect(await ledger(channel.handle)).toEqual([]);
  });

  it("for the account may not post it as things are: TikTok says that ahead", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const overrides = { [channel.id]: { privacy_level: "FOLLOWER_OF_CREATOR" } };
    const media = [(await uploadJpeg(account)).id];
    const { id } = await post(account.key, { media, channels: [channel.id], publish_at: inMinutes(55), overrides });
    const data = { creator_username: "ada", privacy_level_options: ["SELF_ONLY"] };
    const body = { data, error: { code: "ok", message: "", log_id: "" } };
    const creator = { platform: "tiktok", account: channel.handle, call: "post/publish/creator_info/query" };
    await fault({ ...creator, do: "status", status: 200, body });
    await runPreflight(account, channel.id, id);
    expect(await risks(account)).toMatchObject([{ error: "content_refused", action: "edit_and_resend" }]);
  });

  it("is checked by the consumer that takes the message from the queue", async () => {
    const account = await signUp();
    const { channel, id } = await planned(account);
    await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });
    const { workspace } = account;
    await testEnv.QUEUE.send({ kind: "preflight", workspace, lane: 0, channel: channel.id, posts: [id], minutes: 10 });
    await eventually(async () =>
      expect(await risks(account)).toMatchObject([{ error: "channel_disconnected", action: "reconnect_required" }]),
    );
  });
});

describe("there is no event", () => {
  it("of a delivery that is cancelled, out, or due", async () => {
    const account = await signUp();
    const one = await planned(account);
    await call("DELETE", `/v1/channels/${one.channel.id}`, { token: account.key });
    await call("DELETE", `/v1/posts/${one.id}`, { token: account.key });
    await runPreflight(account, one.channel.id, one.id);
    await runPreflight(account, one.channel.id, "post_nothing");
    expect(await risks(account)).toEqual([]);
  });
});

describe("looking ahead", () => {
  /** What is put onto the queue for a channel. */
  async function tasksFor(channel: string, places: { lookedAhead?: LookedAhead } = {}): Promise<FollowUpTask[]> {
    const jobs: Job[] = [];
    const send = async (all: Job[]) => void jobs.push(...all);
    await lookAhead({ ...ctx(), queue: { send } }, ctx().accounts, places);
    return jobs.flatMap((job) =>
      job.kind === "follow_ups" ? job.tasks.filter((task) => task.channel === channel) : [],
    );
  }

  it("finds what comes due in an hour and in ten minutes, once", async () => {
    const account = await signUp();
    const hour = await planned(account, "telegram", 59.5);
    const places = {};
    expect(await tasksFor(hour.channel.id, places)).toMatchObject([{ posts: [hour.id], minutes: 60 }]);
    expect(await tasksFor(hour.channel.id, places)).toEqual([]);
    const soon = await planned(account, "telegram", 9.5);
    expect(await tasksFor(soon.channel.id)).toMatchObject([{ posts: [soon.id], minutes: 10 }]);
    const between = await planned(account, "telegram", 30);
    expect(await tasksFor(between.channel.id)).toEqual([]);
  });
});
