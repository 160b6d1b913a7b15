// A publisher that cannot ask where the rows of its workspace are: the database that it remembers may have lost them to another one.
import { expect, it } from "vitest";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { Homes } from "../../../src/store/homes.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { proofOf, sending } from "../store/deliveries/delivery-records.ts";
import { bindingOfTests, db, NOW } from "../store/deliveries/stored-delivery.ts";
import { BESIDE, FIRST, publisherWith, SECOND, storedLane } from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;

/** The parts of a publisher whose database of the accounts is away, and which remembers the second one. */
function unlocated() {
  const away = { call: 1, committed: false, how: "away" } as const;
  const homes = new Homes([openDatabase(breakingDatabase(bindingOfTests(), away).db), db]);
  const storage = memoryStorage(new Map<string, unknown>([["home", 1]]));
  return { storage, outside: { homes, databaseOf: (workspaceId: string) => homes.databaseOf(workspaceId) } };
}

it("keeps writes that wait for the database in the publisher's storage, and tries them again in ten seconds", async () => {
  const { workspaceId, states, guard } = await storedLane([
    [FIRST, sending],
    [BESIDE, ENDED],
    [SECOND, ENDED],
  ]);
  const { storage, outside } = unlocated();
  new Unwritten(storage).keepRecords([proofOf({ guard })]);
  await publisherWith(workspaceId, { storage, outside }).ring();
  expect([(await states())[0], storage.alarmAt]).toEqual(["sending", NOW + 10_000]);
  expect(new Unwritten(storage).hasAny).toBe(true);
});

it("a lane without channels is not forgotten, and is looked at again in ten seconds", async () => {
  const { workspaceId } = await storedLane();
  const { storage, outside } = unlocated();
  await publisherWith(`${workspaceId} that is gone`, { storage, outside }).ring();
  expect([storage.values.has("lane"), storage.alarmAt]).toEqual([true, NOW + 10_000]);
});
