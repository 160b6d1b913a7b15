// Records of a delivery that was being sent, and what is said of them.
import type { DeliveryRecord } from "../../../../src/store/deliveries/record.ts";
import { recordDeliveries } from "../../../../src/store/deliveries/write.ts";
import { db, MINUTE, NOW, type Stored } from "./stored-delivery.ts";

export type Changes = Omit<Partial<DeliveryRecord>, "decision" | "followUp"> & {
  decision?: Partial<DeliveryRecord["decision"]>;
  followUp?: Partial<DeliveryRecord["followUp"]>;
};

export const event = (name: string, id = "evt_1") => ({ id, event: name, body: `{"id":"${id}"}`, createdAt: NOW - 1 });
/** A record of a send that had no answer. */
export const deliveryRecord = (
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
export const proofOf = (stored: Pick<Stored, "guard">, { decision, followUp, ...changes }: Changes = {}) =>
  deliveryRecord(stored, {
    decision: {
      state: "live",
      nextAt: null,
      hasOpenSend: false,
      retries: 0,
      live: { id: "77", url: "https://x.example/77", urlState: "pending" },
      detail: null,
      ...decision,
    },
    event: event("delivery.succeeded"),
    followUp: { checkAt: NOW + 10 * MINUTE, ...followUp },
    ...changes,
  });
export const record = (...all: DeliveryRecord[]) => recordDeliveries(db, all);

export const sending = {
  state: "sending",
  session: "mine",
  sends: '[{"sent_at":1},{"sent_at":2}]',
  sentAt: 2,
} as const;
export const isNotWritten = [{ written: false, endpointsToNotify: [] }];
export const isWritten = [{ written: true, endpointsToNotify: [] }];
