import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { DAY_MS } from "../../../src/domain/limits.ts";
import { deliveries, measuredDays, measurements } from "../../../src/store/db/schema.ts";
import { isDelivery } from "../../../src/store/deliveries/delivery-key.ts";
import { storeMetrics } from "../../../src/store/metrics.ts";
import { db, NOW, type Stored, storedDelivery } from "./deliveries/stored-delivery.ts";

const storeLikes = ({ key }: Stored, likes: number) =>
  storeMetrics(db, key, { platform: "telegram", at: NOW }, { likes });
const readDays = ({ key: { workspaceId } }: Stored) =>
  db
    .select({ day: measuredDays.day, sum: measuredDays.likesSum, count: measuredDays.likesCount })
    .from(measuredDays)
    .where(eq(measuredDays.workspaceId, workspaceId));
const day = Math.floor(NOW / DAY_MS);

it("new metrics of a delivery replace the previous ones, and the sums of the day follow", async () => {
  const stored = await storedDelivery({ state: "live" });
  await storeLikes(stored, 5);
  expect(await readDays(stored)).toEqual([{ day, sum: 5, count: 1 }]);
  await storeLikes(stored, 8);
  expect(await readDays(stored)).toEqual([{ day, sum: 8, count: 1 }]);
});

it("metrics of a delivery that was archived during the call change no sums", async () => {
  const stored = await storedDelivery({ state: "live" });
  await storeLikes(stored, 5);
  await db.delete(measurements).where(eq(measurements.workspaceId, stored.key.workspaceId));
  await db.delete(deliveries).where(isDelivery(stored.key));
  await storeLikes(stored, 8);
  expect(await readDays(stored)).toEqual([{ day, sum: 5, count: 1 }]);
  expect(await db.select().from(measurements).where(eq(measurements.workspaceId, stored.key.workspaceId))).toEqual([]);
});
