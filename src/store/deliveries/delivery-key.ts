import { and, eq } from "drizzle-orm";
import type { RowIn } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";

export interface DeliveryKey {
  workspaceId: string;
  postId: string;
  channelId: string;
}

/** True of the delivery that has this key. */
export const isDelivery = (key: RowIn<DeliveryKey>) =>
  and(
    eq(deliveries.workspaceId, key.workspaceId),
    eq(deliveries.postId, key.postId),
    eq(deliveries.channelId, key.channelId),
  );
