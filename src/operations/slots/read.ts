import type { readSlots as contract } from "../../contract/slots.ts";
import { type FoundSlots, readSlots as read } from "../../store/slots.ts";
import { getReachableChannels, reachesChannel } from "../reach.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { slotsView } from "./view.ts";

export const readSlots: ReadThenRun<typeof contract, FoundSlots> = {
  read: (_ctx, db, workspaceId) => read(db, workspaceId, null),
  async run(_ctx, caller, _input, { slots, present }) {
    const reachableIds = present.filter((id) => reachesChannel(caller, id));
    // A key that is limited to channels does not see a slot that serves none of them.
    const isThere = ({ channels }: (typeof slots)[number]) =>
      channels === null || getReachableChannels(caller) === null || channels.some((id) => reachableIds.includes(id));
    return ok(slotsView(slots.filter(isThere), reachableIds));
  },
};
