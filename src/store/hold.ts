// One hand on one delivery, alone or among many in a statement: what it may write, and only while nobody else has. A hand holds
// a channel by its lease; what it has taken up of it shows in the row with its first write, under a fence of its own.
import { and, eq, sql } from "drizzle-orm";
import { type In, NOW, type RowIn } from "./db.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import type { Given } from "./given.ts";
import { channels, deliveries } from "./schema.ts";

/** One hand on one delivery: what it may change, and only while nobody else has. */
export interface Hold {
  key: DeliveryKey;
  holder: string;
  /** The hand's own, one above that of the row it found. */
  fence: number;
  /** Of the row as the hand last saw it: every write makes another. */
  ver: number;
  /** When the hand took the delivery up, by the database's clock. */
  since: number;
}
/** A hold as a statement sees it. */
interface HoldIn {
  key: RowIn<DeliveryKey>;
  holder: In<string>;
  fence: In<number>;
  ver: In<number>;
  since: In<number>;
}

/** True of the channel whose lease the hand has, also when that has run out and nobody else has taken it. */
export const isLeased = ({ key, holder }: HoldIn) =>
  and(eq(channels.workspaceId, key.workspaceId), eq(channels.id, key.channelId), eq(channels.leaseHolder, holder));
/** True of a delivery that nobody else has had since. */
export const isAsHeld = (hold: HoldIn, ofLease = sql`TRUE`) =>
  and(
    isDelivery(hold.key),
    eq(deliveries.ver, hold.ver),
    sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${isLeased(hold)} AND ${ofLease})`,
  );
/** `isAsHeld`, while the lease runs. */
export const isMine = (hold: HoldIn) => isAsHeld(hold, sql`${channels.leaseUntil} > ${NOW}`);

/** What every write of a hand leaves: its fence, a new version, and since when somebody has had the delivery. */
export const traceOf = ({ fence, since }: HoldIn) => ({
  // Proof is taken from hands of old, too: their fence has passed.
  fence: sql`MAX(${deliveries.fence}, ${fence})`,
  ver: sql`${deliveries.ver} + 1`,
  startedAt: sql`COALESCE(${deliveries.startedAt}, ${since})`,
});

export const HOLD_COLUMNS = ["workspace", "post", "channel", "holder", "fence", "ver", "since"] as const;
type HoldColumn = (typeof HOLD_COLUMNS)[number];
export const cellsOf = ({ key, holder, fence, ver, since }: Hold) => ({
  workspace: key.workspaceId,
  post: key.postId,
  channel: key.channelId,
  holder,
  fence,
  ver,
  since,
});
export const holdIn = ({ column }: Given<HoldColumn>): HoldIn => ({
  key: { workspaceId: column("workspace"), postId: column("post"), channelId: column("channel") },
  holder: column("holder"),
  fence: column("fence"),
  ver: column("ver"),
  since: column("since"),
});

/** Whether a row is of the delivery of a key. */
export const isOf = (key: DeliveryKey) => (row: DeliveryKey) =>
  row.postId === key.postId && row.channelId === key.channelId && row.workspaceId === key.workspaceId;
