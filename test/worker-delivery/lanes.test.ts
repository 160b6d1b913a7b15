// A workspace with more channels than one publisher handles: each of its publishers is woken.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { getPublisher } from "../support/lanes.ts";
import { call, connect, post, signUp } from "../support/world.ts";

/** A workspace with a channel in each of two lanes. */
async function createTwoLanes() {
  const account = await signUp();
  const channels = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  const [, second] = channels;
  await testEnv.DB.prepare("UPDATE channels SET lane = 1 WHERE id = ?").bind(second?.id).run();
  const getAlarms = async () =>
    Promise.all(
      channels.map(async ({ id }) => {
        const { stub } = await getPublisher(account.workspace, id);
        return runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
      }),
    );
  return { ...account, ids: channels.map(({ id }) => id), alarms: getAlarms };
}

it("wakes both publishers for a post on channels of two lanes", async () => {
  const { key, ids, alarms } = await createTwoLanes();
  const publish_at = tomorrow();
  await post(key, { text: "once", channels: ids, publish_at });
  const alarmAt = Date.parse(publish_at);
  await eventually(async () => expect(await alarms()).toEqual([alarmAt, alarmAt]));
});

it("wakes each lane when a draft is scheduled", async () => {
  const { key, ids, alarms } = await createTwoLanes();
  const publish_at = tomorrow();
  const { id } = await post(key, { text: "once", channels: ids, publish_at, draft: true });
  expect(await alarms()).toEqual([null, null]);
  await call("PATCH", `/v1/posts/${id}`, { token: key, body: { draft: false } });
  const alarmAt = Date.parse(publish_at);
  await eventually(async () => expect(await alarms()).toEqual([alarmAt, alarmAt]));
});
