// Settlements of a delivery that was being sent, and what is said of them.
import type { Settlement } from "../../../../src/store/deliveries/settle.ts";
import { settleDeliveries } from "../../../../src/store/deliveries/write.ts";
import { db, MINUTE, NOW, type Stored } from "./stored-delivery.ts";

export type Changes = Omit<Partial<Settlement>, "transition" | "followUp"> & {
  transition?: Partial<Settlement["transition"]>;
  followUp?: Partial<Settlement["followUp"]>;
};

export const event = (name: string, id = "evt_1") => ({ id, event: name, body: `{"id":"${id}"}`, createdAt: NOW - 1 });
/** A settlement of a send that had no answer. */
export const settlement = (
  { guard }: Pick<Stored, "guard">,
  { transition, followUp, ...changes }: Changes = {},
): Settlement => ({
  guard,
  transition: {
    state: "reconciling",
    nextAt: NOW + MINUTE,
    hasOpenSend: true,
    retries: 2,
    error: null,
    detail: "no answer",
    event: null,
    ...transition,
  },
  event: null,
  followUp: { checkAt: null, kinds: [], hasFiles: false, ...followUp },
  ...changes,
});
export const proofOf = (stored: Pick<Stored, "guard">, { transition, followUp, ...changes }: Changes = {}) =>
  settlement(stored, {
    transition: {
      state: "live",
      nextAt: null,
      hasOpenSend: false,
      retries: 0,
      live: { id: "77", url: "https://x.example/77", urlState: "pending" },
      detail: null,
      ...transition,
    },
    event: event("delivery.succeeded"),
    followUp: { checkAt: NOW + 10 * MINUTE, ...followUp },
    ...changes,
  });
export const settle = (...all: Settlement[]) => settleDeliveries(db, all);

export const sending = {
  state: "sending",
  session: "mine",
  sends: '[{"sent_at":1},{"sent_at":2}]',
  sentAt: 2,
} as const;
export const isNotWritten = [{ written: false, endpointsToNotify: [] }];
export const isWritten = [{ written: true, endpointsToNotify: [] }];
