// Runs the steps of a publishing session one at a time, without a publisher.
import type { Context } from "../../src/context.ts";
import { ConnectionLimiter } from "../../src/delivery/connection-limiter.ts";
import { Credentials } from "../../src/delivery/credentials.ts";
import { deliver } from "../../src/delivery/deliver.ts";
import { NetworkHealth } from "../../src/delivery/network-health.ts";
import { type Delivered, Recorder } from "../../src/delivery/record.ts";
import { Unwritten } from "../../src/delivery/unwritten.ts";
import type { FollowUpTools } from "../../src/follow-up/after-publish.ts";
import { AskedWaits } from "../../src/follow-up/asked-waits.ts";
import type { Database } from "../../src/store/db/db.ts";
import { type DueDelivery, readDue } from "../../src/store/deliveries/due.ts";
import { memoryStorage } from "./memory-storage.ts";

/** Makes the tools that the sessions of one publisher share. */
export function makeFollowUpTools(ctx: Context, db: Database, storage = memoryStorage()): FollowUpTools {
  const unwritten = new Unwritten(storage);
  return {
    ctx,
    skewMs: () => 0,
    recorder: new Recorder({ ...ctx, databaseOf: () => db }, unwritten, ""),
    limiter: new ConnectionLimiter(),
    health: new NetworkHealth(ctx.now),
    credentials: new Credentials(ctx, unwritten),
    waits: new AskedWaits(storage),
  };
}

/** Reads the next due delivery of a channel, or undefined if none is due. */
export async function nextDue(db: Database, workspaceId: string, channelId: string): Promise<DueDelivery | undefined> {
  const dueDeliveries: DueDelivery[] = [];
  for (let lane = 0; lane < 4; lane++) {
    const { deliveries } = await readDue(db, { workspaceId, lane }, { busy: [], sendTimeoutsMs: {} });
    dueDeliveries.push(...deliveries.filter(({ channel }) => channel.id === channelId));
  }
  return dueDeliveries[0];
}

/** Takes a delivery that has just been read to its next state. */
export function deliverAlone(ctx: Context, due: DueDelivery): Promise<Delivered | null> {
  const skewMs = due.now - ctx.now();
  return deliver({ ...makeFollowUpTools(ctx, ctx.databaseOf(due.delivery.workspaceId)), skewMs: () => skewMs }, due);
}
