// The answer to a record names the endpoints that are to be called for it.
import { describe, expect, it } from "vitest";
import { readRecorded } from "../../../../src/store/deliveries/record.ts";
import { isWritten, makeDeliveryRecord, makeEvent, makeProof, record, sending } from "./delivery-records.ts";
import { storedDelivery } from "./stored-delivery.ts";

describe("the answer to a record", () => {
  it("the answer to a record has the endpoints with a pending message of its event", async () => {
    const stored = await storedDelivery();
    const proof = makeProof(stored);
    const message = (webhookId: string, eventId: string, state: string) => ({ webhookId, eventId, state });
    const messages = [
      message("wh_1", "evt_1", "pending"),
      message("wh_2", "evt_2", "pending"),
      message("wh_3", "evt_1", "skipped"),
    ];
    expect(readRecorded([proof], { left: [], messages })).toEqual([{ written: false, endpointsToNotify: ["wh_1"] }]);
    expect(readRecorded([{ ...proof, event: null }], { left: [], messages })).toEqual([
      { written: false, endpointsToNotify: [] },
    ]);
  });

  it("a repeated record creates no further messages of its event", async () => {
    const stored = await storedDelivery(sending);
    const first = makeDeliveryRecord(stored, {
      decision: { state: "retry_wait" },
      event: makeEvent("delivery.retrying"),
    });
    await record(first);
    const second = { ...stored, guard: { ...stored.guard, key: { ...stored.key, channelId: "ch_2" } } };
    await record(makeProof(second, { event: makeEvent("delivery.succeeded", "evt_2") }));
    await stored.addWebhook("wh_late", { events: ["delivery.retrying"] });
    expect(await record(first)).toEqual(isWritten);
    expect(await stored.readMessages()).toEqual([]);
  });
});
