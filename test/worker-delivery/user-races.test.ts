// A user acts in the very moment in which a publisher processes the same post. Exactly one of them wins.

import { beforeEach, describe, expect, it } from "vitest";
import { databaseVia } from "../support/breaking-db.ts";
import { CREDENTIALS } from "../support/credentials.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { duePost, finishedInTime, MINUTE_MS, publishNow } from "../support/machine.ts";
import { heldNetworks, networksVia, ownPublisher } from "../support/own-publisher.ts";
import { isWhole } from "../support/sampled.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  getPost,
  ledger,
  signUp,
  uploadImage,
} from "../support/world.ts";

let account: Account;
beforeEach(async () => {
  account = await signUp();
});
const createDue = (channel: ChannelBody, body: object = {}) => duePost(account, channel, body);
const runPublisher = (channel: ChannelBody) => publishNow(account.workspace, channel.id);
const getDelivery = async (id: string) => (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
const expectInvariantsHold = async () => expect(await brokenInvariants(account.workspace)).toEqual([]);

const ROUNDS = isWhole ? 8 : 4;
/** Runs both at once, one of them slightly earlier. */
async function runTogether(
  round: number,
  machine: () => Promise<unknown>,
  user: () => Promise<unknown>,
): Promise<void> {
  const inOrder = async (first: boolean, act: () => Promise<unknown>) => {
    for (let i = 0; i < (first ? 0 : round); i++) await Promise.resolve();
    await act();
  };
  await Promise.all([inOrder(round % 2 === 0, machine), inOrder(round % 2 === 1, user)]);
}

it("cancels a post or rejects the cancellation as too late, never both", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    await runTogether(
      round,
      () => runPublisher(channel),
      () => call("DELETE", `/v1/posts/${id}`, { token: account.key }),
    );
    const { status } = (await finishedInTime(account.workspace, account.key, id)).deliveries[0] ?? {};
    expect({ status, out: (await ledger(channel.handle)).length }).toEqual(
      status === "cancelled" ? { status, out: 0 } : { status: "live", out: 1 },
    );
  }
  await expectInvariantsHold();
});

it("publishes the edited text, or rejects the edit and publishes the old text", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel, { text: "old" });
    let edited = 0;
    await runTogether(
      round,
      () => runPublisher(channel),
      async () => {
        const body = { text: "new" };
        edited = (await call("PATCH", `/v1/posts/${id}`, { token: account.key, body })).status;
      },
    );
    const finishedPost = await finishedInTime(account.workspace, account.key, id);
    expect(finishedPost).toMatchObject({ status: "published", text: edited === 200 ? "new" : "old" });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual([finishedPost.text]);
    expect([200, 409]).toContain(edited);
  }
  await expectInvariantsHold();
});

it("disconnects a channel before its post is published or afterwards, never both", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    await runTogether(
      round,
      () => runPublisher(channel),
      () => call("DELETE", `/v1/channels/${channel.id}`, { token: account.key }),
    );
    const finishedPost = await finishedInTime(account.workspace, account.key, id);
    const { status, error } = finishedPost.deliveries[0] ?? {};
    const published = (await ledger(channel.handle)).length;
    expect({ error, out: published }).toEqual(
      status === "live" ? { error: null, out: 1 } : { error: "channel_disconnected", out: 0 },
    );
  }
  await expectInvariantsHold();
});

