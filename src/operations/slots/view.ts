import type * as z from "zod";
import type { readSlots as contract } from "../../contract/slots.ts";
import type { Slot } from "../../domain/slots.ts";

/** Shows slots with only their existing channels. Others stay stored, because they may be reconnected with the same id. */
export function slotsView(slots: Slot[], present: string[]): z.input<typeof contract.result> {
  return {
    slots: slots.map((slot) => ({
      ...slot,
      channels: slot.channels === null ? null : slot.channels.filter((id) => present.includes(id)),
    })),
  };
}
