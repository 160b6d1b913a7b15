// The values that networks offer for options are cached in the object's storage until they expire.
import { describe, expect, it } from "vitest";
import { LOOK_UP_LIFE_MS, type LookUpAnswer } from "../../../src/domain/option-lookup.ts";
import { KeptLookUps } from "../../../src/publisher/kept-look-ups.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

const NOW = 1_800_000_000_000;
const boards = { channel: "ch_1", option: "board", values: {} };
const sections = { channel: "ch_1", option: "board_section", values: { board: "1" } };
const makeListed = (value: string, fetchedAt = NOW): LookUpAnswer => ({
  is: "listed",
  options: [{ value, label: value, description: null, disabledReason: null }],
  fetchedAt,
});
const FAILED: LookUpAnswer = { is: "failed", error: "network_unavailable", detail: "no" };

describe("a cached lookup", () => {
  it("an answer is cached for its own question, even for the next object, until it expires", async () => {
    const storage = memoryStorage();
    const first = new KeptLookUps(storage);
    expect(first.find(boards, NOW)).toBeNull();
    expect(await first.ask(boards, async () => makeListed("a"))).toEqual(makeListed("a"));
    const next = new KeptLookUps(storage);
    expect(next.find(boards, NOW + LOOK_UP_LIFE_MS - 1)).toEqual(makeListed("a"));
    expect(next.find(boards, NOW + LOOK_UP_LIFE_MS)).toBeNull();
    expect(next.find(sections, NOW)).toBeNull();
  });

  it("a failed lookup is not cached, and an earlier cached answer stays", async () => {
    const lookUps = new KeptLookUps(memoryStorage());
    await lookUps.ask(boards, async () => makeListed("a"));
    expect(await lookUps.ask(boards, async () => FAILED)).toEqual(FAILED);
    expect(lookUps.find(boards, NOW)).toEqual(makeListed("a"));
  });

  it("simultaneous lookups of the same question share one call, and later ones make another", async () => {
    const lookUps = new KeptLookUps(memoryStorage());
    const { promise, resolve } = Promise.withResolvers<LookUpAnswer>();
    const answers = [lookUps.ask(boards, () => promise), lookUps.ask(boards, async () => makeListed("never asked"))];
    const otherAnswer = lookUps.ask(sections, async () => makeListed("other"));
    resolve(makeListed("a"));
    expect(await Promise.all(answers)).toEqual([makeListed("a"), makeListed("a")]);
    expect(await otherAnswer).toEqual(makeListed("other"));
    expect(await lookUps.ask(boards, async () => makeListed("b"))).toEqual(makeListed("b"));
  });

  it("a lookup makes another call after a call that threw", async () => {
    const lookUps = new KeptLookUps(memoryStorage());
    await expect(lookUps.ask(boards, () => Promise.reject(new Error("broke off")))).rejects.toThrow("broke off");
    expect(await lookUps.ask(boards, async () => makeListed("a"))).toEqual(makeListed("a"));
  });

  it("a new answer deletes expired ones, and nothing else in the storage", async () => {
    const storage = memoryStorage();
    storage.kv.put("lane", { fetchedAt: 0 });
    const lookUps = new KeptLookUps(storage);
    await lookUps.ask(boards, async () => makeListed("old", NOW - LOOK_UP_LIFE_MS));
    await lookUps.ask({ ...boards, channel: "ch_2" }, async () => makeListed("young", NOW - LOOK_UP_LIFE_MS + 1));
    await lookUps.ask(sections, async () => makeListed("new"));
    expect([...storage.values.keys()].map((name) => name.split(":")[0])).toEqual(["lane", "look-up", "look-up"]);
    expect(lookUps.find({ ...boards, channel: "ch_2" }, NOW - 1)).not.toBeNull();
    expect(lookUps.find(boards, 0)).toBeNull();
  });
});
