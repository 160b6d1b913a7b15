// A publisher that cannot look up the database of its workspace. Its workspace may have moved from the database that it has stored.
import { expect, it } from "vitest";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { Homes } from "../../../src/store/homes.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { makeProof, sending } from "../store/deliveries/delivery-records.ts";
import { db, makeBinding, NOW } from "../store/deliveries/stored-delivery.ts";
import { BESIDE, FIRST, makePublisher, SECOND, storeLane } from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;

/** Makes the parts of a publisher whose accounts database is unavailable, and which has stored the second database. */
function makeUnlocatedParts() {
  const away = { call: 1, committed: false, how: "away" } as const;
  const homes = new Homes([openDatabase(breakingDatabase(makeBinding(), away).db), db]);
  const storage = memoryStorage(new Map<string, unknown>([["home", 1]]));
  return { storage, outside: { homes, databaseOf: (workspaceId: string) => homes.databaseOf(workspaceId) } };
}

it("a publisher without a certain database keeps its unwritten results in its storage, and retries after ten seconds", async () => {
  const { workspaceId, states, guard } = await storeLane([
    [FIRST, sending],
    [BESIDE, ENDED],
    [SECOND, ENDED],
  ]);
  const { storage, outside } = makeUnlocatedParts();
  new Unwritten(storage).keepRecords([makeProof({ guard })]);
  await makePublisher(workspaceId, { storage, outside }).ring();
  expect([(await states())[0], storage.alarmAt]).toEqual(["sending", NOW + 10_000]);
  expect(new Unwritten(storage).hasAny).toBe(true);
});

it("a publisher without a certain database keeps a lane without channels, and reads it again after ten seconds", async () => {
  const { workspaceId } = await storeLane();
  const { storage, outside } = makeUnlocatedParts();
  await makePublisher(`${workspaceId} that is gone`, { storage, outside }).ring();
  expect([storage.values.has("lane"), storage.alarmAt]).toEqual([true, NOW + 10_000]);
});
