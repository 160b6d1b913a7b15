// Pre-flight checks before a scheduled delivery: a delivery that would fail is reported while there is time to fix it,
// and nothing else happens.

import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import type { FollowUpTask, Job } from "../../src/domain/job.ts";
import { preflight } from "../../src/follow-up/preflight.ts";
import { type LookedAhead, lookAhead } from "../../src/maintenance/preflight-lookahead.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { makeFollowUpTools } from "../support/one-session.ts";
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
const getTimeInMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString();
const createContext = () => compose(testEnv, () => {});

const getRisks = async ({ key }: Account) =>
  (await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events?event=delivery.at_risk", { token: key })).body
    .events;
const runPreflight = ({ workspace }: Account, channel: string, id: string, minutes = 60, world = createContext()) =>
  preflight(
    makeFollowUpTools(world, openDatabase(testEnv.DB)),
    { workspaceId: workspace, lane: 0 },
    { kind: "preflight", channel, posts: [id], minutes },
  );

/** Schedules a post on a new channel of the network in `minutes` minutes. */
async function createPlanned(account: Account, platform = "telegram", minutes = 55, body: object = {}) {
  const channel = await connect(account.key, platform);
  const publish_at = getTimeInMinutes(minutes);
  const { id } = await post(account.key, { text: "later", channels: [channel.id], publish_at, ...body });
  return { channel, id, publish_at };
}

describe("a delivery at risk", () => {
  it("is reported once per check if its file is missing, in the feed and to webhooks that subscribe to the event", async () => {
    const account = await signUp();
    const [subscribedHook, otherHook] = [unique("hook"), unique("hook")];
    for (const [hook, body] of [
      [subscribedHook, { events: ["delivery.at_risk"] }],
      [otherHook, {}],
    ] as const) {
      const registered = { url: `${testEnv.RECEIVERS}/${hook}`, ...body };
      expect((await call("POST", "/v1/webhooks", { token: account.key, body: registered })).status).toBe(201);
    }
    const image = await uploadImage(account);
    const { channel, id, publish_at } = await createPlanned(account, "telegram", 55, { media: [image.id] });
    await runPreflight(account, channel.id, id);
    expect(await getRisks(account)).toEqual([]);

    await testEnv.MEDIA?.delete(`m/${account.workspace}/${image.id}`);
    for (const minutes of [60, 60, 10, 10]) await runPreflight(account, channel.id, id, minutes);
    const atRisk = await getRisks(account);
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
      const received: { body: string }[] = await (await fetch(`${testEnv.RECEIVERS}/_/${subscribedHook}`)).json();
      expect(received).toHaveLength(2);
    });
    expect(await (await fetch(`${testEnv.RECEIVERS}/_/${otherHook}`)).json()).toEqual([]);
    expect(await getPost(account.key, id)).toMatchObject({ status: "scheduled", deliveries: [{ status: "pending" }] });
    expect(await ledger(channel.handle)).toEqual([]);
  });

  it("is reported with the remedy if its credential expires before its time", async () => {
    const account = await signUp();
    const { channel, id } = await createPlanned(account);
    await testEnv.DB.prepare("UPDATE channels SET token_expires_at = ? WHERE id = ?")
      .bind(Date.now() + 30 * MINUTE, channel.id)
      .run();
    await runPreflight(account, channel.id, id);
    expect(await getRisks(account)).toMatchObject([{ error: "token_expired", action: "reconnect_required" }]);
  });

  it("is reported if the early renewal of its token shows that the network has ended the grant", async () => {
    const account = await signUp();
    const name = unique("ada");
    const credentials = {
      access_token: `access-for-${name}`,
      refresh_token: `refresh-for-${name}`,
      expires_at: getTimeInMinutes(120),
    };
    const body = { platform: "x", handle: `@${name}`, credentials };
    const { body: channel } = await call<{ id: string }>("POST", "/v1/channels", { token: account.key, body });
    const { id } = await post(account.key, {
      text: "later",
      channels: [channel.id],
      publish_at: getTimeInMinutes(240),
    });
    const token = { platform: "x", account: name, call: "oauth2/token" };
    await fault({ ...token, do: "status", status: 400, body: { error: "invalid_grant" } });
    const late = { ...createContext(), now: () => Date.now() + 3 * 60 * MINUTE };
    await runPreflight(account, channel.id, id, 60, late);
    expect(await getRisks(account)).toMatchObject([{ error: "token_revoked", action: "reconnect_required" }]);
  });

  it("is reported if the network asks us to leave it alone until after its time", async () => {
    const account = await signUp();
    const { channel, id } = await createPlanned(account);
    await testEnv.DB.prepare("UPDATE channels SET not_before = ? WHERE id = ?")
      .bind(Date.now() + 90 * MINUTE, channel.id)
      .run();
    await runPreflight(account, channel.id, id);
    expect(await getRisks(account)).toMatchObject([{ error: "network_quota", action: "wait" }]);
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
  ])("is reported if %s already says that its quota is used up", async (platform, callName, answer) => {
    const account = await signUp();
    const needs = {
      threads: {},
      instagram: { media: [(await uploadJpeg(account)).id] },
      tiktok: { media: [(await uploadJpeg(account)).id] },
    }[platform];
    const channel = await connect(account.key, platform);
    const overrides = platform === "tiktok" ? { [channel.id]: { privacy_level: "SELF_ONLY" } } : {};
    const plannedPost = {
      text: "later",
      channels: [channel.id],
      publish_at: getTimeInMinutes(55),
      overrides,
      ...needs,
    };
    const { id } = await post(account.key, plannedPost);
    await runPreflight(account, channel.id, id);
    expect(await getRisks(account)).toEqual([]);
    await fault({ platform, account: channel.handle, call: callName, do: "status", ...answer });
    await runPreflight(account, channel.id, id);
    expect(await getRisks(account)).toMatchObject([{ error: "network_quota", action: "wait" }]);
    // The checks published nothing.
    expect(await ledger(channel.handle)).toEqual([]);
  });

  it("is reported if TikTok says that the account may not publish it with these options", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "tiktok");
    const overrides = { [channel.id]: { privacy_level: "FOLLOWER_OF_CREATOR" } };
    const media = [(await uploadJpeg(account)).id];
    const { id } = await post(account.key, {
      media,
      channels: [channel.id],
      publish_at: getTimeInMinutes(55),
      overrides,
    });
    const data = { creator_username: "ada", privacy_level_options: ["SELF_ONLY"] };
    const body = { data, error: { code: "ok", message: "", log_id: "" } };
    const creator = { platform: "tiktok", account: channel.handle, call: "post/publish/creator_info/query" };
    await fault({ ...creator, do: "status", status: 200, body });
    await runPreflight(account, channel.id, id);
    expect(await getRisks(account)).toMatchObject([{ error: "content_refused", action: "edit_and_resend" }]);
  });

  it("is checked by the consumer of the queue", async () => {
    const account = await signUp();
    const { channel, id } = await createPlanned(account);
    await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });
    const { workspace } = account;
    await testEnv.QUEUE.send({ kind: "preflight", workspace, lane: 0, channel: channel.id, posts: [id], minutes: 10 });
    await eventually(async () =>
      expect(await getRisks(account)).toMatchObject([{ error: "channel_disconnected", action: "reconnect_required" }]),
    );
  });
});