it("leaves no row and sends nothing more if a user erases the account while a post is being sent", async () => {
  const channel = await connect(account.key, "telegram");
  const onItsWay = await createDue(channel, { text: "on its way" });
  const behind = await createDue(channel, { text: "behind" });
  const { world, begun: sendStarted, release } = heldNetworks();
  const working = (await ownPublisher(account.workspace, channel.id, { world })).work();
  await sendStarted;
  expect((await getDelivery(onItsWay.id)).attempts).toBe(1);
  expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
  release();
  await working;
  await runPublisher(channel);
  for (const table of ["posts", "deliveries", "events", "channels", "media", "idempotency_keys"]) {
    const count = await testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`)
      .bind(account.workspace)
      .first("n");
    expect(count, table).toBe(0);
  }
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["on its way"]);
  expect(behind.status).toBe("scheduled");
});

/** More steps than a delivery has. */
const STEPS_MAX = 40;

/** Lets a user act before a step of the publisher's work. A step is a call of the database or of the network. */
async function actBefore(step: number, channel: ChannelBody, act: () => Promise<unknown>): Promise<boolean> {
  let steps = 0;
  const interrupt = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    if (++steps === step) await act();
    return run();
  };
  const { work } = await ownPublisher(account.workspace, channel.id, {
    db: databaseVia(testEnv.DB, (_, go) => interrupt(go)),
    world: networksVia((_, go) => interrupt(go)),
  });
  await work();
  return steps >= step;
}

describe.each([
  { platform: "telegram", picture: false },
  { platform: "bluesky", picture: true },
])("before each step of publishing on $platform", ({ platform, picture }) => {
  /** Repeats the scene for each step, on a channel of its own, until there is no such step. */
  async function eachStep(play: (scene: { step: number; channel: ChannelBody; id: string }) => Promise<boolean>) {
    const media = picture ? [(await uploadImage(account)).id] : [];
    let step = 1;
    for (; step <= STEPS_MAX; step++) {
      const channel = await connect(account.key, platform);
      const { id } = await createDue(channel, { text: "old", media });
      if (!(await play({ step, channel, id }))) break;
    }
    expect(step).toBeGreaterThan(4);
    expect(step).toBeLessThan(STEPS_MAX);
    await expectInvariantsHold();
  }
  const getOutcome = async (id: string, channel: ChannelBody) => {
    const finishedPost = await finishedInTime(account.workspace, account.key, id);
    const { status, error } = finishedPost.deliveries[0] ?? expect.fail("no delivery");
    return { status, error, out: (await ledger(channel.handle)).map(({ text }) => text) };
  };

  it("a cancellation leaves the post cancelled or published, never both", async () => {
    await eachStep(async ({ step, channel, id }) => {
      const acted = await actBefore(step, channel, () => call("DELETE", `/v1/posts/${id}`, { token: account.key }));
      const outcome = await getOutcome(id, channel);
      const live = outcome.status === "live";
      expect(outcome, `step ${step}`).toEqual({
        status: live ? "live" : "cancelled",
        error: null,
        out: live ? ["old"] : [],
      });
      return acted;
    });
  });

  it("an edit decides the published text, or is rejected as too late", async () => {
    await eachStep(async ({ step, channel, id }) => {
      let edited = 409;
      const body = { text: "new" };
      const acted = await actBefore(step, channel, async () => {
        edited = (await call("PATCH", `/v1/posts/${id}`, { token: account.key, body })).status;
      });
      expect([200, 409], `step ${step}`).toContain(edited);
      expect(await getOutcome(id, channel), `step ${step}`).toEqual({
        status: "live",
        error: null,
        out: [edited === 200 ? "new" : "old"],
      });
      return acted;
    });
  });

  it("a disconnect prevents the post or comes too late, and its outcome is never unknown", async () => {
    await eachStep(async ({ step, channel, id }) => {
      const acted = await actBefore(step, channel, () =>
        call("DELETE", `/v1/channels/${channel.id}`, { token: account.key }),
      );
      const outcome = await getOutcome(id, channel);
      expect(outcome, `step ${step}`).toEqual(
        outcome.status === "live"
          ? { status: "live", error: null, out: ["old"] }
          : { status: "failed", error: "channel_disconnected", out: [] },
      );
      return acted;
    });
  });

  it("a reconnect leaves the post published once", async () => {
    await eachStep(async ({ step, channel, id }) => {
      const body = { platform, ...CREDENTIALS[platform]?.(channel.handle.replace(/^@|\.bsky\.social$/g, "")) };
      const acted = await actBefore(step, channel, async () => {
        const answer = await call("POST", "/v1/channels", { token: account.key, body });
        expect(answer).toMatchObject({ status: 200, body: { id: channel.id } });
      });
      expect(await getOutcome(id, channel), `step ${step}`).toEqual({ status: "live", error: null, out: ["old"] });
      return acted;
    });
  });
});

it("never sends a post again after its cancellation, at each step of reconciling it", async () => {
  let step = 1;
  let acted = true;
  for (; acted && step <= STEPS_MAX; step++) {
    const channel = await connect(account.key, "bluesky");
    const lostCall = {
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_before",
    };
    await fault(lostCall);
    const { id } = await createDue(channel);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "publishing", attempts: 1 });
    await age(id, 10 * MINUTE_MS);
    acted = await actBefore(step, channel, () => call("DELETE", `/v1/posts/${id}`, { token: account.key }));
    const finishedPost = await finishedInTime(account.workspace, account.key, id);
    const { status, error } = finishedPost.deliveries[0] ?? expect.fail("no delivery");
    const published = (await ledger(channel.handle)).length;
    expect({ status, error, out: published }, `step ${step}`).toEqual(
      published === 1
        ? { status: "live", error: null, out: published }
        : { status: "failed", error: "outcome_unknown", out: 0 },
    );
    await expectInvariantsHold();
  }
  expect(step).toBeGreaterThan(4);
  expect(step).toBeLessThan(STEPS_MAX);
});
