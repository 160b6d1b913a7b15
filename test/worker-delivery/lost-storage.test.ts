// A publisher that has lost its place to another publisher must decide nothing: the other publisher reconciles the
// delivery.
import { expect, it } from "vitest";
import { HostBusy } from "../../src/domain/host-busy.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { duePost, publishNow } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { connect, fault, signUp } from "../support/world.ts";

const HOUR_MS = 3_600_000;

/** A post on X that is live without an answer, just before its last reconciliation. */
async function createLostPost() {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "reset_after_accept" });
  const { id } = await duePost(account, channel, { text: "out" });
  await publishNow(account.workspace, channel.id);
  await age(id, 2 * HOUR_MS);
  const getState = () =>
    testEnv.DB.prepare("SELECT state FROM deliveries WHERE post_id = ?").bind(id).first<string>("state");
  expect(await getState()).toBe("reconciling");
  return { account, channel, state: getState };
}

it("does not let a publisher that has lost its storage give up a delivery", async () => {
  const { account, channel, state } = await createLostPost();
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

it("reconciles a delivery again if the request failed on our side, even after the last attempt", async () => {
  const { account, channel, state } = await createLostPost();
  const world = networksVia(async (url, act) => {
    if (url.includes("/users/")) throw new HostBusy(1);
    return act();
  });
  await (await ownPublisher(account.workspace, channel.id, { world })).work();
  expect(await state()).toBe("reconciling");
});
