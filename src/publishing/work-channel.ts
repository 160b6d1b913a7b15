// One hand on one channel: its due deliveries one after the other (-> deliver.ts), until none is due, the network says
// wait, or the time is up. Then the clock is set for what comes next.
import { base64Url } from "../domain/ids.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { releaseChannel } from "../store/claims.ts";
import type { Crew } from "./crew.ts";
import { workDelivery } from "./deliver.ts";
import { Hand } from "./settle.ts";

/** A queue invocation lives for 15 minutes; a long queue goes on in the next one. */
const WORK_MAX_MS = 5 * MINUTE_MS;

export async function workChannel(crew: Crew, workspaceId: string, channelId: string): Promise<void> {
  const { ctx } = crew;
  const trips = crew.tripsFor(workspaceId);
  const release = () => releaseChannel(ctx.databaseOf(workspaceId), workspaceId, channelId, want.holder);
  const want = { workspaceId, channelId, holder: base64Url(ctx.entropy(12)) };
  const stopAt = ctx.now() + WORK_MAX_MS;
  let { claim: found } = await trips.turn(null, want);
  while (found.is === "claimed") {
    const hand = new Hand(crew, found.claim, want.holder);
    const isLast = ctx.now() > stopAt;
    try {
      const ending = await workDelivery(crew, found.claim, hand);
      const { ended, claim } = await trips.turn(ending, isLast ? null : want);
      if (ending !== null) hand.settled(ending, ended);
      found = claim;
    } catch (error) {
      // This hand is done with the channel; whoever takes it next looks for what it may have sent.
      await release().catch(() => {});
      throw error;
    }
    if (isLast) {
      await release();
      await ctx.queue.send([{ kind: "channel", workspace: workspaceId, channel: channelId }]);
      return;
    }
  }
  if (found.nextAt !== null) await ctx.clock.arm(workspaceId, [{ at: found.nextAt, channel: channelId }]);
}
