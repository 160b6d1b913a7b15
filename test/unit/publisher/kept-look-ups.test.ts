// What networks offered for options, kept in the object's own storage for as long as it is good.
import { describe, expect, it } from "vitest";
import { LOOK_UP_LIFE_MS, type LookUpAnswer } from "../../../src/domain/option-lookup.ts";
import { KeptLookUps } from "../../../src/publisher/kept-look-ups.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

const NOW = 1_800_000_000_000;
const boards = { channel: "ch_1", option: "board", values: {} };
const sections = { channel: "ch_1", option: "board_section", values: { board: "1" } };
const listed = (value: string, fetchedAt = NOW): LookUpAnswer => ({
  is: "listed",
  options: [{ value, label: value, description: null, disabledReason: null }],
  fetchedAt,
});
const FAILED: LookUpAnswer = { is: "failed", error: "network_unavailable", detail: "no" };

describe("an answer of a network", () => {
  it("is kept for its question alone, also for the next object, until its time is over", async () => {
    const storage = memoryStorage();
    const first = new KeptLookUps(storage);
    expect(first.find(boards, NOW)).toBeNull();
    expect(await first.ask(boards, async () => listed("a"))).toEqual(listed("a"));
    const next = new KeptLookUps(storage);
    expect(next.find(boards, NOW + LOOK_UP_LIFE_MS - 1)).toEqual(listed("a"));
    expect(next.find(boards, NOW + LOOK_UP_LIFE_MS)).toBeNull();
    expect(next.find(sections, NOW)).toBeNull();
  });

  it("is not kept where it is a failure, and what was kept before stays", async () => {
    const lookUps = new KeptLookUps(memoryStorage());
    await lookUps.ask(boards, async () => listed("a"));
    expect(await lookUps.ask(boards, async () => FAILED)).toEqual(FAILED);
    expect(lookUps.find(boards, NOW)).toEqual(listed("a"));
  });

  it("is told to all who ask the same meanwhile, and asked anew after that", async () => {
    const lookUps = new KeptLookUps(memoryStorage());
    const { promise, resolve } = Promise.withResolvers<LookUpAnswer>();
    const asked = [lookUps.ask(boards, () => promise), lookUps.ask(boards, async () => listed("never asked"))];
    const other = lookUps.ask(sections, async () => listed("other"));
    resolve(listed("a"));
    expect(await Promise.all(asked)).toEqual([listed("a"), listed("a")]);
    expect(await other).toEqual(listed("other"));
    expect(await lookUps.ask(boards, async () => listed("b"))).toEqual(listed("b"));
  });

  it("is asked for anew after a question that broke off", async () => {
    const lookUps = new KeptLookUps(memoryStorage());
    await expect(lookUps.ask(boards, () => Promise.reject(new Error("broke off")))).rejects.toThrow("broke off");
    expect(await lookUps.ask(boards, async () => listed("a"))).toEqual(listed("a"));
  });

  it("has the ones forgotten whose time is over, and nothing else of the storage", async () => {
    const storage = memoryStorage();
    storage.kv.put("lane", { fetchedAt: 0 });
    const lookUps = new KeptLookUps(storage);
    await lookUps.ask(boards, async () => listed("old", NOW - LOOK_UP_LIFE_MS));
    await lookUps.ask({ ...boards, channel: "ch_2" }, async () => listed("young", NOW - LOOK_UP_LIFE_MS + 1));
    await lookUps.ask(sections, async () => listed("new"));
    expect([...storage.values.keys()].map((name) => name.split(":")[0])).toEqual(["lane", "look-up", "look-up"]);
    expect(lookUps.find({ ...boards, channel: "ch_2" }, NOW - 1)).not.toBeNull();
    expect(lookUps.find(boards, 0)).toBeNull();
  });
});
