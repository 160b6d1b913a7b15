// What a hand of a queue batch does together with others, done by one hand alone and step by step.
import type { Context } from "../../src/context.ts";
import { Crew } from "../../src/publishing/crew.ts";
import { workDelivery } from "../../src/publishing/deliver.ts";
import { Hand } from "../../src/publishing/settle.ts";
import type { Claim, ClaimResult } from "../../src/store/claims.ts";
import type { Database } from "../../src/store/db.ts";
import { writeAheadAll } from "../../src/store/deliveries.ts";
import type { Hold } from "../../src/store/hold.ts";
import { turnAll } from "../../src/store/turns.ts";

/** Claims the next due delivery of a channel. */
export async function claimNext(
  db: Database,
  workspaceId: string,
  channelId: string,
  holder: string,
): Promise<ClaimResult> {
  const [turned] = await turnAll(db, [{ ending: null, want: { workspaceId, channelId, holder } }]);
  return turned?.claim ?? { is: "nothing", nextAt: null };
}

/** Writes a send ahead. Returns its instant, or null: do not send. */
export async function writeAhead(db: Database, hold: Hold, token: string, payloadHash: string): Promise<number | null> {
  const [sentAt = null] = await writeAheadAll(db, [{ hold, token, payloadHash, sendTimeoutMs: 0 }]);
  return sentAt;
}

/** Works a claimed delivery to its next state. */
export async function deliver(ctx: Context, claim: Claim, holder: string): Promise<void> {
  const crew = new Crew(ctx);
  const hand = new Hand(crew, claim, holder);
  const ending = await workDelivery(crew, claim, hand);
  if (ending === null) return;
  const { ended } = await crew.tripsFor(claim.delivery.workspaceId).turn(ending, null);
  hand.settled(ending, ended);
}