describe("a delivery without risk", () => {
  it("is not reported after it was cancelled, or if it does not exist", async () => {
    const account = await signUp();
    const cancelled = await createPlanned(account);
    await call("DELETE", `/v1/channels/${cancelled.channel.id}`, { token: account.key });
    await call("DELETE", `/v1/posts/${cancelled.id}`, { token: account.key });
    await runPreflight(account, cancelled.channel.id, cancelled.id);
    await runPreflight(account, cancelled.channel.id, "post_nothing");
    expect(await getRisks(account)).toEqual([]);
  });
});

describe("the search for deliveries to check", () => {
  /** The tasks that are enqueued for a channel. */
  async function findTasks(channel: string, places: { lookedAhead?: LookedAhead } = {}): Promise<FollowUpTask[]> {
    const jobs: Job[] = [];
    const send = async (newJobs: Job[]) => void jobs.push(...newJobs);
    await lookAhead({ ...createContext(), queue: { send } }, createContext().accounts, places);
    return jobs.flatMap((job) =>
      job.kind === "follow_ups" ? job.tasks.filter((task) => task.channel === channel) : [],
    );
  }

  it("finds deliveries that are due in an hour and in ten minutes, once each", async () => {
    const account = await signUp();
    const dueInAnHour = await createPlanned(account, "telegram", 59.5);
    const places = {};
    expect(await findTasks(dueInAnHour.channel.id, places)).toMatchObject([{ posts: [dueInAnHour.id], minutes: 60 }]);
    expect(await findTasks(dueInAnHour.channel.id, places)).toEqual([]);
    const dueInTenMinutes = await createPlanned(account, "telegram", 9.5);
    expect(await findTasks(dueInTenMinutes.channel.id)).toMatchObject([{ posts: [dueInTenMinutes.id], minutes: 10 }]);
    // A channel with a time of its own is checked before that time, and the others before the post's.
    const early = await connect(account.key, "telegram");
    const late = await connect(account.key, "telegram");
    const [publish_at, ownTime] = [getTimeInMinutes(59.4), getTimeInMinutes(90)];
    const channels = [early.id, late.id];
    const { id } = await post(account.key, {
      text: "later",
      channels,
      publish_at,
      overrides: { [late.id]: { publish_at: ownTime } },
    });
    const seen: { lookedAhead?: LookedAhead } = {};
    expect(await findTasks(late.id, seen)).toEqual([]);
    expect(await findTasks(early.id)).toMatchObject([{ posts: [id], minutes: 60 }]);
    await testEnv.DB.prepare("UPDATE deliveries SET next_at = ? WHERE post_id = ? AND channel_id = ?")
      .bind((seen.lookedAhead?.[60]?.dueAt ?? 0) + 1, id, late.id)
      .run();
    await eventually(async () => expect(await findTasks(late.id, seen)).toMatchObject([{ posts: [id], minutes: 60 }]));
    expect(await findTasks(late.id, seen)).toEqual([]);
    const between = await createPlanned(account, "telegram", 30);
    expect(await findTasks(between.channel.id)).toEqual([]);
  });
});
