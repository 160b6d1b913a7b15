import { and, eq } from "drizzle-orm";
import type { RowIn } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";

export interface DeliveryKey {
  workspaceId: string;
  postId: string;
  channelId: string;
}

/** The one delivery of a key. */
export const isDelivery = (key: RowIn<DeliveryKey>) =>
  and(
    eq(deliveries.workspaceId, key.workspaceId),
    eq(deliveries.postId, key.postId),
    eq(deliveries.channelId, key.channelId),
  );
