import type { nextSlots as contract } from "../../contract/slots.ts";
import { isoInstant, localReading } from "../../domain/instant.ts";
import { CHANNELS_PER_POST_MAX, NEXT_SLOTS_DEFAULT } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { type FoundSlots, readSlots } from "../../store/slots.ts";
import { reachesChannel } from "../reach.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { findFree } from "./free.ts";

export const nextSlots: ReadThenRun<typeof contract, FoundSlots> = {
  read: (_ctx, db, workspaceId, { query }) => readSlots(db, workspaceId, readIds(query.channels)),
  async run(ctx, caller, { query }, { slots, timezone, present }) {
    const { workspaceId } = caller;
    const channels = readIds(query.channels);
    const unknown = channels.find((id) => !present.includes(id) || !reachesChannel(caller, id));
    if (unknown !== undefined) {
      throw refuse("unknown_channel", {
        field: "/channels",
        message: `Not found: no channel \`${unknown.slice(0, 100)}\` in this workspace.`,
      });
    }
    const search = { workspaceId, post: null, channels, slots, timezone };
    const { count = NEXT_SLOTS_DEFAULT } = query;
    const free = await findFree(ctx.databaseOf(workspaceId), search, ctx.now(), count);
    return ok({
      slots: free.map((instant) => ({ at: isoInstant(instant), at_local: localReading(instant, timezone) })),
    });
  },
};

function readIds(list: string): string[] {
  const ids = list
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  if (ids.length === 0) {
    throw refuse("missing_field", { field: "/channels", message: "`channels` names no channel." });
  }
  if (ids.length > CHANNELS_PER_POST_MAX) {
    throw refuse("invalid_field", { field: "/channels", message: `At most ${CHANNELS_PER_POST_MAX} channels.` });
  }
  return [...new Set(ids)];
}
