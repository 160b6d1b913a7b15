// A due delivery, and functions that publish and inspect it.
import { beforeEach, expect } from "vitest";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { duePost, publishNow } from "../support/machine.ts";
import { type Account, type ChannelBody, getPost, signUp } from "../support/world.ts";

export let account: Account;
/** Signs up an account for each test of the file that calls it. */
export function withAccount(): void {
  beforeEach(async () => {
    account = await signUp();
  });
}

export const createDue = (channel: ChannelBody, body: object = {}) => duePost(account, channel, body);
export const runPublisher = (channel: ChannelBody) => publishNow(account.workspace, channel.id);
export const getDelivery = async (id: string) =>
  (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
export const getEvents = async (id: string) =>
  (
    await testEnv.DB.prepare("SELECT event FROM events WHERE post_id = ? ORDER BY seq")
      .bind(id)
      .all<{ event: string }>()
  ).results.map(({ event }) => event);
export const expectInvariantsHold = async () => expect(await brokenInvariants(account.workspace)).toEqual([]);
