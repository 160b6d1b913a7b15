// Proof that something is out is taken from whoever has it, and counts once.
import { describe, expect, it } from "vitest";
import { type Changes, event, isNotWritten, isWritten, proofOf, record, sending } from "./delivery-records.ts";
import { MINUTE, NOW, notBefore, pass, type Stored, storedDelivery } from "./stored-delivery.ts";

const DUE = { state: "due", tries: 0, publishKey: null, detail: null, networkMessage: null } as const;
const SECOND = { event: event("delivery.succeeded", "evt_2") };

describe("proof that a post is out", () => {
  it("is written with what its network calls it, its event and what follows", async () => {
    const stored = await storedDelivery(sending);
    await stored.addWebhook("wh_1");
    const kinds = ["playlist", "first_comment"] as const;
    expect(await record(proofOf(stored, { followUp: { kinds: [...kinds] } }))).toEqual([
      { written: true, endpointsToNotify: ["wh_1"] },
    ]);
    expect(await stored.read()).toMatchObject({
      state: "live",
      nextAt: null,
      hasOpenSend: false,
      netPostId: "77",
      url: "https://x.example/77",
      urlState: "pending",
      publishedAt: NOW,
      checkedAt: NOW,
      checkAt: NOW + 10 * MINUTE,
      work: { playlist: { ...DUE, kind: "playlist" }, first_comment: { ...DUE, kind: "first_comment" } },
      successSeq: 1,
      // The delivery itself says all of it.
      sends: sending.sends,
    });
    expect(await stored.readEvents()).toMatchObject([{ id: "evt_1", event: "delivery.succeeded" }]);
    expect(await stored.readPost()).toMatchObject({ status: "scheduled" });
  });

  it("of a post whose options ask for no work leaves none due", async () => {
    const stored = await storedDelivery(sending);
    await record(proofOf(stored));
    expect((await stored.read()).work).toEqual({});
  });

  it("adds work only to the deliveries of a batch that ask for it", async () => {
    const [with_, without] = [await storedDelivery(sending), await storedDelivery(sending)];
    await record(proofOf(with_, { followUp: { kinds: ["playlist"] } }), proofOf(without, SECOND));
    expect(Object.keys((await with_.read()).work)).toEqual(["playlist"]);
    expect((await without.read()).work).toEqual({});
  });

  it("is taken from a session whose row another has written since, and keeps the higher fencing token", async () => {
    const stored = await storedDelivery({
      ...sending,
      state: "reconciling",
      version: 9,
      session: "another",
      fencingToken: 8,
    });
    expect(await record(proofOf(stored))).toEqual(isWritten);
    expect(await stored.read()).toMatchObject({ state: "live", version: 10, session: "mine", fencingToken: 8 });
  });

  it("counts once, whoever brings it", async () => {
    const stored = await storedDelivery(sending);
    const followUp: Changes["followUp"] = { kinds: ["first_comment"] };
    await record(proofOf(stored, { followUp }));
    await stored.changeWork("first_comment", { state: "done" });
    const before = await stored.read();
    pass(1_000);
    const guard = { ...stored.guard, session: "another", fencingToken: 6, version: 4 };
    const second = proofOf({ ...stored, guard }, { ...SECOND, followUp });
    expect(await record(second)).toEqual(isNotWritten);
    expect(await stored.read()).toEqual(before);
    expect(await stored.readEvents()).toMatchObject([{ id: "evt_1" }]);
  });

  it.each(notBefore("proven"))("is not written of a delivery that is %s", async (state) => {
    const stored = await storedDelivery({ ...sending, state, session: "another" });
    const before = await stored.read();
    expect(await record(proofOf(stored, { followUp: { kinds: ["first_comment"] } }))).toEqual(isNotWritten);
    expect(await stored.read()).toEqual(before);
    expect(await stored.readEvents()).toEqual([]);
  });

  it("of a delivery that was set back with its database looks for what may have been made", async () => {
    const stored = await storedDelivery({ ...sending, isHeldBack: true });
    await record(proofOf(stored, { followUp: { kinds: ["playlist", "first_comment"] } }));
    expect(await stored.read()).toMatchObject({
      isHeldBack: false,
      work: { playlist: { state: "sending" }, first_comment: { state: "sending" } },
    });
  });

  it("of a delivery that was set back, and asks for no work, adds none", async () => {
    const stored = await storedDelivery({ ...sending, isHeldBack: true });
    await record(proofOf(stored));
    expect(await stored.read()).toMatchObject({ isHeldBack: false, work: {} });
  });
});

describe("proof that a part of a thread is out", () => {
  const part = (position: number, proof: "proven" | "part_live" | "part_found" | "part_held_back" = "part_live") => ({
    proof,
    position,
    live: { id: `part_${position}`, url: null, urlState: "none", at: NOW, attempts: 1 } as const,
  });
  const partOf = (stored: Stored, position: number, changes: Changes = {}) =>
    proofOf(stored, {
      event: null,
      part: part(position),
      ...changes,
      decision: { state: "staged", ...changes.decision },
    });

  it("is added behind the parts before it; the thread is known by its first", async () => {
    const stored = await storedDelivery(sending);
    expect(await record(partOf(stored, 0))).toEqual(isWritten);
    const first = await stored.read();
    expect(first).toMatchObject({ state: "staged", netPostId: "77", url: "https://x.example/77", publishedAt: NOW });
    expect(JSON.parse(first.parts ?? "")).toEqual([part(0).live]);
    expect(JSON.parse(first.sends)).toMatchObject([{}, { outcome: "live" }]);
    pass(1_000);
    const next = { ...stored, guard: { ...stored.guard, version: 4 } };
    const live = { id: "78", url: "https://x.example/78", urlState: "none" } as const;
    expect(await record(partOf(next, 1, { decision: { live } }))).toEqual(isWritten);
    const second = await stored.read();
    expect(second).toMatchObject({
      netPostId: "77",
      url: "https://x.example/77",
      urlState: "pending",
      publishedAt: NOW,
      checkedAt: null,
      successSeq: null,
    });
    expect(JSON.parse(second.parts ?? "")).toEqual([part(0).live, part(1).live]);
  });

  it.each([0, 2])("counts only while as many are out as come before it: %i of 1", async (position) => {
    const stored = await storedDelivery({ ...sending, parts: JSON.stringify([part(0).live]), session: "another" });
    const before = await stored.read();
    expect(await record(partOf(stored, position))).toEqual(isNotWritten);
    expect(await stored.read()).toEqual(before);
  });

  it("is taken from a session that was overtaken", async () => {
    const stored = await storedDelivery({ ...sending, version: 9, session: "another" });
    expect(await record(partOf(stored, 0))).toEqual(isWritten);
  });

  const proofs = [
    ["proven", "live"],
    ["part_live", "staged"],
    ["part_found", "failed"],
    ["part_held_back", "outcome_unknown"],
  ] as const;
  const refusals = proofs.flatMap(([proof, to]) => notBefore(proof).map((from) => [proof, to, from] as const));
  it.each(refusals)("is not written as %s to %s of a delivery that is %s", async (proof, state, from) => {
    const stored = await storedDelivery({ ...sending, state: from, session: "another" });
    const before = await stored.read();
    await record(partOf(stored, 0, { part: part(0, proof), decision: { state } }));
    expect(await stored.read()).toEqual(before);
  });
});
