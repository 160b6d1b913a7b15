// What a user does in the very moment in which the machine is at work on the same post: one of them wins, whole.

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
const due = (channel: ChannelBody, body: object = {}) => duePost(account, channel, body);
const work = (channel: ChannelBody) => publishNow(account.workspace, channel.id);
const deliveryOf = async (id: string) => (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
const sound = async () => expect(await brokenInvariants(account.workspace)).toEqual([]);

const ROUNDS = isWhole ? 8 : 4;
/** Both at once, one or the other a little earlier. */
async function together(round: number, machine: () => Promise<unknown>, user: () => Promise<unknown>): Promise<void> {
  const inOrder = async (first: boolean, act: () => Promise<unknown>) => {
    for (let i = 0; i < (first ? 0 : round); i++) await Promise.resolve();
    await act();
  };
  await Promise.all([inOrder(round % 2 === 0, machine), inOrder(round % 2 === 1, user)]);
}

it("a user cancels a post, or is too late: never both", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const channel = await connect(account.key, "telegram");
    const { id } = await due(channel);
    await together(
      round,
      () => work(channel),
      () => call("DELETE", `/v1/posts/${id}`, { token: account.key }),
    );
    const { status } = (await finishedInTime(account.workspace, account.key, id)).deliveries[0] ?? {};
    expect({ status, out: (await ledger(channel.handle)).length }).toEqual(
      status === "cancelled" ? { status, out: 0 } : { status: "live", out: 1 },
    );
  }
  await sound();
});

it("a user edits a post, or is refused: what goes out is what the post says", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const channel = await connect(account.key, "telegram");
    const { id } = await due(channel, { text: "old" });
    let edited = 0;
    await together(
      round,
      () => work(channel),
      async () => {
        const body = { text: "new" };
        edited = (await call("PATCH", `/v1/posts/${id}`, { token: account.key, body })).status;
      },
    );
    const done = await finishedInTime(account.workspace, account.key, id);
    expect(done).toMatchObject({ status: "published", text: edited === 200 ? "new" : "old" });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual([done.text]);
    expect([200, 409]).toContain(edited);
  }
  await sound();
});

it("a user disconnects a channel, or is too late: never both", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const channel = await connect(account.key, "telegram");
    const { id } = await due(channel);
    await together(
      round,
      () => work(channel),
      () => call("DELETE", `/v1/channels/${channel.id}`, { token: account.key }),
    );
    const done = await finishedInTime(account.workspace, account.key, id);
    const { status, error } = done.deliveries[0] ?? {};
    const out = (await ledger(channel.handle)).length;
    expect({ error, out }).toEqual(
      status === "live" ? { error: null, out: 1 } : { error: "channel_disconnected", out: 0 },
    );
  }
  await sound();
});

