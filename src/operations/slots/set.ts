import type { setSlots as contract } from "../../contract/slots.ts";
import { refuse } from "../../domain/refusal.ts";
import { inWeek } from "../../domain/slots.ts";
import { type FoundSlots, readSlots, writeSlots } from "../../store/slots.ts";
import { makeEntry } from "../audit-entry.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { slotsView } from "./view.ts";

export const setSlots: ReadThenRun<typeof contract, FoundSlots> = {
  read: (_ctx, db, workspaceId, { body }) =>
    readSlots(
      db,
      workspaceId,
      body.slots.flatMap(({ channels }) => channels ?? []),
    ),
  async run(ctx, caller, { body }, { present }) {
    const channelReferences = body.slots.flatMap(({ channels }, i) =>
      (channels ?? []).map((id, j, ids) => ({ id, field: `/slots/${i}/channels/${j}`, isTwice: ids.indexOf(id) < j })),
    );
    const twice = channelReferences.find(({ isTwice }) => isTwice);
    if (twice !== undefined) throw refuse("duplicate_channel", { field: twice.field });
    const unknown = channelReferences.find(({ id }) => !present.includes(id));
    if (unknown !== undefined) throw refuse("unknown_channel", { field: unknown.field });
    const slots = inWeek(body.slots);
    await writeSlots(databaseToWrite(ctx, caller), slots, makeEntry(ctx, caller, "slots.changed"));
    return ok(slotsView(slots, present));
  },
};
