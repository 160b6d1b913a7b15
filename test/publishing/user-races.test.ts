// What a user does in the very moment in which the machine is at work on the same post: one of them wins, whole.
import { beforeEach, expect, it, vi } from "vitest";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { deliverMessage, duePost, finishedInTime } from "../support/machine.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  getPost,
  ledger,
  post,
  signUp,
} from "../support/world.ts";

let account: Account;
beforeEach(async () => {
  account = await signUp();
});
const due = (channel: ChannelBody, body: object = {}) => duePost(account, channel, body);
const work = (channel: ChannelBody) => deliverMessage(account.workspace, channel.id);
const deliveryOf = async (id: string) => (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
const sound = async () => expect(await brokenInvariants(account.workspace)).toEqual([]);

const ROUNDS = 8;
/** Both at once, one or the other a little earlier. */
async function together(round: number, machine: () => Promise<unknown>, user: () => Promise<unknown>): Promise<void> {
  const turns = async (first: boolean, act: () => Promise<unknown>) => {
    for (let i = 0; i < (first ? 0 : round); i++) await Promise.resolve();
    await act();
  };
  await Promise.all([turns(round % 2 === 0, machine), turns(round % 2 === 1, user)]);
}

it("a user cancels a post, or is too late: never both (T4, T15)", async () => {
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

it("a user edits a post, or is refused: what goes out is what the post says (I8)", async () => {
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

it("a user disconnects a channel, or is too late: never both (I9)", async () => {
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

it("a user erases the account while a post is on its way: no row is left, and nothing else is sent (I9, I25)", async () => {
  const channel = await connect(account.key, "telegram");
  await fault({ platform: "telegram", account: channel.handle, call: "sendMessage", do: "delay", delay_ms: 1_500 });
  const onItsWay = await post(account.key, { text: "on its way", channels: [channel.id] });
  const behind = await post(account.key, { text: "behind", channels: [channel.id] });
  await vi.waitFor(async () => expect((await deliveryOf(onItsWay.id)).attempts).toBe(1), { timeout: 5_000 });
  expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
  await vi.waitFor(async () => expect(await ledger(channel.handle)).toHaveLength(1), { timeout: 10_000 });
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