it("a user erases the account while a post is on its way: no row is left, and nothing else is sent", async () => {
  const channel = await connect(account.key, "telegram");
  const onItsWay = await due(channel, { text: "on its way" });
  const behind = await due(channel, { text: "behind" });
  const { world, begun, release } = heldNetworks();
  const working = (await ownPublisher(account.workspace, channel.id, { world })).work();
  await begun;
  expect((await deliveryOf(onItsWay.id)).attempts).toBe(1);
  expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
  release();
  await working;
  await work(channel);
  for (const table of ["posts", "deliveries", "events", "channels", "media", "idempotency_keys"]) {
    const left = await testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`)
      .bind(account.workspace)
      .first("n");
    expect(left, table).toBe(0);
  }
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["on its way"]);
  expect(behind.status).toBe("scheduled");
});

/** More steps than a delivery has. */
const STEPS_MAX = 40;

/** A user who acts before a step of the publisher's work: a call of the database or of the network. */
async function actBefore(step: number, channel: ChannelBody, act: () => Promise<unknown>): Promise<boolean> {
  let steps = 0;
  const interrupted = async <Answer>(go: () => Promise<Answer>): Promise<Answer> => {
    if (++steps === step) await act();
    return go();
  };
  const { work } = await ownPublisher(account.workspace, channel.id, {
    db: databaseVia(testEnv.DB, (_, go) => interrupted(go)),
    world: networksVia((_, go) => interrupted(go)),
  });
  await work();
  return steps >= step;
}

describe.each([
  { platform: "telegram", picture: false },
  { platform: "bluesky", picture: true },
])("before each step of publishing on $platform a user", ({ platform, picture }) => {
  /** Plays one scene for each step, on a channel of its own, until there is no such step. */
  async function eachStep(play: (scene: { step: number; channel: ChannelBody; id: string }) => Promise<boolean>) {
    const media = picture ? [(await uploadImage(account)).id] : [];
    let step = 1;
    for (; step <= STEPS_MAX; step++) {
      const channel = await connect(account.key, platform);
      const { id } = await due(channel, { text: "old", media });
      if (!(await play({ step, channel, id }))) break;
    }
    expect(step).toBeGreaterThan(4);
    expect(step).toBeLessThan(STEPS_MAX);
    await sound();
  }
  const outcome = async (id: string, channel: ChannelBody) => {
    const done = await finishedInTime(account.workspace, account.key, id);
    const { status, error } = done.deliveries[0] ?? expect.fail("no delivery");
    return { status, error, out: (await ledger(channel.handle)).map(({ text }) => text) };
  };

  it("cancels: it is cancelled, or out, never both", async () => {
    await eachStep(async ({ step, channel, id }) => {
      const acted = await actBefore(step, channel, () => call("DELETE", `/v1/posts/${id}`, { token: account.key }));
      const found = await outcome(id, channel);
      const live = found.status === "live";
      expect(found, `step ${step}`).toEqual({
        status: live ? "live" : "cancelled",
        error: null,
        out: live ? ["old"] : [],
      });
      return acted;
    });
  });

  it("edits: what goes out is what the post says, and who is refused is too late", async () => {
    await eachStep(async ({ step, channel, id }) => {
      let edited = 409;
      const body = { text: "new" };
      const acted = await actBefore(step, channel, async () => {
        edited = (await call("PATCH", `/v1/posts/${id}`, { token: account.key, body })).status;
      });
      expect([200, 409], `step ${step}`).toContain(edited);
      expect(await outcome(id, channel), `step ${step}`).toEqual({
        status: "live",
        error: null,
        out: [edited === 200 ? "new" : "old"],
      });
      return acted;
    });
  });

  it("disconnects: nothing is sent, or it is out, never unknown", async () => {
    await eachStep(async ({ step, channel, id }) => {
      const acted = await actBefore(step, channel, () =>
        call("DELETE", `/v1/channels/${channel.id}`, { token: account.key }),
      );
      const found = await outcome(id, channel);
      expect(found, `step ${step}`).toEqual(
        found.status === "live"
          ? { status: "live", error: null, out: ["old"] }
          : { status: "failed", error: "channel_disconnected", out: [] },
      );
      return acted;
    });
  });

  it("connects anew: it is out, once", async () => {
    await eachStep(async ({ step, channel, id }) => {
      const body = { platform, ...CREDENTIALS[platform]?.(channel.handle.replace(/^@|\.bsky\.social$/g, "")) };
      const acted = await actBefore(step, channel, async () => {
        const answer = await call("POST", "/v1/channels", { token: account.key, body });
        expect(answer).toMatchObject({ status: 200, body: { id: channel.id } });
      });
      expect(await outcome(id, channel), `step ${step}`).toEqual({ status: "live", error: null, out: ["old"] });
      return acted;
    });
  });
});

it("a user cancels a post before each step of looking for it and sending it again: it is not sent after that", async () => {
  let step = 1;
  let acted = true;
  for (; acted && step <= STEPS_MAX; step++) {
    const channel = await connect(account.key, "bluesky");
    const lost = {
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_before",
    };
    await fault(lost);
    const { id } = await due(channel);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "publishing", attempts: 1 });
    await age(id, 10 * MINUTE_MS);
    acted = await actBefore(step, channel, () => call("DELETE", `/v1/posts/${id}`, { token: account.key }));
    const done = await finishedInTime(account.workspace, account.key, id);
    const { status, error } = done.deliveries[0] ?? expect.fail("no delivery");
    const out = (await ledger(channel.handle)).length;
    expect({ status, error, out }, `step ${step}`).toEqual(
      out === 1 ? { status: "live", error: null, out } : { status: "failed", error: "outcome_unknown", out: 0 },
    );
    await sound();
  }
  expect(step).toBeGreaterThan(4);
  expect(step).toBeLessThan(STEPS_MAX);
});
