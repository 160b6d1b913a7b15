// A workspace with more channels than one publisher works: each of its publishers is woken.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { publisherOf } from "../support/lanes.ts";
import { call, connect, post, signUp } from "../support/world.ts";

/** A workspace with a channel in each of two lanes. */
async function twoLanes() {
  const account = await signUp();
  const channels = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  const [, second] = channels;
  await testEnv.DB.prepare("UPDATE channels SET lane = 1 WHERE id = ?").bind(second?.id).run();
  const alarms = async () =>
    Promise.all(
      channels.map(async ({ id }) => {
        const { stub } = await publisherOf(account.workspace, id);
        return runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
      }),
    );
  return { ...account, ids: channels.map(({ id }) => id), alarms };
}

it("not only the first lane of a workspace is woken for a post on channels of two", async () => {
  const { key, ids, alarms } = await twoLanes();
  const publish_at = tomorrow();
  await post(key, { text: "once", channels: ids, publish_at });
  const at = Date.parse(publish_at);
  await eventually(async () => expect(await alarms()).toEqual([at, at]));
});

it("each lane is woken for a draft that is scheduled", async () => {
  const { key, ids, alarms } = await twoLanes();
  const publish_at = tomorrow();
  const { id } = await post(key, { text: "once", channels: ids, publish_at, draft: true });
  expect(await alarms()).toEqual([null, null]);
  await call("PATCH", `/v1/posts/${id}`, { token: key, body: { draft: false } });
  const at = Date.parse(publish_at);
  await eventually(async () => expect(await alarms()).toEqual([at, at]));
});
