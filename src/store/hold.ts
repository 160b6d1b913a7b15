// One hand on one delivery, alone or among many in a statement: what it may write, and only while nobody else has.
import { and, eq, sql } from "drizzle-orm";
import { type In, NOW, type RowIn } from "./db.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import type { Given } from "./given.ts";
import { channels, deliveries } from "./schema.ts";

/** One hand on one delivery: what it may change, and only while nobody else has. */
export interface Hold {
  key: DeliveryKey;
  holder: string;
  fence: number;
  ver: number;
}
/** A hold as a statement sees it. */
interface HoldIn {
  key: RowIn<DeliveryKey>;
  holder: In<string>;
  fence: In<number>;
  ver: In<number>;
}

/** True of a delivery that nobody else has had since. */
export const isAsHeld = ({ key, fence, ver }: HoldIn) =>
  and(isDelivery(key), eq(deliveries.ver, ver), eq(deliveries.fence, fence));
export const isMine = (hold: HoldIn) =>
  and(
    isDelivery(hold.key),
    eq(deliveries.fence, hold.fence),
    eq(deliveries.ver, hold.ver),
    sql`${deliveries.leaseUntil} > ${NOW}`,
  );
/** True of a delivery behind a write of ours that went through. */
export const isWritten = (hold: HoldIn, state: "staged" | "sending") =>
  and(
    isDelivery(hold.key),
    sql`${deliveries.ver} = ${hold.ver} + 1`,
    eq(deliveries.fence, hold.fence),
    eq(deliveries.state, state),
  );
export const isLeased = (hold: HoldIn) =>
  and(
    eq(channels.workspaceId, hold.key.workspaceId),
    eq(channels.id, hold.key.channelId),
    eq(channels.leaseHolder, hold.holder),
  );

export const HOLD_COLUMNS = ["workspace", "post", "channel", "holder", "fence", "ver"] as const;
type HoldColumn = (typeof HOLD_COLUMNS)[number];
export const cellsOf = ({ key, holder, fence, ver }: Hold) => ({
  workspace: key.workspaceId,
  post: key.postId,
  channel: key.channelId,
  holder,
  fence,
  ver,
});
export const holdIn = ({ column }: Given<HoldColumn>): HoldIn => ({
  key: { workspaceId: column("workspace"), postId: column("post"), channelId: column("channel") },
  holder: column("holder"),
  fence: column("fence"),
  ver: column("ver"),
});

/** Whether a row is of the delivery of a key. */
export const isOf = (key: DeliveryKey) => (row: DeliveryKey) =>
  row.postId === key.postId && row.channelId === key.channelId && row.workspaceId === key.workspaceId;
