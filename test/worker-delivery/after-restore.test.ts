// The database is restored to the minute before a post was published (docs/operations.md): the post is not sent again.
import { describe, expect, it } from "vitest";
import { check } from "../support/after.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, finishedInTime, MINUTE_MS } from "../support/machine.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import {
  type Account,
  connect,
  fault,
  getPost,
  ledger,
  PLATFORMS,
  post,
  requiredOverrides,
  signUp,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";
import { holdBack, savePost } from "./restore.ts";

const FILES: Record<string, (account: Account) => Promise<{ id: string }>> = {
  instagram: (account) => uploadJpeg(account, { width: 400, height: 400 }),
  pinterest: (account) => uploadJpeg(account, { width: 400, height: 400 }),
  youtube: (account) => uploadVideo(account, 4_096),
  tiktok: (account) => uploadVideo(account, 4_096),
};
const OPTIONS: Record<string, object> = {
  youtube: { title: "Film", made_for_kids: false },
  tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" },
};

/** Publishes a post, and restores the database to the minute before. */
async function publishAndRestore(platform: string) {
  const account = await signUp();
  const { key, workspace } = account;
  const channel = await connect(key, platform);
  const file = FILES[platform];
  const media = file === undefined ? [] : [(await file(account)).id];
  const options = OPTIONS[platform];
  const overrides = options === undefined ? requiredOverrides([channel]) : { [channel.id]: options };
  const text = `restored on ${platform}`;
  const { id } = await post(key, { text, channels: [channel.id], overrides, publish_at: tomorrow(), media });
  await age(id, DAY_MS + 1_000);
  const setBack = await savePost(workspace, id);
  const publish = async () => (await ownPublisher(workspace, channel.id)).work();
  const finishedPost = await finishedInTime(workspace, key, id, publish);
  expect(finishedPost.status).toBe("published");
  expect(await ledger(channel.handle)).toHaveLength(1);
  await setBack();
  expect((await getPost(key, id)).status).toBe("queued");
  const finish = () => finishedInTime(workspace, key, id, publish);
  return { workspace, channel, id, finish };
}

describe.each(PLATFORMS)("a post that was live on %s before the database was restored", (platform) => {
  it("reconciles the post and never sends it again", async () => {
    const { workspace, channel, finish } = await publishAndRestore(platform);
    await holdBack(Date.now());
    const finishedPost = await finish();
    expect(await ledger(channel.handle)).toHaveLength(1);
    const [delivery] = finishedPost.deliveries;
    if (delivery?.status !== "live") expect(delivery).toMatchObject({ status: "failed", error: "outcome_unknown" });
    expect(await brokenInvariants(workspace)).toEqual([]);
  });
});

it("would publish the post twice without that protection", async () => {
  const { channel, finish } = await publishAndRestore("telegram");
  await finish();
  expect(await ledger(channel.handle)).toHaveLength(2);
});

it("does not repeat a comment and a thumbnail that were made after the restored minute", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const [thumbnail, film] = [await uploadJpeg(account), await uploadVideo(account, 4_096)];
  const options = { ...OPTIONS.youtube, first_comment: "once", thumbnail_media: thumbnail.id };
  const body = { text: "film", media: [film.id], channels: [channel.id], overrides: { [channel.id]: options } };
  const { id } = await post(account.key, body);
  const countFollowUps = async () => {
    const entries = await ledger(channel.handle);
    const comments = entries.filter(({ detail }) => detail.comment_on !== undefined);
    return [comments.length, entries.flatMap(({ detail }) => detail.thumbnails ?? []).length];
  };
  await eventually(async () => expect((await getPost(account.key, id)).deliveries[0]?.first_comment).toBe("posted"));
  expect(await countFollowUps()).toEqual([1, 1]);
  await testEnv.DB.prepare("UPDATE follow_ups SET state = 'due' WHERE post_id = ?").bind(id).run();
  await holdBack(Date.now());
  const { deliveries } = await check(account.key, id);
  expect(deliveries[0]).toMatchObject({
    status: "live",
    first_comment: "unknown",
    additions: { thumbnail_media: "unknown" },
  });
  expect(await countFollowUps()).toEqual([1, 1]);
});

