// Records of a delivery that was being sent.
import type { DeliveryRecord } from "../../../../src/store/deliveries/record.ts";
import { recordDeliveries } from "../../../../src/store/deliveries/write.ts";
import { db, MINUTE, makeSends, NOW, type Stored } from "./stored-delivery.ts";

export type Changes = Omit<Partial<DeliveryRecord>, "decision" | "followUp"> & {
  decision?: Partial<DeliveryRecord["decision"]>;
  followUp?: Partial<DeliveryRecord["followUp"]>;
};

export const makeEvent = (name: string, id = "evt_1") => ({
  id,
  event: name,
  body: `{"id":"${id}"}`,
  createdAt: NOW - 1,
});
/** Makes a record of a send without an answer. */
export const makeDeliveryRecord = (
  { guard }: Pick<Stored, "guard">,
  { decision, followUp, ...changes }: Changes = {},
): DeliveryRecord => ({
  guard,
  decision: {
    state: "reconciling",
    nextAt: NOW + MINUTE,
    hasOpenSend: true,
    retries: 2,
    error: null,
    detail: "no answer",
    event: null,
    ...decision,
  },
  event: null,
  followUp: { checkAt: null, kinds: [], hasFiles: false, ...followUp },
  ...changes,
});
export const makeProof = (stored: Pick<Stored, "guard">, { decision, followUp, ...changes }: Changes = {}) =>
  makeDeliveryRecord(stored, {
    decision: {
      state: "live",
      nextAt: null,
      hasOpenSend: false,
      retries: 0,
      live: { id: "77", url: "https://x.example/77", urlState: "pending" },
      detail: null,
      ...decision,
    },
    event: makeEvent("delivery.succeeded"),
    followUp: { checkAt: NOW + 10 * MINUTE, ...followUp },
    ...changes,
  });
export const record = (...records: DeliveryRecord[]) => recordDeliveries(db, records);

export const sending = {
  state: "sending",
  session: "mine",
  sends: makeSends(1, 2),
} as const;
export const isNotWritten = [{ written: false, endpointsToNotify: [] }];
export const isWritten = [{ written: true, endpointsToNotify: [] }];
