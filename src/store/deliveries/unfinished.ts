import { and, eq, inArray } from "drizzle-orm";
import { MAYBE_SENT, UNSENT } from "../../domain/delivery/transitions.ts";
import type { Database } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";

/** How many deliveries of a workspace are still to be sent, and how many may already be with the network. */
export async function countUnfinished(
  db: Database,
  workspaceId: string,
): Promise<{ unsent: number; maybeSent: number }> {
  const count = (states: (typeof UNSENT | typeof MAYBE_SENT)[number][]) =>
    db.$count(deliveries, and(eq(deliveries.workspaceId, workspaceId), inArray(deliveries.state, states)));
  const [unsent, maybeSent] = await Promise.all([count(UNSENT), count(MAYBE_SENT)]);
  return { unsent, maybeSent };
}
