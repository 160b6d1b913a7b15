// A takedown while something else happens to the same post.

import { expect, it } from "vitest";
import { openDatabase } from "../../src/store/db/db.ts";
import { askForTakedown } from "../../src/store/deliveries/takedowns.ts";
import { check } from "../support/after.ts";
import { makeEntry } from "../support/audit-entries.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import {
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";
import { publishLive } from "./published-once.ts";

const MINUTE = 60_000;

it.each(["a first comment", "an addition"])("does not make %s once its post is to be taken down", async (addition) => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  const options =
    addition === "an addition" ? { thumbnail_media: (await uploadJpeg(account)).id } : { first_comment: "one" };
  for (const call of ["comments", "thumbnails"])
    await fault({ platform: "facebook", account: channel.handle, call, do: "status", status: 400, body });
  const media = [(await uploadVideo(account, 100_000)).id];
  const createdPost = await post(account.key, {
    text: unique("down "),
    media,
    channels: [channel.id],
    overrides: { [channel.id]: options },
  });
  await finished(account.key, createdPost.id);
  const getDelivery = async () => (await getPost(account.key, createdPost.id)).deliveries[0];
  await eventually(async () => expect((await getDelivery())?.hint).toContain("waits"));
  let isRequested = false;
  const db = databaseVia(testEnv.DB, async (sql, act) => {
    if (!isRequested && /update "follow_ups" set .* returning /s.test(sql)) {
      isRequested = true;
      const entry = makeEntry(account.workspace, "delivery.takedown_requested");
      const key = { workspaceId: account.workspace, postId: createdPost.id, channelId: channel.id };
      expect(await askForTakedown(openDatabase(testEnv.DB), key, entry)).toBe(true);
      await testEnv.DB.prepare("UPDATE deliveries SET check_at = 1 WHERE post_id = ?").bind(createdPost.id).run();
    }
    return act();
  });
  await check(account.key, createdPost.id, 0, db);
  expect(isRequested).toBe(true);
  const row = await testEnv.DB.prepare(
    "SELECT follow_ups.state AS state, check_at FROM follow_ups JOIN deliveries USING (workspace_id, post_id, channel_id) WHERE post_id = ? AND kind <> 'takedown'",
  )
    .bind(createdPost.id)
    .first();
  expect(row).toEqual({ state: "due", check_at: 1 });
  const [entry, ...otherEntries] = await ledger(channel.handle);
  expect([entry?.detail.thumbnails ?? [], otherEntries]).toEqual([[], []]);
  await check(account.key, createdPost.id);
  expect(await getDelivery()).toMatchObject({ status: "removed", removed_by: "you" });
});

it("does not postpone a takedown that is requested during a recheck together with the recheck", async () => {
  const { account, channel, id } = await publishLive("bluesky");
  const { DB } = testEnv;
  await DB.prepare("UPDATE channels SET not_before = ? WHERE id = ?")
    .bind(Date.now() + 60 * MINUTE, channel.id)
    .run();
  let isRead = false;
  const db = databaseVia(DB, async (sql, act) => {
    const answer = await act();
    if (!isRead && /^select .*"deliveries"/s.test(sql)) {
      isRead = true;
      const entry = makeEntry(account.workspace, "delivery.takedown_requested");
      const key = { workspaceId: account.workspace, postId: id, channelId: channel.id };
      expect(await askForTakedown(openDatabase(DB), key, entry)).toBe(true);
    }
    return answer;
  });
  await check(account.key, id, 0, db);
  expect(isRead).toBe(true);
  const getWaitMs = async () => {
    const row = await DB.prepare("SELECT check_at FROM deliveries WHERE post_id = ?").bind(id).first();
    return Number(row?.check_at) - Date.now();
  };
  expect(await getWaitMs()).toBeLessThanOrEqual(MINUTE);
  // Once a recheck has read it as due, it waits as long as its network has asked for.
  await check(account.key, id);
  expect(await getWaitMs()).toBeGreaterThan(15 * MINUTE);
  await DB.prepare("UPDATE channels SET not_before = NULL WHERE id = ?").bind(channel.id).run();
  const { deliveries } = await check(account.key, id);
  expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you" });
});
