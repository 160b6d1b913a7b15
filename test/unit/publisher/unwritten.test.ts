// What waits for the database in an object's own storage, each time that it is asked for it.
import { expect, it } from "vitest";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import type { Settlement } from "../../../src/store/deliveries/settle.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

const settlement = (post: string): Settlement => ({
  guard: {
    key: { workspaceId: "ws", postId: post, channelId: "ch" },
    session: `session of ${post}`,
    fencingToken: 1,
    version: 1,
    since: 1,
  },
  transition: {
    state: "failed",
    nextAt: null,
    hasOpenSend: false,
    retries: 0,
    error: "internal_error",
    detail: null,
    event: null,
  },
  event: null,
  followUp: { checkAt: null, hasComment: false, hasFiles: false },
});

it("settlements that are written at once ask the storage for nothing", () => {
  const storage = memoryStorage();
  const unwritten = new Unwritten(storage);
  unwritten.forgetSettlement(settlement("first"));
  storage.kv.get = () => expect.fail("the storage was read");
  storage.kv.list = () => expect.fail("the storage was listed");
  storage.kv.delete = () => expect.fail("the storage was written");
  for (let i = 0; i < 50; i++) unwritten.forgetSettlement(settlement(`post ${i}`));
});

it("a settlement that is kept is there for every later object, until one has written it", () => {
  const storage = memoryStorage();
  new Unwritten(storage).keepSettlements([settlement("one"), settlement("other")]);
  expect(storage.values.size).toBe(2);
  const later = new Unwritten(storage);
  later.forgetSettlement(settlement("one"));
  expect([...storage.values.values()]).toEqual([settlement("other")]);
  later.keepSettlements([settlement("one")]);
  later.forgetSettlement(settlement("one"));
  later.forgetSettlement(settlement("other"));
  expect(storage.values.size).toBe(0);
});
