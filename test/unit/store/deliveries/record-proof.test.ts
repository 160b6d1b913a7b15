// Proof that a post is live is accepted from any session, and counts once.
import { describe, expect, it } from "vitest";
import { type Changes, isNotWritten, isWritten, makeEvent, makeProof, record, sending } from "./delivery-records.ts";
import {
  listForbiddenStates,
  MINUTE,
  makeThreadPart,
  NOW,
  pass,
  type Stored,
  storedDelivery,
} from "./stored-delivery.ts";

const DUE = { state: "due", tries: 0, publishKey: null, detail: null, networkMessage: null } as const;
const SECOND = { event: makeEvent("delivery.succeeded", "evt_2") };

describe("proof that a post is live", () => {
  it("proof is written with the network's id, its event and its follow-up work", async () => {
    const stored = await storedDelivery(sending);
    await stored.addWebhook("wh_1");
    const kinds = ["playlist", "first_comment"] as const;
    expect(await record(makeProof(stored, { followUp: { kinds: [...kinds] } }))).toEqual([
      { written: true, endpointsToNotify: ["wh_1"] },
    ]);
    expect(await stored.read()).toMatchObject({
      state: "live",
      nextAt: null,
      hasOpenSend: false,
      networkPost: { id: "77", url: "https://x.example/77", urlState: "pending", checkedAt: NOW },
      publishedAt: NOW,
      checkAt: NOW + 10 * MINUTE,
      work: { playlist: { ...DUE, kind: "playlist" }, first_comment: { ...DUE, kind: "first_comment" } },
      successSeq: 1,
      // The columns of the delivery have everything, so the list of sends is not changed.
      sends: sending.sends,
    });
    expect(await stored.readEvents()).toMatchObject([{ id: "evt_1", event: "delivery.succeeded" }]);
    expect(await stored.readPost()).toMatchObject({ status: "scheduled" });
  });

  it("proof of a post without follow-up work adds none", async () => {
    const stored = await storedDelivery(sending);
    await record(makeProof(stored));
    expect((await stored.read()).work).toEqual({});
  });

  it("proof in a batch adds follow-up work only to the deliveries that have it", async () => {
    const [with_, without] = [await storedDelivery(sending), await storedDelivery(sending)];
    await record(makeProof(with_, { followUp: { kinds: ["playlist"] } }), makeProof(without, SECOND));
    expect(Object.keys((await with_.read()).work)).toEqual(["playlist"]);
    expect((await without.read()).work).toEqual({});
  });

  it("proof is accepted from an overtaken session, and keeps the higher fencing token", async () => {
    const stored = await storedDelivery({
      ...sending,
      state: "reconciling",
      version: 9,
      session: "another",
      fencingToken: 8,
    });
    expect(await record(makeProof(stored))).toEqual(isWritten);
    expect(await stored.read()).toMatchObject({ state: "live", version: 10, session: "mine", fencingToken: 8 });
  });

  it("proof counts once, even if two sessions have it", async () => {
    const stored = await storedDelivery(sending);
    const followUp: Changes["followUp"] = { kinds: ["first_comment"] };
    await record(makeProof(stored, { followUp }));
    await stored.changeWork("first_comment", { state: "done" });
    const before = await stored.read();
    pass(1_000);
    const guard = { ...stored.guard, session: "another", fencingToken: 6, version: 4 };
    const second = makeProof({ ...stored, guard }, { ...SECOND, followUp });
    expect(await record(second)).toEqual(isNotWritten);
    expect(await stored.read()).toEqual(before);
    expect(await stored.readEvents()).toMatchObject([{ id: "evt_1" }]);
  });

  it.each(listForbiddenStates("proven"))("proof is not written for a delivery that is %s", async (state) => {
    const stored = await storedDelivery({ ...sending, state, session: "another" });
    const before = await stored.read();
    expect(await record(makeProof(stored, { followUp: { kinds: ["first_comment"] } }))).toEqual(isNotWritten);
    expect(await stored.read()).toEqual(before);
    expect(await stored.readEvents()).toEqual([]);
  });

  it("after a restore of the database, proof makes its follow-up work be looked up first", async () => {
    const stored = await storedDelivery({ ...sending, isHeldBack: true });
    await record(makeProof(stored, { followUp: { kinds: ["playlist", "first_comment"] } }));
    expect(await stored.read()).toMatchObject({
      isHeldBack: false,
      work: { playlist: { state: "sending" }, first_comment: { state: "sending" } },
    });
  });

  it("after a restore of the database, proof without follow-up work adds none", async () => {
    const stored = await storedDelivery({ ...sending, isHeldBack: true });
    await record(makeProof(stored));
    expect(await stored.read()).toMatchObject({ isHeldBack: false, work: {} });
  });
});

describe("proof that a part of a thread is live", () => {
  const prove = (position: number, proof: "proven" | "part_live" | "part_found" | "part_held_back" = "part_live") => ({
    proof,
    live: makeThreadPart(position),
  });
  const makeThreadPartProof = (stored: Stored, position: number, changes: Changes = {}) =>
    makeProof(stored, {
      event: null,
      threadPart: prove(position),
      ...changes,
      decision: { state: "staged", ...changes.decision },
    });

  it("proof of a part is added after the earlier parts, and the delivery has the id of the first part", async () => {
    const stored = await storedDelivery(sending);
    expect(await record(makeThreadPartProof(stored, 0))).toEqual(isWritten);
    const first = await stored.read();
    const networkPost = { id: "77", url: "https://x.example/77", urlState: "pending" };
    expect(first).toMatchObject({ state: "staged", networkPost, publishedAt: NOW });
    expect(first.threadParts).toEqual([makeThreadPart(0)]);
    expect(first.sends).toMatchObject([{}, { outcome: "live" }]);
    pass(1_000);
    const next = { ...stored, guard: { ...stored.guard, version: 4 } };
    const live = { id: "78", url: "https://x.example/78", urlState: "none" } as const;
    expect(await record(makeThreadPartProof(next, 1, { decision: { live } }))).toEqual(isWritten);
    const second = await stored.read();
    expect(second).toMatchObject({ publishedAt: NOW, successSeq: null });
    expect(second.networkPost).toEqual(networkPost);
    expect(second.threadParts).toEqual([makeThreadPart(0), makeThreadPart(1)]);
  });

  it.each([0, 2])(
    "proof of a part counts only directly after the live parts: position %i after 1 part",
    async (position) => {
      const stored = await storedDelivery({ ...sending, session: "another" }, [], [makeThreadPart(0)]);
      const before = await stored.read();
      expect(await record(makeThreadPartProof(stored, position))).toEqual(isNotWritten);
      expect(await stored.read()).toEqual(before);
    },
  );

  it("proof of a part is accepted from an overtaken session", async () => {
    const stored = await storedDelivery({ ...sending, version: 9, session: "another" });
    expect(await record(makeThreadPartProof(stored, 0))).toEqual(isWritten);
  });

  const proofs = [
    ["proven", "live"],
    ["part_live", "staged"],
    ["part_found", "failed"],
    ["part_held_back", "outcome_unknown"],
  ] as const;
  const refusals = proofs.flatMap(([proof, to]) =>
    listForbiddenStates(proof).map((from) => [proof, to, from] as const),
  );
  it.each(refusals)("the move %s to %s is not written for a delivery that is %s", async (proof, state, from) => {
    const stored = await storedDelivery({ ...sending, state: from, session: "another" });
    const before = await stored.read();
    await record(makeThreadPartProof(stored, 0, { threadPart: prove(0, proof), decision: { state } }));
    expect(await stored.read()).toEqual(before);
  });
});
