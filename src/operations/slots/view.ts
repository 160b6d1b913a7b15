import type * as z from "zod";
import type { readSlots as contract } from "../../contract/slots.ts";
import type { Slot } from "../../domain/slots.ts";

/** Slots with those of their channels that there are: one that was disconnected may come back, with its id. */
export function slotsView(slots: Slot[], present: string[]): z.input<typeof contract.result> {
  return {
    slots: slots.map((slot) => ({
      ...slot,
      channels: slot.channels === null ? null : slot.channels.filter((id) => present.includes(id)),
    })),
  };
}
