// Crier's report of a takedown agrees with the network, whatever else happens at any moment of it.
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/db/db.ts";
import { askForTakedown } from "../../src/store/deliveries/takedowns.ts";
import { check, checkTogether } from "../support/after.ts";
import { makeEntry } from "../support/audit-entries.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { CREDENTIALS } from "../support/credentials.ts";
import { callVia } from "../support/databases.ts";
import { testEnv } from "../support/env.ts";
import { isWhole } from "../support/sampled.ts";
import { call, fault, type PostBody } from "../support/world.ts";
import { failTakeDownCall, getDeletedFlags, type Published, publishLive, takeDown } from "./published-once.ts";

const PLATFORM = "bluesky";
const getPath = ({ id, channel }: Published) => `/v1/posts/${id}/deliveries/${channel.id}`;
const disconnect = ({ account, channel }: Published) =>
  call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });

/** Concurrent acts, with the statuses that each may be answered with. */
const CONCURRENT_ACTS: [string, (published: Published) => Promise<{ status: number }>, number[]][] = [
  ["the same takedown", takeDown, [200, 202]],
  [
    "an edit",
    ({ account, id }) => call("PATCH", `/v1/posts/${id}`, { token: account.key, body: { text: "other" } }),
    [409],
  ],
  ["a cancellation", ({ account, id }) => call("DELETE", `/v1/posts/${id}`, { token: account.key }), [409]],
  [
    "a retry",
    (published) =>
      call("POST", `${getPath(published)}/retry`, {
        token: published.account.key,
        body: { confirm_not_published: true },
      }),
    [409],
  ],
  [
    "a recheck by another publisher",
    async ({ account, channel, id }) => {
      await checkTogether(account.workspace, channel.id, [[id]]);
      return { status: 200 };
    },
    [200],
  ],
  ["the removal of its channel", disconnect, [204]],
  [
    "the removal of its channel, which comes back",
    async (published) => {
      await disconnect(published);
      const { account, channel } = published;
      const handle = channel.handle.replace(".bsky.social", "");
      const body = { platform: PLATFORM, ...CREDENTIALS[PLATFORM]?.(handle) };
      return call("POST", "/v1/channels", { token: account.key, body });
    },
    [200, 201],
  ],
  [
    "a new workspace key",
    ({ account }) => call("POST", `/v1/workspaces/${account.workspace}/key/rotate`, { token: account.session }),
    [200],
  ],
  ["the erasure of its account", ({ account }) => call("DELETE", "/v1/auth/me", { token: account.session }), [204]],
];

/** Runs all due work, and compares the reported state with the network. */
async function expectAgreement(published: Published): Promise<void> {
  const { account, channel, id } = published;
  const asMember = { token: account.session, headers: { "x-workspace": account.workspace } };
  const [isGone] = await getDeletedFlags(channel);
  const read = async () => (await call<PostBody>("GET", `/v1/posts/${id}`, asMember)).body.deliveries?.[0];
  // An erased workspace shows nothing.
  if ((await read()) === undefined) return;
  await check(account.session, id).catch(() => {});
  const delivery = await read();
  expect(await getDeletedFlags(channel)).toHaveLength(1);
  if (delivery?.takedown === "unknown") expect(delivery.hint).toContain("check the network");
  else expect([delivery?.status, delivery?.takedown]).toEqual(isGone ? ["removed", null] : ["live", null]);
  if (delivery?.status === "removed") expect(delivery.removed_by).toBe("you");
  const { body } = await call<{ events: { event: string }[] }>("GET", `/v1/events?post=${id}`, asMember);
  expect(body.events.map(({ event }) => event)).toEqual(["delivery.succeeded"]);
}

/** A connection on which `act` runs before or after its call number `moment`. */
function interruptDatabase(act: () => Promise<unknown>, moment: number, isAfter = false) {
  let calls = 0;
  const db = databaseVia(testEnv.DB, async (_, carryOut) => {
    const isNow = ++calls === moment;
    if (isNow && !isAfter) await act();
    const answer = await carryOut();
    if (isNow && isAfter) await act();
    return answer;
  });
  return { db, isOver: () => calls >= moment };
}

describe.each(CONCURRENT_ACTS)("a takedown concurrent with %s", (_name, runConcurrentAct, statuses) => {
  const act = async (published: Published) => expect(statuses).toContain((await runConcurrentAct(published)).status);

  it.each(isWhole ? [2, 3, 4] : [4])("agrees with the network at round trip %i of the call", async (moment) => {
    const published = await publishLive(PLATFORM);
    const { db, isOver } = interruptDatabase(() => act(published), moment);
    const answer = await callVia({ DB: db }, "DELETE", getPath(published), { token: published.account.key });
    expect(isOver()).toBe(true);
    expect([200, 202, 401, 404, 409]).toContain(answer.status);
    // The network was not asked, so the answer must not quote it.
    if (answer.body.error === "takedown_refused") expect(answer.body.message).toContain("check the network");
    await expectAgreement(published);
  });

  it.each(
    isWhole
      ? [1, 2].flatMap((moment) => [[moment, "before"] as const, [moment, "after"] as const])
      : [[1, "after"] as const],
  )("agrees with the network at call %i of the publisher (%s it)", async (moment, when) => {
    const published = await publishLive(PLATFORM);
    const { account, channel, id } = published;
    const key = { workspaceId: account.workspace, postId: id, channelId: channel.id };
    const entry = makeEntry(account.workspace, "delivery.takedown_requested");
    expect(await askForTakedown(openDatabase(testEnv.DB), key, entry)).toBe(true);
    const { db, isOver } = interruptDatabase(() => act(published), moment, when === "after");
    await check(account.session, id, 0, db).catch(() => {});
    expect(isOver()).toBe(true);
    await expectAgreement(published);
  });

  it("agrees with the network after a lost answer of the network", async () => {
    const published = await publishLive(PLATFORM);
    const { handle } = published.channel;
    await failTakeDownCall(published.channel, { do: "reset_after_accept" });
    await fault({ platform: PLATFORM, account: handle, call: "com.atproto.repo.getRecord", do: "status", status: 500 });
    expect(await takeDown(published)).toMatchObject({ status: 202, body: { takedown: "pending" } });
    expect(await getDeletedFlags(published.channel)).toEqual([true]);
    await act(published);
    await expectAgreement(published);
  });
});