describe("the comment and thumbnail of a post that is found live only after the restore", () => {
  it.each(["staged", "reconciling", "outcome_unknown"])(
    "does not repeat them if the delivery was %s",
    async (state) => {
      const account = await signUp();
      const { key, workspace } = account;
      const channel = await connect(key, "youtube");
      const [thumbnail, film] = [await uploadJpeg(account), await uploadVideo(account, 4_096)];
      const options = { ...OPTIONS.youtube, first_comment: "once", thumbnail_media: thumbnail.id };
      const body = { text: "film", media: [film.id], channels: [channel.id], overrides: { [channel.id]: options } };
      const { id } = await post(key, { ...body, publish_at: tomorrow() });
      await age(id, DAY_MS + 1_000);
      const setBack = await savePost(workspace, id);
      const publish = async () => (await ownPublisher(workspace, channel.id)).work();
      await finishedInTime(workspace, key, id, publish);
      for (let i = 0; i < 3; i++) await check(key, id);
      const countFollowUps = async () => {
        const entries = await ledger(channel.handle);
        const comments = entries.filter(({ detail }) => detail.comment_on !== undefined);
        return [comments.length, entries.flatMap(({ detail }) => detail.thumbnails ?? []).length];
      };
      expect(await countFollowUps()).toEqual([1, 1]);
      const row = await testEnv.DB.prepare("SELECT publish_key, sends FROM deliveries WHERE post_id = ?")
        .bind(id)
        .first();
      await setBack();
      const hasOpenSend = state === "staged" ? 0 : 1;
      await testEnv.DB.prepare(
        `UPDATE deliveries SET state = ?1, publish_key = ?2, has_open_send = ?3,
        sends = CASE ?3 WHEN 1 THEN json_replace(?4, '$[0].sent_at', scheduled_for) ELSE sends END, started_at = scheduled_for, next_at = CASE ?1 WHEN 'outcome_unknown' THEN NULL ELSE next_at END,
        check_at = CASE ?1 WHEN 'outcome_unknown' THEN 0 END WHERE post_id = ?5`,
      )
        .bind(state, row?.publish_key, hasOpenSend, row?.sends, id)
        .run();
      await holdBack(Date.now());
      if (state === "outcome_unknown") await check(key, id);
      else await finishedInTime(workspace, key, id, publish);
      for (let i = 0; i < 3; i++) await check(key, id);
      expect((await getPost(key, id)).deliveries[0]).toMatchObject({
        status: "live",
        first_comment: "unknown",
        additions: { thumbnail_media: "unknown" },
      });
      expect(await countFollowUps()).toEqual([1, 1]);
      expect(await brokenInvariants(workspace)).toEqual([]);
    },
  );
});

describe("a post that went live under another publish key than it had at the restored minute", () => {
  it.each(["unused", "expired"])("is not sent again if the first publish key is %s", async (first) => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "threads");
    const target = { platform: "threads", account: channel.handle };
    const body = { error: { message: "Application request limit reached", type: "OAuthException", code: 4 } };
    await fault({ ...target, call: "threads_publish", do: "status", status: 429, body });
    const { id } = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS + 1_000);
    const publish = async () => (await ownPublisher(workspace, channel.id)).work();
    const status = async () => (await getPost(key, id)).deliveries[0]?.status;
    for (let i = 0; i < 4 && (await status()) !== "retrying"; i++) {
      await publish();
      await age(id, MINUTE_MS);
    }
    expect(await status()).toBe("retrying");
    const { DB } = testEnv;
    await DB.prepare("UPDATE deliveries SET next_at = scheduled_for WHERE post_id = ?").bind(id).run();
    const setBack = await savePost(workspace, id);
    await DB.prepare("UPDATE deliveries SET publish_key = NULL WHERE post_id = ?").bind(id).run();
    await DB.prepare("UPDATE channels SET not_before = NULL WHERE id = ?").bind(channel.id).run();
    expect(await finishedInTime(workspace, key, id, publish)).toMatchObject({ status: "published" });
    await setBack();
    await holdBack(Date.now());
    const expired = {
      ...target,
      call: "threads-container",
      do: "status",
      status: 200,
      body: { id: "1", status: "EXPIRED" },
    };
    if (first === "expired") await fault(expired);
    const { deliveries } = await finishedInTime(workspace, key, id, publish);
    expect(deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown" });
    expect(await ledger(channel.handle)).toHaveLength(1);
    expect(await brokenInvariants(workspace)).toEqual([]);
  });
});

it("sends a delivery at its time if it becomes due after the restore", async () => {
  const { key, workspace } = await signUp();
  const channel = await connect(key, "bluesky");
  const { id } = await post(key, { text: "later", channels: [channel.id], publish_at: tomorrow() });
  await holdBack(Date.now());
  await age(id, DAY_MS + 1_000);
  const finishedPost = await finishedInTime(workspace, key, id, async () =>
    (await ownPublisher(workspace, channel.id)).work(),
  );
  expect(finishedPost.status).toBe("published");
  expect(await ledger(channel.handle)).toHaveLength(1);
});
