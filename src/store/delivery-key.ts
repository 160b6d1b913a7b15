import { and, eq, type SQL } from "drizzle-orm";
import { deliveries } from "./schema.ts";

export interface DeliveryKey {
  workspaceId: string;
  postId: string;
  channelId: string;
}

/** A value, or where a statement finds it. */
export type In<Value> = Value | SQL;

/** The one delivery of a key. */
export const isDelivery = (key: Record<keyof DeliveryKey, In<string>>) =>
  and(
    eq(deliveries.workspaceId, key.workspaceId),
    eq(deliveries.postId, key.postId),
    eq(deliveries.channelId, key.channelId),
  );
