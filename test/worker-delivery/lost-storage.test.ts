// A publisher whose place another one has taken knows nothing: what it could not ask is asked by the other one.
import { expect, it } from "vitest";
import { HostBusy } from "../../src/domain/host-busy.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { duePost, publishNow } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { connect, fault, signUp } from "../support/world.ts";

const HOUR_MS = 3_600_000;

/** A post on X that is out, without an answer, and is about to be looked for the last time. */
async function lastLook() {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "reset_after_accept" });
  const { id } = await duePost(account, channel, { text: "out" });
  await publishNow(account.workspace, channel.id);
  await age(id, 2 * HOUR_MS);
  const state = () =>
    testEnv.DB.prepare("SELECT state FROM deliveries WHERE post_id = ?").bind(id).first<string>("state");
  expect(await state()).toBe("reconciling");
  return { account, channel, state };
}

it("a delivery is not given up by a publisher that has lost its storage", async () => {
  const { account, channel, state } = await lastLook();
  const lost = memoryStorage();
  lost.sync = async () => {
    throw new Error("this version can no longer access storage");
  };
  let isRefused = false;
  const world = networksVia(async (url, act) => {
    if (isRefused || !url.includes("/users/")) return act();
    isRefused = true;
    return Response.json({ title: "Unauthorized", status: 401 }, { status: 401 });
  });
  await (await ownPublisher(account.workspace, channel.id, { storage: lost, world })).work();
  expect(isRefused).toBe(true);
  expect(await state()).toBe("reconciling");
  await (await ownPublisher(account.workspace, channel.id)).work();
  expect(await state()).toBe("live");
});

it("a delivery whose question failed on our side is asked for again, also after the last look", async () => {
  const { account, channel, state } = await lastLook();
  const world = networksVia(async (url, act) => {
    if (url.includes("/users/")) throw new HostBusy(1);
    return act();
  });
  await (await ownPublisher(account.workspace, channel.id, { world })).work();
  expect(await state()).toBe("reconciling");
});
