// The database is restored to a minute at which a thread was partly live (docs/operations.md): no part is sent again.
import { describe, expect, it } from "vitest";
import { check } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { duePost, finishedInTime, MINUTE_MS } from "../support/machine.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { connect, getPost, ledger, signUp } from "../support/world.ts";
import { holdBack, savePost } from "./restore.ts";
import { expectInOrder, faultAt, PLATFORMS, type Platform, retry, statuses, THREAD } from "./thread.ts";

const TEXTS = ["one", "two", "three"];
/** How each network says that it is busy. */
const BUSY = {
  x: { title: "Too Many Requests", detail: "Too Many Requests", type: "about:blank", status: 429 },
  bluesky: { error: "RateLimitExceeded", message: "Rate Limit Exceeded" },
  threads: { error: { message: "Application request limit reached", type: "OAuthException", code: 4 } },
};
/** The columns of the delivery at the minute of the backup, by its state. */
const COLUMNS_BY_STATE = {
  retry_wait: "state = 'retry_wait'",
  reconciling: "state = 'reconciling', has_open_send = 1",
  outcome_unknown:
    "state = 'outcome_unknown', has_open_send = 1, next_at = NULL, check_at = 0, last_try = json_object('error', 'outcome_unknown')",
} as const;

/** Publishes a thread, and restores the database to the instant when the part at `position` was in progress. */
async function publishAndRestore(platform: Platform, position: number, state: keyof typeof COLUMNS_BY_STATE) {
  const account = await signUp();
  const { key, workspace } = account;
  const channel = await connect(key, platform);
  // At that part, the delivery waits for its next try.
  await faultAt(platform, channel, position, {
    do: "status",
    status: 429,
    headers: { "retry-after": "600" },
    body: BUSY[platform],
  });
  const { id } = await duePost(account, channel, { text: "one", thread: THREAD });
  const publish = async () => (await ownPublisher(workspace, channel.id)).work();
  const livePositions = TEXTS.slice(0, position).map(() => "live");
  // Some networks prepare a part for half a minute.
  for (let i = 0; i < 4 && statuses(await getPost(key, id))?.[position] !== "retrying"; i++) {
    await age(id, MINUTE_MS);
    await publish();
  }
  expect(statuses(await getPost(key, id))?.slice(0, position + 1)).toEqual([...livePositions, "retrying"]);
  await age(id, 10 * MINUTE_MS);
  await testEnv.DB.prepare(`UPDATE deliveries SET ${COLUMNS_BY_STATE[state]} WHERE post_id = ?`).bind(id).run();
  const setBack = await savePost(workspace, id);
  const { DB } = testEnv;
  await DB.prepare("UPDATE deliveries SET state = 'retry_wait', next_at = scheduled_for WHERE post_id = ?")
    .bind(id)
    .run();
  await DB.prepare("UPDATE channels SET not_before = NULL WHERE id = ?").bind(channel.id).run();
  const finishedPost = await finishedInTime(workspace, key, id, publish);
  expect(finishedPost.status).toBe("published");
  await expectInOrder(channel, TEXTS);
  await setBack();
  const finish = async () => {
    await finishedInTime(workspace, key, id, publish);
    for (let i = 0; i < 3; i++) await check(key, id);
    return getPost(key, id);
  };
  return { account, channel, id, finish };
}

describe.each(PLATFORMS)("a thread on %s that was partly live when the database was restored", (platform) => {
  it.each(Object.keys(COLUMNS_BY_STATE) as (keyof typeof COLUMNS_BY_STATE)[])(
    "sends no part again if one was %s",
    async (state) => {
      const { account, channel, id, finish } = await publishAndRestore(platform, 1, state);
      await holdBack(Date.now());
      const finishedPost = await finish();
      await expectInOrder(channel, TEXTS);
      expect(finishedPost).toMatchObject({
        status: "partially_published",
        deliveries: [{ status: "failed", error: "outcome_unknown", action: "check_network_before_reposting" }],
      });
      // The part that was in progress was found. A part without a publish key cannot be reconciled.
      expect(statuses(finishedPost)).toEqual(["live", "live", "failed"]);
      expect(await retry(account, id, channel)).toMatchObject({ status: 409 });
      expect(await brokenInvariants(account.workspace)).toEqual([]);
    },
  );

  it("marks the thread as live when its last part is found", async () => {
    const { account, channel, finish } = await publishAndRestore(platform, 2, "retry_wait");
    await holdBack(Date.now());
    const finishedPost = await finish();
    await expectInOrder(channel, TEXTS);
    expect(statuses(finishedPost)).toEqual(["live", "live", "live"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });
});

it("would publish a part twice without that protection", async () => {
  const { finish, channel } = await publishAndRestore("bluesky", 1, "retry_wait");
  await finish();
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual([...TEXTS, "three"]);
});
