import type * as z from "zod";
import type { readSlots as contract } from "../../contract/slots.ts";
import type { Slot } from "../../domain/slots.ts";

/** Slots with their existing channels: a disconnected channel may come back under its id. */
export function slotsView(slots: Slot[], present: string[]): z.input<typeof contract.result> {
  return {
    slots: slots.map((slot) => ({
      ...slot,
      channels: slot.channels === null ? null : slot.channels.filter((id) => present.includes(id)),
    })),
  };
}
