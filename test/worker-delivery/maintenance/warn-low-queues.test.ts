// The queue of a channel with slots is about to run out: members are told once, until it is filled again.
import { describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { sendNotices } from "../../../src/maintenance/send-notices.ts";
import { type QueueCursors, warnOfLowQueues } from "../../../src/maintenance/warn-low-queues.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { mailsTo } from "../../support/mails.ts";
import { call, connect, signUp, unique } from "../../support/world.ts";
import { dailySlots, putSlots } from "../../worker-api/planned-week.ts";
import { getSettings, saveSettings, signUpOwner } from "./mailed.ts";

const DAY_MS = 86_400_000;

/** Looks at every queue, `days` from now. */
async function look(days: number, cursors: QueueCursors = {}, db = compose(testEnv, () => {}).accounts) {
  const ctx = { ...compose(testEnv, () => {}), now: () => Date.now() + days * DAY_MS };
  for (let i = 0; i < 50; i++) {
    await warnOfLowQueues(ctx, db, cursors);
    if (cursors.queues?.endedAt !== null) break;
  }
  return cursors;
}
const readFeed = async (key: string) =>
  (
    await call<{ events: Record<string, unknown>[] }>("GET", "/v1/events?include=channels&event=channel.queue_low", {
      token: key,
    })
  ).body.events;
async function queuePost(key: string, channel: string, days: number): Promise<{ id: string; at: string }> {
  const at = new Date(Date.now() + days * DAY_MS).toISOString();
  const body = { text: unique("queued "), channels: [channel], publish_at: at };
  const answer = await call<{ id: string }>("POST", "/v1/posts", { token: key, body });
  expect(answer.status).toBe(201);
  return { id: answer.body.id, at };
}
async function openQueue() {
  const account = await signUpOwner();
  const channel = await connect(account.key, "bluesky");
  await putSlots(account.key, dailySlots("09:30"));
  return { ...account, channel };
}

describe("a queue that runs low", () => {
  it("is told once, however often the sweep runs, and again after it was filled", async () => {
    const { key, workspace, channel } = await openQueue();
    const hook = unique("hook");
    const body = { url: `${testEnv.RECEIVERS}/${hook}`, events: ["channel.queue_low"] };
    expect((await call("POST", "/v1/webhooks", { token: key, body })).status).toBe(201);
    const { at } = await queuePost(key, channel.id, 5);
    await look(0);
    await look(2.9);
    expect(await readFeed(key)).toEqual([]);

    await Promise.all([look(3.1), look(3.1)]);
    await look(3.5);
    await look(6);
    const [event, ...others] = await readFeed(key);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ channel: channel.id, platform: "bluesky", action: null });
    await eventually(async () => {
      const received: { body: string }[] = await (await fetch(`${testEnv.RECEIVERS}/_/${hook}`)).json();
      expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
        { event: "channel.queue_low", workspace, channel: channel.id, last_post_at: at },
      ]);
    });

    await queuePost(key, channel.id, 10);
    await look(6);
    expect(await readFeed(key)).toHaveLength(1);
    await look(8.5);
    expect(await readFeed(key)).toHaveLength(2);
  });

  it("is told when its last posts were cancelled", async () => {
    const { key, channel } = await openQueue();
    const { id } = await queuePost(key, channel.id, 5);
    await look(0);
    expect((await call("DELETE", `/v1/posts/${id}`, { token: key })).status).toBeLessThan(300);
    await look(0);
    expect(await readFeed(key)).toMatchObject([{ channel: channel.id }]);
  });

  it("is mailed to owners unless they have turned that off", async () => {
    const [account, quiet] = [await openQueue(), await openQueue()];
    const standing = await getSettings(quiet);
    expect(await saveSettings(quiet, { ...Object(standing), queue_low: false })).toMatchObject({ status: 200 });
    for (const { key, channel } of [account, quiet]) await queuePost(key, channel.id, 5);
    await look(0);
    await look(4);
    for (const { workspace } of [account, quiet]) {
      await sendNotices(
        compose(testEnv, () => {}),
        workspace,
      );
    }
    const [mail] = await mailsTo(account.email, 1);
    expect(mail?.subject).toBe(`Ada's workspace: the queue runs low for ${account.channel.handle}`);
    expect(mail?.text).toContain("Its last post is due at ");
    expect(await mailsTo(quiet.email, 0)).toEqual([]);
  });
});

it("a channel without slots, or without posts, has no queue that runs low", async () => {
  const { key } = await signUp();
  const [served, other] = [await connect(key, "bluesky"), await connect(key, "bluesky")];
  await putSlots(key, dailySlots("09:30", [served.id]));
  await queuePost(key, other.id, 5);
  await look(0);
  await look(6);
  expect(await readFeed(key)).toEqual([]);
});

it("a walk over the queues begins an hour after the previous one ended", async () => {
  const away = openDatabase(breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" }).db);
  const cursors = await look(0);
  expect(await look(0.5 / 24, structuredClone(cursors), away)).toEqual(cursors);
  await expect(look(1.1 / 24, structuredClone(cursors), away)).rejects.toThrow();
});
